//! The tables of a database, as Prisma's inspector describes them.

use serde_json::Value as Json;

use super::Location;

/// One JSON text: tables with their columns and indexes, but for Thalweg's own tables.
const POSTGRES: &str = "
SELECT coalesce(json_agg(json_build_object(
  'name', c.relname,
  'columns', (SELECT coalesce(json_agg(json_build_object(
      'name', a.attname,
      'isRequired', a.attnotnull,
      'typeIdentifier', CASE
        WHEN t.typname IN ('text', 'varchar', 'bpchar') THEN 'String'
        WHEN t.typname = 'bool' THEN 'Boolean'
        WHEN t.typname IN ('int2', 'int4', 'int8') THEN 'Int'
        WHEN t.typname IN ('numeric', 'float4', 'float8') THEN 'Float'
        WHEN t.typname IN ('timestamp', 'timestamptz') THEN 'DateTime'
        WHEN t.typname = 'uuid' THEN 'UUID' END,
      'foreignKey', (SELECT json_build_object('table', f.relname, 'column', fa.attname)
        FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
        JOIN pg_attribute fa ON fa.attrelid = f.oid AND fa.attnum = k.confkey[1]
        WHERE k.contype = 'f' AND k.conrelid = c.oid AND k.conkey = ARRAY[a.attnum] LIMIT 1),
      'sequence', (SELECT json_build_object('name', s.sequencename,
          'current', coalesce(s.last_value, s.start_value))
        FROM pg_depend d JOIN pg_class q ON q.oid = d.objid AND q.relkind = 'S'
        JOIN pg_namespace qn ON qn.oid = q.relnamespace
        JOIN pg_sequences s ON s.schemaname = qn.nspname AND s.sequencename = q.relname
        WHERE d.refobjid = c.oid AND d.refobjsubid = a.attnum LIMIT 1)
    ) ORDER BY a.attnum), '[]') FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
  'indexes', (SELECT coalesce(json_agg(json_build_object(
      'name', ic.relname, 'unique', i.indisunique,
      'columns', (SELECT json_agg(ia.attname ORDER BY p.place)
        FROM unnest(i.indkey::int[]) WITH ORDINALITY AS p (attnum, place)
        JOIN pg_attribute ia ON ia.attrelid = c.oid AND ia.attnum = p.attnum)
    ) ORDER BY ic.relname), '[]') FROM pg_index i JOIN pg_class ic ON ic.oid = i.indexrelid
    WHERE i.indrelid = c.oid)
) ORDER BY c.relname), '[]')::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND n.nspname NOT LIKE 'thalweg%' AND c.relname NOT LIKE 'thalweg%'";

impl Location {
    /// A list of tables. Prisma's tests look at tables on PostgreSQL only.
    pub(super) fn tables(&self) -> Result<Json, String> {
        let Self::Postgres(server, name) = self else {
            return Err("the tables of an SQLite file are not looked at".into());
        };
        let rows = server.query(name, POSTGRES).map_err(|error| error.to_string())?;
        let text = rows.into_iter().flatten().flatten().next().ok_or("no tables come")?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }
}
