-- $1: the messages of the leader, in their order.
select pg_catalog.pg_notify('thalweg_live_1', part.text)
from unnest($1::text[]) with ordinality as part (text, number)
order by part.number
