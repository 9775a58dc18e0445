UNWIND $ids AS id
MATCH (n) WHERE id(n) = id
UNWIND keys(n) AS name
WITH labels(n) AS labels, name, n[name] AS value, [] + n[name] AS values
WITH labels, name, coalesce(values = value, false) AS isList, head(values) AS first,
  any(value IN values WHERE value > 2147483647 OR value < -2147483648) AS wide
RETURN DISTINCT labels, name, isList,
  CASE WHEN toStringOrNull(first) = first THEN '' ELSE first END AS first,
  coalesce(wide, false) AS wide
