"""What a browser, a route or a script asks for: settings, inputs, and what components draw.

Without Streamlit.

Reading order: settings, model_settings, pages, given, table_rows, inputs, compare, survey,
shared_cache, tables, training, markdown, drawings, live.
"""
