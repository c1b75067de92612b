"""What the playground draws beside its picture."""
