-- The position behind everything that this session has committed, which may not be written yet.
SELECT
    (position - '0/0'::pg_lsn)::text,
    ('x' || substr(pg_walfile_name(position), 1, 8))::bit(32)::int8::text
FROM (SELECT pg_current_wal_insert_lsn() AS position) AS current
