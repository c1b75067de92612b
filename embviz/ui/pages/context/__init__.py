"""The chapters of *Context*."""
