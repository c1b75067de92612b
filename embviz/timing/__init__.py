"""Timing of lookup against matmul. Reading order: cases, methods, clock, floor, measure, worker,
line, sweep, runs, findings. Everything here works with torch and numpy alone.
"""
