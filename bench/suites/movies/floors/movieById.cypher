MATCH (m:Movie) WHERE m.id = toString($id) RETURN m.id, m.title, m.released, m.tagline
