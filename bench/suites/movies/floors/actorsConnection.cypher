MATCH (m:Movie)
WITH count(m) AS total
CALL () {
  MATCH (m:Movie)
  WITH m ORDER BY m.title LIMIT 10
  CALL (m) {
    MATCH (m)<-[r:ACTED_IN]-(a:Person)
    WITH r, a ORDER BY a.name
    RETURN count(a) AS actors, collect([r.roles, a.name]) AS edges
  }
  RETURN collect([m.title, actors, edges]) AS movies
}
RETURN total, total > 10, movies
