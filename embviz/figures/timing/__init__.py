"""The charts of timing runs, and the report that holds them."""
