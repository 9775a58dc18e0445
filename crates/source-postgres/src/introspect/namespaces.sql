-- All of them, so that an unknown name can be answered with those that exist.
select oid, nspname
from pg_namespace
order by nspname
