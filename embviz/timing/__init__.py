"""Timing of lookup against matmul.

How a case is measured: `measure`. How a verdict is made: `verdicts`. Reading order; a module
imports only those before it:

    cases: settings, methods, cases, tensors, clock, caches, calibration.
    runs: results, physical, runs, run_file.
    measuring: groups, series, measure, worker.
    sentences: phrases, chart_lines, intervals, paired, growth, verdicts, statements, answers,
        findings.
    sweeps: queue, sweep.
    several runs: table, machines, comparing.
    other machines: cluster_address, cluster_machine, cluster_sweep, cluster, cluster_table.
"""
