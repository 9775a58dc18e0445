//! Results of the statements, one type per statement. Fields are read by the names of columns.

use catalog::{
    EntityKind, FieldDefault, Generated, IndexUse, KeyKind, Sequence, VectorMetric, Volatility,
    WriteAccess,
};
use relational::literal;
use tokio_postgres::{Error, Row};

/// The OID of the type `text`.
const TEXT: u32 = 25;

/// A row of `namespaces.sql`.
pub(super) struct Namespace {
    pub(super) oid: u32,
    pub(super) name: String,
}

/// A row of `relations.sql`.
pub(super) struct Relation {
    pub(super) oid: u32,
    pub(super) namespace: u32,
    pub(super) name: String,
    pub(super) kind: EntityKind,
    /// The OID of an array of its rows; 0 if there is none.
    pub(super) row_array: u32,
    /// Whether its keys identify all rows that are read of it: no other table inherits from it.
    pub(super) one_table: bool,
    /// Whether its rows are in partitions.
    pub(super) partitioned: bool,
    /// Whether a trigger may change a row before it is written.
    pub(super) triggered: bool,
    /// Changes of its rows that PostgreSQL supports.
    pub(super) access: WriteAccess,
    /// Estimated number of rows; `None` where it is unknown, or must not be disclosed.
    pub(super) estimated_rows: Option<f64>,
    pub(super) description: Option<String>,
}

/// A row of `distribution.sql`.
pub(super) struct DistributedTable {
    pub(super) relation: u32,
    /// Its rows are not divided by a column.
    pub(super) undivided: bool,
    /// All of its rows are on each server.
    pub(super) reference: bool,
    /// The colocation group; 0 if there is none.
    pub(super) colocation: u32,
    /// The number of the distribution column.
    pub(super) number: Option<i16>,
}

/// A row of `columns.sql`: a column of a table, or an attribute of a composite.
pub(super) struct Column {
    pub(super) relation: u32,
    pub(super) number: i16,
    pub(super) name: String,
    pub(super) r#type: u32,
    /// The type modifier, such as length and precision; -1 if there is none.
    pub(super) modifier: i32,
    pub(super) not_null: bool,
    pub(super) has_default: bool,
    pub(super) generated: Option<Generated>,
    /// Whether its collation is deterministic: only equal texts are equal.
    pub(super) deterministic: bool,
    pub(super) description: Option<String>,
}

/// A row of `defaults.sql`.
pub(super) struct ColumnDefault {
    pub(super) relation: u32,
    /// The number of the column.
    pub(super) number: i16,
    /// `None`: an expression that only the database knows.
    pub(super) value: Option<FieldDefault>,
}

/// A row of `constraints.sql`.
pub(super) struct Constraint {
    pub(super) relation: u32,
    pub(super) name: String,
    /// Columns of `relation`.
    pub(super) columns: Vec<i16>,
    pub(super) form: ConstraintForm,
    /// Whether all sessions find the row that a row refers to.
    pub(super) always_found: bool,
    pub(super) description: Option<String>,
}

/// A row of `constraint_comments.sql`.
pub(super) struct ConstraintComment {
    pub(super) namespace: String,
    pub(super) owner: String,
    pub(super) name: String,
    pub(super) description: String,
}

/// The definition of a constraint.
pub(super) enum ConstraintForm {
    Key { kind: KeyKind, deferrable: bool },
    ForeignKey(Target),
}

/// The target of a foreign key.
#[derive(PartialEq, Eq)]
pub(super) struct Target {
    pub(super) relation: u32,
    /// Columns of `relation`, in the order of the constraint's own.
    pub(super) columns: Vec<i16>,
    pub(super) namespace: String,
    pub(super) name: String,
    /// Whether the last columns are compared by containment of periods.
    pub(super) period: bool,
    /// Whether `relation` is a partition, which is never listed.
    pub(super) partition: bool,
}

