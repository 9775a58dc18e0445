MATCH (n) RETURN labels(n) AS labels, count(n) AS count
