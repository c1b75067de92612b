"""The server for a class: start, gate, scheduler, routes, shutdown."""
