-- $1: oids of relations, tables and composite types alike.
-- PostgreSQL 18 sets attnotnull for a constraint that is not validated yet, too: such a column
-- may still hold nulls. Older versions have no constraints of the type 'n'.
select
  att.attrelid,
  att.attnum,
  att.attname,
  att.atttypid,
  att.atttypmod,
  att.attnotnull and not exists (
    select 1
    from pg_constraint as con
    where con.conrelid = att.attrelid
      and con.contype = 'n'
      and con.conkey[1] = att.attnum
      and not con.convalidated
  ) as not_null,
  att.atthasdef,
  att.attidentity,
  att.attgenerated,
  coalesce(coll.collisdeterministic, true) as deterministic,
  comment.description
from unnest($1::oid[]) as wanted (oid)
join pg_attribute as att on att.attrelid = wanted.oid
left join pg_collation as coll on coll.oid = att.attcollation
left join pg_description as comment
  on comment.objoid = att.attrelid
  and comment.classoid = 'pg_class'::regclass
  and comment.objsubid = att.attnum
where att.attnum > 0
  and not att.attisdropped
order by att.attrelid, att.attnum
