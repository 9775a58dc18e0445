MATCH (n) WHERE $label IN labels(n) AND n[$key] > $after DETACH DELETE n
