def results(*a): pass
