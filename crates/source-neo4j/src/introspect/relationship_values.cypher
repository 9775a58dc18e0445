MATCH ()-[r]->()
UNWIND [name IN keys(r) WHERE name IN $names] AS name
WITH type(r) AS type, name, [] + r[name] AS values
WITH type, name,
  any(value IN values WHERE value > 2147483647 OR value < -2147483648) AS wide,
  any(value IN values WHERE
    point.distance(value, point({longitude: 0, latitude: 0})) IS NOT NULL OR
    point.distance(value, point({longitude: 0, latitude: 0, height: 0})) IS NOT NULL
  ) AS geographic,
  any(value IN values WHERE
    point.distance(value, point({x: 0, y: 0})) IS NOT NULL OR
    point.distance(value, point({x: 0, y: 0, z: 0})) IS NOT NULL
  ) AS cartesian,
  any(value IN values WHERE toStringOrNull(value) = value) AS texts
RETURN DISTINCT type, name,
  coalesce(wide, false) AS wide,
  coalesce(geographic, false) AS geographic,
  coalesce(cartesian, false) AS cartesian,
  coalesce(texts, false) AS texts
