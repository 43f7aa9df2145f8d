def install(trace):
    pass
