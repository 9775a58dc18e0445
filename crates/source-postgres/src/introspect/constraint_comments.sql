-- Comments of constraints of every kind, of tables and of domains in any schema: what is changed
-- through a view or by a trigger breaks those of other tables, too.
select
  namespace.nspname as namespace,
  coalesce(relation.relname, type.typname) as owner,
  con.conname as name,
  comment.description
from pg_description as comment
join pg_constraint as con on con.oid = comment.objoid
join pg_namespace as namespace on namespace.oid = con.connamespace
left join pg_class as relation on relation.oid = con.conrelid
left join pg_type as type on type.oid = con.contypid
where comment.classoid = 'pg_constraint'::regclass
  and coalesce(relation.relname, type.typname) is not null
order by 1, 2, 3
