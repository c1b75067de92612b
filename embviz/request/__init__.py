"""Questions of a browser, a route or a script, and their answers; without Streamlit.

A question is settings; from them come inputs, and from these the JSON that components draw.

Reading order: settings, worlds, model_settings, pages, given, table_rows, inputs, compare, survey,
shared_cache, shared_layers, timing, training_inputs, markdown, drawings, live.
"""