/// A row of `indexes.sql`.
pub(super) struct Index {
    pub(super) relation: u32,
    pub(super) name: String,
    pub(super) columns: Vec<i16>,
    /// The condition of the rows that it is over, if these are not all.
    pub(super) predicate: Option<String>,
    pub(super) unique: bool,
    pub(super) finds: IndexUse,
}

/// A row of `vector_indexes.sql`.
pub(super) struct VectorIndex {
    pub(super) relation: u32,
    pub(super) column: i16,
    pub(super) dimensions: u16,
    pub(super) metric: VectorMetric,
    /// The namespace of the extension.
    pub(super) namespace: String,
}

/// A row of `partitions.sql`.
pub(super) struct PartitionKey {
    /// The partitioned table.
    pub(super) relation: u32,
    /// The foreign key; `None`: `number` is that of all partitions.
    pub(super) constraint: Option<PartitionConstraint>,
    /// Number of partitions that have it.
    pub(super) number: i64,
}

/// A foreign key of partitions, by the columns of the partitioned table.
pub(super) struct PartitionConstraint {
    pub(super) name: String,
    pub(super) columns: Vec<i16>,
    pub(super) target: Target,
}

/// A row of `functions.sql`.
pub(super) struct Function {
    pub(super) oid: u32,
    pub(super) namespace: u32,
    pub(super) name: String,
    pub(super) volatility: Volatility,
    pub(super) strict: bool,
    /// Whether it returns a set.
    pub(super) set: bool,
    /// Number of inputs with a default, counted from the end.
    pub(super) defaults: usize,
    pub(super) variadic: bool,
    pub(super) overloaded: bool,
    pub(super) parameters: Vec<Parameter>,
    /// The names of types that stand for others.
    pub(super) pseudo: Vec<String>,
    /// The type of its result.
    pub(super) result: u32,
    /// The table whose row the result is, or 0.
    pub(super) result_row: u32,
    /// The table whose rows the elements of the result are, or 0.
    pub(super) element_row: u32,
    pub(super) description: Option<String>,
}

impl Function {
    /// Returns true if it has one argument and one result, both of the type `text`.
    pub(super) fn maps_text_to_text(&self) -> bool {
        let is_text = |parameter: &Parameter| {
            parameter.r#type == TEXT && matches!(parameter.mode, ArgumentMode::In)
        };
        let [argument] = self.parameters.as_slice() else { return false };
        is_text(argument) && self.result == TEXT && !self.set && !self.overloaded
    }
}

/// A parameter or a result column of a function.
pub(super) struct Parameter {
    /// Empty if it has none.
    pub(super) name: String,
    pub(super) r#type: u32,
    pub(super) mode: ArgumentMode,
    /// The table whose row it is, or 0.
    pub(super) row: u32,
}

/// The direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentMode {
    In,
    Out,
    InOut,
    /// A column of RETURNS TABLE.
    Table,
}

/// A row of `types.sql`.
pub(super) struct TypeRow {
    pub(super) oid: u32,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) form: Form,
    /// The OID of an array of such values; 0 if there is none.
    pub(super) array: u32,
    pub(super) has_default: bool,
    /// The extension of the type.
    pub(super) extension: Option<String>,
    pub(super) description: Option<String>,
}

/// The structure of a type.
pub(super) enum Form {
    Base,
    Array { element: u32 },
    Domain { base: u32, modifier: i32, not_null: bool },
    Enum { labels: Vec<String> },
    Composite { relation: u32 },
    Range { subtype: u32 },
    Multirange,
    RowOfTable { relation: u32 },
}

impl Namespace {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self { oid: row.try_get("oid")?, name: row.try_get("nspname")? })
    }
}

impl Relation {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        let changes: i32 = row.try_get("changes")?;
        Ok(Self {
            oid: row.try_get("oid")?,
            namespace: row.try_get("relnamespace")?,
            name: row.try_get("relname")?,
            kind: match letter(row, "relkind")? {
                'v' => EntityKind::View,
                'm' => EntityKind::MaterializedView,
                'f' => EntityKind::ForeignTable,
                // The statement also selects 'r' and 'p'.
                _ => EntityKind::Table,
            },
            row_array: row.try_get("row_array")?,
            one_table: row.try_get("one_table")?,
            partitioned: row.try_get("partitioned")?,
            triggered: row.try_get("triggered")?,
            access: WriteAccess {
                insert: changes & 8 != 0,
                update: changes & 4 != 0,
                delete: changes & 16 != 0,
            },
            estimated_rows: row.try_get("estimated_rows")?,
            description: row.try_get("description")?,
        })
    }
}

