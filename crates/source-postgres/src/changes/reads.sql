-- $1: relations. The relations that their views and their row security read, with the columns; null for
-- all columns. `is_own`: columns of the row itself of which row security decides who may read it.
with expression (oid, class, object, tree, is_policy) as (
  select rel.oid, 'pg_catalog.pg_rewrite'::regclass, rew.oid, rew.ev_action::text, false
  from pg_catalog.pg_class as rel
  join pg_catalog.pg_rewrite as rew on rew.ev_class = rel.oid and rew.ev_type = '1'
  where rel.oid = any ($1::oid[])
    and rel.relkind = 'v'
  union all
  select rel.oid, 'pg_catalog.pg_policy'::regclass, pol.oid, pol.polqual::text, true
  from pg_catalog.pg_class as rel
  join pg_catalog.pg_policy as pol on pol.polrelid = rel.oid and pol.polcmd in ('r', '*')
  where rel.oid = any ($1::oid[])
    and rel.relrowsecurity
),
read (oid, read, is_own, tree, class, object) as (
  select distinct oid, found[1]::oid, false, tree, class, object
  from expression
  cross join regexp_matches(tree, ':relid ([1-9][0-9]*)', 'g') as found
  -- The tree of a view's rule may contain the view itself.
  where is_policy
    or found[1]::oid <> oid
  union all
  select oid, oid, true, tree, class, object
  from expression
  where is_policy
)
select
  read.oid,
  read.read,
  read.is_own,
  -- Rows as values and system columns are not among the columns of pg_depend, and a change may lack
  -- those that are generated.
  case
    when read.tree ~ ':varattno (0|-)' or columns.is_all then null
    else coalesce(columns.names, '{}')
  end
from read
cross join lateral (
  select
    array_agg(att.attname::text) filter (where att.attnum > 0) as names,
    coalesce(bool_or(att.attnum < 0 or att.attgenerated <> ''), false) as is_all
  from pg_catalog.pg_depend as dep
  join pg_catalog.pg_attribute as att
    on att.attrelid = dep.refobjid and att.attnum = dep.refobjsubid
  where dep.classid = read.class
    and dep.objid = read.object
    and dep.refclassid = 'pg_catalog.pg_class'::regclass
    and dep.refobjid = read.read
) as columns
