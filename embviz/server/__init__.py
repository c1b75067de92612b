"""The server for a class: admission, guard, scheduler, memory, health, shutdown."""
