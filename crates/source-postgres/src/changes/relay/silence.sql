-- $1: the process of the leader's session. The seconds since its last statement, 0 if the server
-- does not record it; no row if the session has ended.
select coalesce(extract(epoch from clock_timestamp() - act.query_start), 0)::float8
from pg_catalog.pg_stat_get_activity($1) as act
