UNWIND $ids AS id
MATCH (a)-[r]->(b) WHERE id(r) = id
RETURN DISTINCT labels(a) AS from, type(r) AS type, labels(b) AS to
