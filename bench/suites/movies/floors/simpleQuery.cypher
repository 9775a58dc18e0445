MATCH (m:Movie) RETURN m.title LIMIT 10
