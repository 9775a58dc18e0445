MATCH (a)<-[r]-()
WITH a, type(r) AS type, count(r) AS degree
RETURN labels(a) AS labels, type, count(a) AS nodes, max(degree) AS most
