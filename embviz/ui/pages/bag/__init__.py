"""The page *Bag of words*."""
