"""The version of embviz, apart from `embviz/__init__.py`: that one imports what reads it."""

__version__ = "0.1.0"
