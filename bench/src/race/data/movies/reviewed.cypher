UNWIND $rows AS row MATCH (m:Movie {id: row.movie}) MATCH (p:Person {id: row.person}) CREATE (p)-[:REVIEWED {rating: row.rating, summary: row.summary}]->(m)
