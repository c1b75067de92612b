"""The server for a class: start, gate, scheduler, shared tables, routes, shutdown."""
