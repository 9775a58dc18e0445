UNWIND $rows AS row CREATE (:Person {id: row.id, name: row.name, born: row.born})
