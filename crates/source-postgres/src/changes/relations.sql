-- $1, $2: schemas and names of tables and views. These, and all relations that decide what a session
-- reads of them: the relations of views, those of row security, partitions and tables that inherit from
-- another one, with the latter. For each:
--
--   oid, schema, name, kind
--   is_wanted: it is one of the parameters
--   is_sound: a stored table whose changes tell which rows they concern: permanent, not of the
--     system, and without a column whose collation takes different texts for equal ones
--   is_known: its view or its row security calls only functions whose results follow from their
--     arguments and the settings of the session
--   children: partitions, and tables that inherit from it
--
-- The relations and functions of an expression are found in its tree: pg_depend has none of the
-- system.
with recursive wanted (oid) as (
  select rel.oid
  from unnest($1::text[], $2::text[]) as wanted (namespace, name)
  join pg_catalog.pg_namespace as nsp on nsp.nspname = wanted.namespace
  join pg_catalog.pg_class as rel on rel.relnamespace = nsp.oid and rel.relname = wanted.name
  where rel.relkind in ('r', 'p', 'v')
),
relation (oid) as (
  select oid
  from wanted
  union
  select next.oid
  from relation as own
  cross join lateral (
    select inh.inhrelid as oid
    from pg_catalog.pg_inherits as inh
    where inh.inhparent = own.oid
    union all
    select inh.inhparent
    from pg_catalog.pg_inherits as inh
    where inh.inhrelid = own.oid
    union all
    select found[1]::oid
    from pg_catalog.pg_rewrite as rew
    join pg_catalog.pg_class as rel on rel.oid = rew.ev_class
    cross join regexp_matches(rew.ev_action::text, ':relid ([1-9][0-9]*)', 'g') as found
    where rew.ev_class = own.oid
      and rew.ev_type = '1'
      and rel.relkind = 'v'
    union all
    select found[1]::oid
    from pg_catalog.pg_policy as pol
    join pg_catalog.pg_class as rel on rel.oid = pol.polrelid
    cross join regexp_matches(pol.polqual::text, ':relid ([1-9][0-9]*)', 'g') as found
    where pol.polrelid = own.oid
      and pol.polcmd in ('r', '*')
      and rel.relrowsecurity
  ) as next
),
expression (oid, tree, is_policy) as (
  select rel.oid, rew.ev_action::text, false
  from relation
  join pg_catalog.pg_class as rel on rel.oid = relation.oid and rel.relkind = 'v'
  join pg_catalog.pg_rewrite as rew on rew.ev_class = rel.oid and rew.ev_type = '1'
  union all
  select rel.oid, pol.polqual::text, true
  from relation
  join pg_catalog.pg_class as rel on rel.oid = relation.oid and rel.relrowsecurity
  join pg_catalog.pg_policy as pol on pol.polrelid = rel.oid and pol.polcmd in ('r', '*')
),
called (oid, function, is_policy) as (
  select expression.oid, found[1]::oid, expression.is_policy
  from expression
  cross join regexp_matches(
    expression.tree, ':(?:funcid|aggfnoid|winfnoid) ([1-9][0-9]*)', 'g'
  ) as found
  union
  select expression.oid, ope.oprcode::oid, expression.is_policy
  from expression
  cross join regexp_matches(expression.tree, ':opno ([1-9][0-9]*)', 'g') as found
  join pg_catalog.pg_operator as ope on ope.oid = found[1]::oid
),
unknown (oid) as (
  select called.oid
  from called
  left join pg_catalog.pg_proc as pro on pro.oid = called.function
  left join pg_catalog.pg_language as lan on lan.oid = pro.prolang
  where (
    case
      when pro.provolatile = 'i' and pro.oid < 16384 then true
      -- The definition of a function may be wrong: for who may read a row, only code of extensions
      -- is trusted.
      when pro.provolatile = 'i' and pro.prokind in ('f', 'w')
        then not called.is_policy or lan.lanname in ('c', 'internal')
      when pro.provolatile = 's' and pro.oid < 16384 then pro.proname ~ (
        '^(anytextcat|textanycat|array_to_json|array_to_string|concat|concat_ws|format'
        '|current_setting|current_user|session_user|getpgusername|pg_has_role'
        '|date|time|timestamp|timestamptz|make_timestamptz|date_part|date_trunc|extract|overlaps'
        '|(date|timestamp|timestamptz)_(cmp|eq|ge|gt|le|lt|ne)_(date|timestamp|timestamptz)'
        '|in_range|interval_pl_timestamptz|timestamptz_(mi|pl)_interval|generate_series'
        '|jsonb?_(agg|object_agg)(_strict|_unique|_unique_strict)?'
        '|jsonb?_build_(array|object)|to_jsonb?|row_to_json|quote_literal|quote_nullable'
        '|to_char|to_date|to_timestamp|to_number'
        '|to_tsvector|(to|plainto_to|phraseto|plainto|websearch_to)_tsquery|ts_headline|ts_match_t[qt]'
        ')$'
      )
      else false
    end
  ) is not true
  union
  select expression.oid
  from expression
  -- The current time, random rows, and texts that may be 'now'.
  where expression.tree ~ '\{SQLVALUEFUNCTION :op [0-8] '
    or expression.tree ~ '\{(TABLESAMPLECLAUSE|NEXTVALUEEXPR) '
    or (
      expression.tree ~ '\{COERCEVIAIO '
      and expression.tree ~ ':resulttype (1082|1083|1114|1115|1182|1183|1184|1185|1266|1270) '
    )
)
select
  rel.oid,
  nsp.nspname,
  rel.relname,
  rel.relkind::text,
  rel.oid in (select oid from wanted) as is_wanted,
  rel.relkind = 'r'
    and rel.relpersistence = 'p'
    and rel.oid >= 16384
    and not exists (
      select
      from pg_catalog.pg_attribute as att
      join pg_catalog.pg_collation as col on col.oid = att.attcollation
      where att.attrelid = rel.oid
        and not col.collisdeterministic
    ) as is_sound,
  not exists (select from unknown where unknown.oid = rel.oid) as is_known,
  array(
    select inh.inhrelid from pg_catalog.pg_inherits as inh where inh.inhparent = rel.oid
  ) as children
from relation
join pg_catalog.pg_class as rel on rel.oid = relation.oid
join pg_catalog.pg_namespace as nsp on nsp.oid = rel.relnamespace
