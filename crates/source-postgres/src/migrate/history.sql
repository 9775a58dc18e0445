select
  number,
  to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  definitions
from thalweg.migrations
order by number
