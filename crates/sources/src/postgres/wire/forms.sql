-- The forms of values that a pooler may not have told the server.
SELECT
    current_setting('extra_float_digits'),
    current_setting('bytea_output'),
    current_setting('IntervalStyle')
