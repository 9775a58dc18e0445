SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, options
RETURN name, type, entityType, labelsOrTypes, properties,
  options.indexConfig['vector.dimensions'] AS dimensions,
  options.indexConfig['vector.similarity_function'] AS similarity
ORDER BY name