impl Function {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        let types: Vec<u32> = row.try_get("types")?;
        let names: Vec<String> = row.try_get("names")?;
        let rows: Vec<u32> = row.try_get("rows")?;
        let modes: &str = row.try_get("modes")?;
        let mut modes = modes.chars();
        let mut names = names.into_iter();
        let parameters = types.into_iter().zip(rows).map(|(r#type, row)| Parameter {
            // Names and modes are missing where no argument has one of its own.
            name: names.next().unwrap_or_default(),
            mode: match modes.next() {
                Some('o') => ArgumentMode::Out,
                Some('b') => ArgumentMode::InOut,
                Some('t') => ArgumentMode::Table,
                Some(_) | None => ArgumentMode::In,
            },
            r#type,
            row,
        });
        let defaults: i16 = row.try_get("pronargdefaults")?;
        Ok(Self {
            oid: row.try_get("oid")?,
            namespace: row.try_get("pronamespace")?,
            name: row.try_get("proname")?,
            volatility: match letter(row, "provolatile")? {
                'i' => Volatility::Immutable,
                's' => Volatility::Stable,
                _ => Volatility::Volatile,
            },
            strict: row.try_get("proisstrict")?,
            set: row.try_get("proretset")?,
            defaults: usize::try_from(defaults).unwrap_or_default(),
            variadic: row.try_get("variadic")?,
            overloaded: row.try_get("overloaded")?,
            parameters: parameters.collect(),
            pseudo: row.try_get("pseudo")?,
            result: row.try_get("prorettype")?,
            result_row: row.try_get("result_row")?,
            element_row: row.try_get("element_row")?,
            description: row.try_get("description")?,
        })
    }
}

impl Column {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        let generated = match (letter(row, "attgenerated")?, letter(row, "attidentity")?) {
            ('s' | 'v', _) => Some(Generated::Stored),
            (_, 'a') => Some(Generated::IdentityAlways),
            (_, 'd') => Some(Generated::IdentityByDefault),
            _ => None,
        };
        Ok(Self {
            relation: row.try_get("attrelid")?,
            number: row.try_get("attnum")?,
            name: row.try_get("attname")?,
            r#type: row.try_get("atttypid")?,
            modifier: row.try_get("atttypmod")?,
            not_null: row.try_get("not_null")?,
            has_default: row.try_get("atthasdef")?,
            generated,
            deterministic: row.try_get("deterministic")?,
            description: row.try_get("description")?,
        })
    }
}

impl DistributedTable {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        let colocation: i32 = row.try_get("colocation")?;
        Ok(Self {
            relation: row.try_get("relation")?,
            undivided: row.try_get("undivided")?,
            reference: row.try_get("reference")?,
            colocation: u32::try_from(colocation).unwrap_or_default(),
            number: row.try_get("number")?,
        })
    }
}

impl ColumnDefault {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        let sequence: Option<&str> = row.try_get("sequence")?;
        let value = match sequence {
            Some(name) => {
                let start = row.try_get("seqstart")?;
                Some(FieldDefault::Sequence(Sequence { name: name.into(), start }))
            }
            None => literal::of_default(row.try_get("expression")?),
        };
        Ok(Self { relation: row.try_get("adrelid")?, number: row.try_get("adnum")?, value })
    }
}

impl ConstraintComment {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            namespace: row.try_get("namespace")?,
            owner: row.try_get("owner")?,
            name: row.try_get("name")?,
            description: row.try_get("description")?,
        })
    }
}

