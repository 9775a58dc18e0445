MATCH (m:Movie)
WITH m ORDER BY size(m.title) DESC
WITH count(m) AS nodes, collect(m.title) AS titles,
     min(m.released) AS first, max(m.released) AS last, avg(m.released) AS average
RETURN nodes, last(titles), head(titles), first, last, average
