MATCH (m:Movie)
RETURN count(m), min(m.released), max(m.released), sum(m.released)