impl Constraint {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        let deferrable = row.try_get("condeferrable")?;
        let form = match letter(row, "contype")? {
            'p' => ConstraintForm::Key { kind: KeyKind::Primary, deferrable },
            'u' => ConstraintForm::Key { kind: KeyKind::Unique, deferrable },
            // The statement also selects 'f'.
            _ => ConstraintForm::ForeignKey(Target {
                relation: row.try_get("confrelid")?,
                columns: row.try_get("confkey")?,
                namespace: row.try_get("target_namespace")?,
                name: row.try_get("target_name")?,
                period: row.try_get("period")?,
                partition: row.try_get("partition")?,
            }),
        };
        Ok(Self {
            relation: row.try_get("conrelid")?,
            name: row.try_get("conname")?,
            columns: row.try_get("conkey")?,
            form,
            always_found: row.try_get("always_found")?,
            description: row.try_get("description")?,
        })
    }
}

impl VectorIndex {
    /// `None` for an index of another distance.
    pub(super) fn from_row(row: &Row) -> Result<Option<Self>, Error> {
        let dimensions: i32 = row.try_get(2)?;
        let metric = match row.try_get::<_, &str>(3)? {
            "vector_l2_ops" => VectorMetric::Euclidean,
            "vector_cosine_ops" => VectorMetric::Cosine,
            "vector_ip_ops" => VectorMetric::DotProduct,
            _ => return Ok(None),
        };
        let Ok(dimensions) = u16::try_from(dimensions) else { return Ok(None) };
        let (relation, column) = (row.try_get(0)?, row.try_get(1)?);
        let namespace = row.try_get(4)?;
        Ok(Some(Self { relation, column, dimensions, metric, namespace }))
    }
}

impl Index {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            relation: row.try_get("indrelid")?,
            name: row.try_get("relname")?,
            columns: row.try_get("columns")?,
            predicate: row.try_get("predicate")?,
            unique: row.try_get("unique")?,
            finds: if row.try_get("equals")? { IndexUse::Equals } else { IndexUse::Other },
        })
    }
}

impl PartitionKey {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        let name: Option<String> = row.try_get("conname")?;
        let constraint = match name {
            None => None,
            Some(name) => Some(PartitionConstraint {
                name,
                columns: row.try_get("columns")?,
                target: Target {
                    relation: row.try_get("confrelid")?,
                    columns: row.try_get("confkey")?,
                    namespace: row.try_get("target_namespace")?,
                    name: row.try_get("target_name")?,
                    period: false,
                    partition: row.try_get("partition")?,
                },
            }),
        };
        Ok(Self { relation: row.try_get("root")?, constraint, number: row.try_get("number")? })
    }
}

impl TypeRow {
    pub(super) fn from_row(row: &Row) -> Result<Self, Error> {
        let element: u32 = row.try_get("element")?;
        let composite: u32 = row.try_get("composite")?;
        let form = match letter(row, "typtype")? {
            'd' => Form::Domain {
                base: row.try_get("typbasetype")?,
                modifier: row.try_get("typtypmod")?,
                not_null: row.try_get("typnotnull")?,
            },
            'e' => Form::Enum { labels: row.try_get("labels")? },
            'c' if composite != 0 => Form::Composite { relation: composite },
            'c' => Form::RowOfTable { relation: row.try_get("row_of")? },
            'r' => Form::Range { subtype: row.try_get("subtype")? },
            'm' => Form::Multirange,
            _ if element != 0 => Form::Array { element },
            _ => Form::Base,
        };
        Ok(Self {
            oid: row.try_get("oid")?,
            namespace: row.try_get("nspname")?,
            name: row.try_get("typname")?,
            form,
            array: row.try_get("typarray")?,
            has_default: row.try_get("has_default")?,
            extension: row.try_get("extname")?,
            description: row.try_get("description")?,
        })
    }
}

/// The type `"char"` of the system catalogs, which write letters in it, and nothing as zero.
fn letter(row: &Row, column: &str) -> Result<char, Error> {
    let byte: i8 = row.try_get(column)?;
    Ok(char::from(byte.to_ne_bytes()[0]))
}
