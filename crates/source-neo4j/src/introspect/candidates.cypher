CALL db.schema.visualization() YIELD nodes, relationships
RETURN nodes, relationships
