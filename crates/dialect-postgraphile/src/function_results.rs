//! Results of functions: values, rows of tables, and records and sets with types of their own.

use catalog::{EntityId, EntityKind, FieldId, Function, FunctionResult, Note, Type};
use graphql::schema::{FieldDefinition, TypeId, TypeRef};
use ir::Form;
use response::Leaf;

use super::Version;
use super::build::{Build, object};
use super::claims::{Claimant, Claims};
use super::connection::{self, Connected};
use super::decomposed;
use super::descriptions;
use super::entity::{Served, column_binding, held_row, rows_of};
use super::functions::left_out;
use super::types::{note_left_out, note_rows_left_out, value_type};
use api::binding::{EntityBinding, ValueShape};

/// The name in cursors of rows without an order of their own.
const NATURAL_CURSOR: &str = "natural";

/// The result of a function's field.
#[derive(Debug)]
pub(super) struct FunctionOutput {
    /// The type of one row, or of the value.
    pub(super) row: TypeRef,
    /// The same as an element of the list of a set.
    pub(super) item: TypeRef,
    /// The connection of a set, if there are connections.
    pub(super) connection: Option<TypeId>,
    /// The entity of the rows.
    pub(super) entity: Option<EntityId>,
    pub(super) shown: OutputForm,
    /// The description of the field where the source has none.
    pub(super) description: Option<String>,
    /// The columns of a function's own rows, with their names.
    pub(super) columns: Vec<(FieldId, String)>,
}

/// The form of a function's result.
#[derive(Debug)]
pub(super) enum OutputForm {
    Value { value: ValueShape, form: Form },
    Row,
    Array,
    Set,
}

