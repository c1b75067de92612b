"""The commands of `python -m embviz`, one module each."""
