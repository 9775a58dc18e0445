CALL db.schema.relTypeProperties()
YIELD relType, propertyName, propertyTypes, mandatory
WHERE propertyName IS NOT NULL
RETURN relType, propertyName, propertyTypes, mandatory
