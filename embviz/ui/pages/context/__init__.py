"""The page *Context*."""
