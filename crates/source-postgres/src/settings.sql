SELECT set_config(n, v, true) FROM unnest($1::text[], $2::text[]) AS s (n, v)
