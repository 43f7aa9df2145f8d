"""The island: source that is shipped into the user's kernel as the package `_nbsafe`."""
