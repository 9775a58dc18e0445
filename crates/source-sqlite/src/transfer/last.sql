SELECT last FROM thalweg_sequence
