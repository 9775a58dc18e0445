-- The process of the server that answers, and the forms of values that a pooler may not have told it.
SELECT
    pg_backend_pid(),
    current_setting('extra_float_digits'),
    current_setting('bytea_output'),
    current_setting('IntervalStyle')
