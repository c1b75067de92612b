"""Protection of a server for strangers: who may connect, how much, how often.

Reading order; a module imports only those before it: headers, preflight, messages,
connections, gate, uploads.
"""
