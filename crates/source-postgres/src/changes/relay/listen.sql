-- Messages are not durable, so their transactions need not wait for the log. Sessions of hosts that
-- are gone end soon: the next leader can begin, and no queue of messages grows.
set synchronous_commit = off;
select pg_catalog.set_config(wanted.name, wanted.value, false)
from (
  values
    ('tcp_keepalives_idle', '5'),
    ('tcp_keepalives_interval', '2'),
    ('tcp_keepalives_count', '3'),
    ('tcp_user_timeout', '10000')
) as wanted (name, value)
join pg_catalog.pg_settings as known on known.name = wanted.name;
listen thalweg_live_1;
listen thalweg_live_1_hello
