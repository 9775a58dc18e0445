-- Whether the database says that a schema was changed.
select count(*) = 2
from pg_event_trigger
where evtname in ('thalweg_watch_ddl', 'thalweg_watch_drop')
  and evtenabled <> 'D'
