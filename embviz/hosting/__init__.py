"""Protection of a server for strangers: who may connect, how much, how often.

Reading order; a module imports only those before it: headers, preflight, capacity, turns,
messages, connections, gate, uploads.
"""