/// The results of a function's fields, with the types that they need. `field` is the name of the
/// first of them. A function that may change something is called once, so that its result has no
/// pages and no connection.
pub(super) fn gives(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    function: &Function,
    subject: &str,
    field: &str,
) -> Result<FunctionOutput, Note> {
    let unknown = || {
        let remedy = "let it give a type that can be represented.";
        left_out(subject, "the type of its result cannot be represented.", remedy)
    };
    match &function.result {
        FunctionResult::Nothing => {
            let row = build.scalar("String").ok_or_else(unknown)?;
            // PostgreSQL's text of void is not a text.
            let value = ValueShape::Leaf(Leaf::Literal(b"null".as_slice().into()));
            Ok(value_of(row, value, Form::Stored))
        }
        FunctionResult::Value(field) => {
            let r#type = &build.catalog[*field].r#type;
            let value = value_type(build, r#type).ok_or_else(unknown)?;
            // As in PostGraphile, which decomposes arrays themselves.
            let is_list = matches!(r#type, Type::List(_));
            let form = if is_list && value.is_stored() { Form::OrEmpty } else { value.form };
            Ok(value_of(value.output, value.value, form))
        }
        FunctionResult::Values(only) => {
            let definition = &build.catalog[*only];
            let value = value_type(build, &definition.r#type).ok_or_else(unknown)?;
            build.api.bind_column(*only, column_binding(Some(&value)));
            let binding = EntityBinding {
                natural_cursor: NATURAL_CURSOR.into(),
                value: Some(*only),
                ..EntityBinding::default()
            };
            build.api.bind_entity(definition.entity, binding);
            let item = build.api.schema()[value.output.base].name.to_string();
            let is_composite =
                matches!(build.catalog.base_type(&definition.r#type), Type::Composite(_));
            let item_type = value.output.non_null_if(is_composite && never_null(build));
            let connection = if !function.only_reads() {
                Ok(None)
            } else if is_composite {
                composite_connection(build, function, subject, &item, item_type)
            } else {
                function_connection(build, function, subject, &item, value.output)
            };
            Ok(FunctionOutput {
                row: value.output,
                item: item_type,
                connection: connection?,
                entity: Some(definition.entity),
                shown: OutputForm::Set,
                description: is_composite.then(|| descriptions::reads_connection(&item)),
                columns: Vec::new(),
            })
        }
        FunctionResult::Row(entity)
        | FunctionResult::Rows(entity)
        | FunctionResult::RowArray(entity) => {
            let shown = match function.result {
                FunctionResult::Rows(_) => OutputForm::Set,
                FunctionResult::RowArray(_) => OutputForm::Array,
                _ => OutputForm::Row,
            };
            match build.catalog[*entity].kind {
                EntityKind::Record | EntityKind::Model => {
                    return record(build, function, *entity, shown, subject, field);
                }
                EntityKind::Composite => return parted(build, function, *entity, shown, subject),
                EntityKind::Table
                | EntityKind::View
                | EntityKind::MaterializedView
                | EntityKind::ForeignTable
                | EntityKind::ValueSet
                | EntityKind::Node
                | EntityKind::Edge => {}
            }
            let one = build.places.get(entity).and_then(|place| served.get(*place));
            let Some((one, types)) = one.and_then(|one| Some((one, one.types?))) else {
                let message = "it gives rows of a table that is not served.";
                return Err(left_out(subject, message, "let it give rows of another one."));
            };
            let is_set = matches!(shown, OutputForm::Set);
            Ok(FunctionOutput {
                row: TypeRef::named(types.row),
                item: TypeRef::named(types.row).non_null_if(never_null(build)),
                connection: types.connection,
                entity: Some(*entity),
                shown,
                description: is_set.then(|| descriptions::reads_connection(&one.name)),
                columns: Vec::new(),
            })
        }
    }
}

fn value_of(row: TypeRef, value: ValueShape, form: Form) -> FunctionOutput {
    let shown = OutputForm::Value { value, form };
    let (connection, entity, description, columns) = (None, None, None, Vec::new());
    FunctionOutput { row, item: row, connection, entity, shown, description, columns }
}

/// True if by the options a set contains no null rows.
fn never_null(build: &Build<'_>) -> bool {
    !build.options.setof_functions_contain_nulls
}

/// The values of a decomposed composite.
fn parted(
    build: &mut Build<'_>,
    function: &Function,
    entity: EntityId,
    shown: OutputForm,
    subject: &str,
) -> Result<FunctionOutput, Note> {
    let mut composites = build.catalog.composites();
    let composite = composites.find(|composite| composite.rows == Some(entity));
    let value = composite.and_then(|composite| value_type(build, &Type::Composite(composite.id)));
    let Some(value) = value else {
        let remedy = "let it give a type that can be represented.";
        return Err(left_out(subject, "the type of its result cannot be represented.", remedy));
    };
    let row = value.output;
    let name = build.api.schema()[row.base].name.to_string();
    let is_set = matches!(shown, OutputForm::Set);
    let item = row.non_null_if(is_set && never_null(build));
    let connection = match is_set && function.only_reads() {
        true => composite_connection(build, function, subject, &name, item)?,
        false => None,
    };
    Ok(FunctionOutput {
        row,
        item,
        connection,
        entity: Some(entity),
        shown,
        description: is_set.then(|| descriptions::reads_connection(&name)),
        columns: Vec::new(),
    })
}

/// A type for the rows of a function with its own columns.
fn record(
    build: &mut Build<'_>,
    function: &Function,
    entity: EntityId,
    shown: OutputForm,
    subject: &str,
    field: &str,
) -> Result<FunctionOutput, Note> {
    let name = build.record_type(function.id);
    let mut names = Claims::default();
    let mut columns = Vec::new();
    for (place, column) in build.catalog.fields_of(entity).enumerate() {
        let subject = format!("{subject}.{}", column.name);
        let shown = match value_type(build, &column.r#type) {
            Some(value) => {
                build.api.bind_column(column.id, column_binding(Some(&value)));
                Some((value.output, decomposed::binding(build.catalog, column.id)))
            }
            None => held_row(build, column.id),
        };
        let Some((output, binding)) = shown else {
            match rows_of(&column.r#type) {
                Some(_) => note_rows_left_out(build, &subject),
                None => note_left_out(build, &subject),
            }
            continue;
        };
        // A column without a name has a generated one in the source.
        let is_named = *column.name != *format!("column{}", place + 1);
        let name = build.inflection.argument(is_named.then_some(&column.name), place + 1);
        names.claim(&name, Claimant { subject: &subject, what: "field" })?;
        columns.push((column.id, name, output, binding));
    }
    if columns.is_empty() {
        let message = "none of its columns can be shown.";
        return Err(left_out(subject, message, "let it give another column."));
    }
    build.types.claim(&name, Claimant { subject, what: "type" })?;
    let description = match build.options.version {
        Version::Four => Some(descriptions::function_record(field, function.only_reads()).into()),
        Version::Five => None,
    };
    let Some(row) = build.add_type(&name, description, object(Vec::new())) else {
        return Err(left_out(subject, "its type could not be made.", "rename it."));
    };
    let mut named = Vec::with_capacity(columns.len());
    for (column, name, output, binding) in columns {
        let definition = FieldDefinition::new(&name, output);
        named.push((column, name));
        build.api.add_field(row, definition, binding);
    }
    let natural_cursor = NATURAL_CURSOR.into();
    build.api.bind_entity(entity, EntityBinding { natural_cursor, ..EntityBinding::default() });
    let row = TypeRef::named(row);
    let connection = match shown {
        OutputForm::Set if function.only_reads() => {
            let row = row.non_null_if(never_null(build));
            function_connection(build, function, subject, &name, row)?
        }
        OutputForm::Value { .. } | OutputForm::Row | OutputForm::Array | OutputForm::Set => None,
    };
    let is_set = matches!(shown, OutputForm::Set);
    let description = (is_set && build.options.version == Version::Five)
        .then(|| descriptions::reads_connection(&name));
    // As in PostGraphile, whose lists of records have nullable elements, whatever the options.
    let entity = Some(entity);
    Ok(FunctionOutput { row, item: row, connection, entity, shown, description, columns: named })
}

/// The connection of one function.
fn function_connection(
    build: &mut Build<'_>,
    function: &Function,
    subject: &str,
    item: &str,
    row: TypeRef,
) -> Result<Option<TypeId>, Note> {
    if !build.function_collections(function.id).has_connections() {
        return Ok(None);
    }
    let name = build.function_name(function.id);
    let connected = Connected {
        subject,
        connection: &build.inflection.function_connection_type(name),
        edge: &build.inflection.function_edge_type(name),
        through: None,
        item,
        row,
        has_page_info: build.options.version == Version::Five,
    };
    connection::add_types(build, &connected).map(Some)
}

/// The connection of all functions that return sets of one composite type.
fn composite_connection(
    build: &mut Build<'_>,
    function: &Function,
    subject: &str,
    item: &str,
    row: TypeRef,
) -> Result<Option<TypeId>, Note> {
    if !build.function_collections(function.id).has_connections() {
        return Ok(None);
    }
    if let Some(known) = build.composite_connections.get(&row.base) {
        return Ok(Some(*known));
    }
    let connected = Connected {
        subject,
        connection: &build.inflection.connection_type(item),
        edge: &build.inflection.edge_type(item),
        through: None,
        item,
        row,
        has_page_info: true,
    };
    let connection = connection::add_types(build, &connected)?;
    build.composite_connections.insert(row.base, connection);
    Ok(Some(connection))
}
