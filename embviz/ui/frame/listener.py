"""The listener on every page: a component that draws nothing, and hears keys and presses."""

from pathlib import Path

from embviz.ui.elements.component import component

listener = component("embviz_listener", Path(__file__).parent / "listen.js")
