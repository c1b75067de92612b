"""The frame around every page: navigation, *Ask*, settings, the text field, the tour.

Reading order: shell, sidebar, text_field, ask_field, body, tour_bar, no_page, listener.
"""
