CALL db.schema.nodeTypeProperties()
YIELD nodeLabels, propertyName, propertyTypes, mandatory
WHERE propertyName IS NOT NULL
RETURN nodeLabels, propertyName, propertyTypes, mandatory
