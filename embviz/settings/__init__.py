"""The settings: one record each, and how an address, a route or an option gives their values.

Reading order; a module imports only those before it: kinds, worlds, model_settings, tour,
page_record, pages, given. The settings of a page are in the `settings.py` of its subject.
"""
