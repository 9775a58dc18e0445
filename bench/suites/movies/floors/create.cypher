CREATE (m:Movie {id: toString($id), title: $title, released: $released})
RETURN m.id, m.title, m.released
