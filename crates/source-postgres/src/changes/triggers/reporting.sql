-- $1: tables. Those with triggers for all changes.
select tri.tgrelid
from pg_catalog.pg_trigger as tri
join pg_catalog.pg_proc as pro on pro.oid = tri.tgfoid
join pg_catalog.pg_namespace as nsp on nsp.oid = pro.pronamespace
where tri.tgrelid = any ($1::oid[])
  and nsp.nspname = 'thalweg_live'
  and pro.proname = 'notify'
  and tri.tgenabled in ('O', 'A')
  -- After a statement: insert, delete, update and truncate.
  and tri.tgtype & 67 = 0
group by tri.tgrelid
having bit_or(tri.tgtype) & 60 = 60
