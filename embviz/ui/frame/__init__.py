"""The frame around every page: navigation, settings, the text field, projector mode."""
