"""What is asked: one record a setting, and what an address, a route or an option gives of it.

Reading order; a module imports only those before it: kinds, worlds, model_settings, page_record,
pages, given. The settings of a page are in the `settings.py` of its subject.
"""
