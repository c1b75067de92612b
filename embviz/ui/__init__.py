"""The common side of all pages: the session and its address, the frame around a page, widgets.

Reading order; a package imports only those before it: state, elements, frame.
"""
