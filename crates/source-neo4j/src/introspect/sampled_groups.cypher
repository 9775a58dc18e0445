UNWIND $ids AS id
MATCH (n) WHERE id(n) = id
RETURN labels(n) AS labels, count(n) AS count
