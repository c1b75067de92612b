"""Parts of `keystroke.py`: servers, pages, visits, requests of the route, figures."""
