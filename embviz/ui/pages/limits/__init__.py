"""The page *Where it breaks*."""
