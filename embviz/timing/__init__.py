"""Timing of lookup against matmul. Reading order: settings, methods, cases, tensors, clock, floor,
measure, worker, queue, sweep, results, runs. The sentences about a run: chart_lines, verdicts,
growth, statements, phrases, findings. Everything here works with torch and numpy alone.
"""
