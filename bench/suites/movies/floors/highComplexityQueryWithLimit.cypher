MATCH (m0:Movie)
WITH m0 ORDER BY m0.title DESC LIMIT 10
CALL (m0) {
  MATCH (m0)<-[:ACTED_IN]-(a0:Person)
  WITH DISTINCT a0 ORDER BY a0.name DESC LIMIT 2
  CALL (a0) {
    MATCH (a0)-[:ACTED_IN]->(m1:Movie)
    WITH DISTINCT m1 ORDER BY m1.title DESC LIMIT 2
    CALL (m1) {
      MATCH (m1)<-[:ACTED_IN]-(a1:Person)
      WITH DISTINCT a1 ORDER BY a1.name DESC LIMIT 2
      CALL (a1) {
        MATCH (a1)-[:ACTED_IN]->(m2:Movie)
        WITH DISTINCT m2 ORDER BY m2.title DESC LIMIT 2
        RETURN collect([m2.released, m2.tagline, m2.title]) AS c2
      }
      RETURN collect([a1.name, c2]) AS c1
    }
    RETURN collect([m1.released, m1.tagline, m1.title, c1]) AS c0
  }
  RETURN collect([a0.name, c0]) AS c
}
RETURN m0.released, m0.tagline, m0.title, c
