"""Charts of timing runs and a report of them, from the table of `run.points`."""
