UNWIND $ids AS id
MATCH ()-[r]->() WHERE id(r) = id
UNWIND keys(r) AS name
WITH type(r) AS type, name, r[name] AS value, [] + r[name] AS values
WITH type, name, coalesce(values = value, false) AS isList, head(values) AS first,
  any(value IN values WHERE value > 2147483647 OR value < -2147483648) AS wide
RETURN DISTINCT type, name, isList,
  CASE WHEN toStringOrNull(first) = first THEN '' ELSE first END AS first,
  coalesce(wide, false) AS wide
