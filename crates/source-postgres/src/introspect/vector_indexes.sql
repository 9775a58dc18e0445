-- $1: oids of relations. Indexes of the extension pgvector that find the nearest vectors of a list of
-- floats: over the list as a vector of one length, of all rows whose list has this length.
select
  ind.indrelid,
  col.attnum,
  own.atttypmod as dimensions,
  opc.opcname,
  nsp.nspname
from unnest($1::oid[]) as wanted (oid)
join pg_index as ind on ind.indrelid = wanted.oid
join pg_class as rel on rel.oid = ind.indexrelid
-- With row security the rows that a session may not see would be among the nearest of an index.
join pg_class as tab on tab.oid = ind.indrelid and not tab.relrowsecurity
join pg_am as method on method.oid = rel.relam and method.amname = 'hnsw'
join pg_attribute as own on own.attrelid = ind.indexrelid and own.attnum = 1
join pg_type as typ on typ.oid = own.atttypid and typ.typname = 'vector'
join pg_namespace as nsp on nsp.oid = typ.typnamespace
join pg_opclass as opc on opc.oid = ind.indclass[0]
join pg_attribute as col on col.attrelid = ind.indrelid
where ind.indisvalid
  and ind.indisready
  and ind.indislive
  and ind.indnatts = 1
  and own.atttypmod between 1 and 2000
  and col.attnum > 0
  and col.atttypid = 'float8[]'::regtype
  and pg_get_expr(ind.indexprs, ind.indrelid)
    = format('(%I)::%I.vector(%s)', col.attname, nsp.nspname, own.atttypmod)
  and pg_get_expr(ind.indpred, ind.indrelid)
    = format('(cardinality(%I) = %s)', col.attname, own.atttypmod)
order by ind.indrelid, rel.relname
