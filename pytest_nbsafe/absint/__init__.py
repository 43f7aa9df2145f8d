"""What may happen when cells run again: domains of abstract values, and the engine under them."""
