"""Where lookup and matmul differ, each case proved on the installed PyTorch."""

from embviz.limits.page.story import draw as draw
