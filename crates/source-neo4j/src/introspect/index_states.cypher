SHOW INDEXES YIELD name, state, populationPercent, failureMessage
RETURN name, state, toInteger(populationPercent) AS percent, failureMessage
ORDER BY name
