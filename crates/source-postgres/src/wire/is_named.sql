-- Whether the session has a prepared statement of this name.
SELECT EXISTS (SELECT FROM pg_prepared_statements WHERE name = $1)
