"""Timing of lookup against matmul.

Reading order:

    measure/   from a case to a run: what is timed, in which process, and the file of its times
    tell/      from a run to a sentence: verdicts, charts, estimates; it imports `measure`
    settings   of the page
    cases      those that the settings ask for
    page/      what Streamlit draws
"""
