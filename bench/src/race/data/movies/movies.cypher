UNWIND $rows AS row CREATE (:Movie {id: row.id, title: row.title, tagline: row.tagline, released: row.released})
