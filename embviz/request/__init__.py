"""The requests of a browser, without Streamlit: settings, inputs, and what components draw.

Reading order: settings, model_settings, pages, given, table_rows, inputs, compare, survey,
shared_cache, tables, timing, training, markdown, drawings, live.
"""
