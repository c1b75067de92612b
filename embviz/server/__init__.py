"""What lets Streamlit serve a class: admission, guard, scheduler, memory, health, log, shutdown."""
