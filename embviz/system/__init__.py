"""The computer: its limits, devices, cores and memory, child processes, the data folder.

Reading order; a module imports only those before it: bounds, spent, devices, machine, child,
data_folder, shared_cache.
"""
