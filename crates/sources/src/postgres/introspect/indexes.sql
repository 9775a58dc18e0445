-- $1: oids of relations.
-- Indexes that find rows by equality of plain columns: btree and hash. The column number 0 stands
-- for an expression; the columns behind indnkeyatts are only carried along (INCLUDE). Indexes
-- that belong to a key are left out: the key says the same.
select
  ind.indrelid,
  rel.relname,
  (ind.indkey::int2[])[0:ind.indnkeyatts - 1] as columns,
  ind.indpred is not null as partial
from unnest($1::oid[]) as wanted (oid)
join pg_index as ind on ind.indrelid = wanted.oid
join pg_class as rel on rel.oid = ind.indexrelid
join pg_am as method on method.oid = rel.relam
where ind.indisvalid
  and ind.indisready
  and ind.indislive
  and method.amname in ('btree', 'hash')
  and not 0 = any ((ind.indkey::int2[])[0:ind.indnkeyatts - 1])
  and not exists (
    select
    from pg_constraint as con
    where con.conrelid = ind.indrelid
      and con.conindid = ind.indexrelid
      and con.contype in ('p', 'u')
  )
order by ind.indrelid, rel.relname
