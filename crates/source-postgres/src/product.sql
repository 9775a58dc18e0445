-- The product and its version, as a text.
SELECT pg_catalog.version()
