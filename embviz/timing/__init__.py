"""Timing of lookup against matmul. Reading order: cases, methods, clock, floor, measure, worker,
line, sweep, results, runs; of what a run says: words, chart_lines, verdicts, growth, story,
findings. Everything here works with torch and numpy alone.
"""
