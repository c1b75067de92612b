"""Timing of lookup against matmul, with torch and numpy alone.

How a case is measured: `measure`. How a verdict is made: `verdicts`. Reading order; a module
imports only those before it:

    cases: settings, methods, cases, compiling, tensors, clock, caches, random_rows, floor.
    runs: results, physical, runs, run_file.
    measuring: intervals, groups, series, measure, worker, queue, sweep.
    sentences: phrases, chart_lines, paired, steadiness, growth, verdicts, statements, answers,
        findings.
    several runs: table, machines, comparing.
    other machines: cluster_address, cluster_machine, cluster_sweep, cluster, cluster_table.
"""
