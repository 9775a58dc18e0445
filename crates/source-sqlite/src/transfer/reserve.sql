UPDATE thalweg_sequence SET last = max(last, ?1)
