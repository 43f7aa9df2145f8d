"""Following a run: its statements, the functions it enters, the names it binds, what goes wrong."""
