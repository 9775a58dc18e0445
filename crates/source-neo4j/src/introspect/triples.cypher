MATCH (a)-[r]->(b)
RETURN DISTINCT labels(a) AS from, type(r) AS type, labels(b) AS to
