-- A text that is another once Citus has distributed a table in another way.
select coalesce(
  string_agg(
    concat_ws(
      ' ', part.logicalrelid::oid, part.partmethod, part.partkey, part.colocationid, part.repmodel
    ),
    ', ' order by part.logicalrelid::oid
  ),
  ''
)
from pg_dist_partition as part
