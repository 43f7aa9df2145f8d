"""Running cells on the side, where nothing they do can last."""
