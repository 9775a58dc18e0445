-- $1: relations. The tables that Citus knows: h, by the hash of a column (or r and a, by its ranges); n,
-- by none, on each server (t), or on one of a group. The column stands in the text of an expression.
select
  part.logicalrelid::oid as relation,
  part.partmethod = 'n' as undivided,
  part.repmodel = 't' as reference,
  part.colocationid::int4 as colocation,
  substring(part.partkey from ':varattno ([0-9]+)')::int2 as number
from pg_dist_partition as part
where part.logicalrelid = any ($1::oid[])
