def mechanisms(*a): pass
