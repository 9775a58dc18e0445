UNWIND $rows AS row MATCH (m:Movie {id: row.movie}) MATCH (p:Person {id: row.person}) CREATE (p)-[:ACTED_IN {roles: row.roles}]->(m)
