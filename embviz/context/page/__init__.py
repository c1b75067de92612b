"""The chapters of *Context*, and the strips that two of them draw."""
