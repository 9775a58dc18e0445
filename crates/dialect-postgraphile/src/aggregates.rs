//! Aggregates of connections, as in the plugin pg-aggregates: `aggregates` and `groupedAggregates`.
//!
//! The plugin has functions for types that PostgreSQL has no such function for, and groups by
//! columns that cannot be compared; these are in the schema here as well, and fail when used.

use catalog::{Scalar, Type};
use graphql::schema::{
    EnumValueDefinition, FieldDefinition, TypeDefinition, TypeId, TypeKind, TypeRef,
};
use ir::{AggregateFunction, Form, TimeUnit};
use response::Leaf;

use super::api_types::{AggregateTypes, FUNCTIONS};
use super::build::{Build, field, input, object};
use super::claims::{Claimant, Claims};
use super::entity::{Column, Served};
use super::scalars::object_identifier;
use super::tags::deprecation;
use super::tags::omit::Action;
use super::{aggregate_conditions, descriptions};
use api::binding::{
    AggregateField, AggregateValue, ArgumentRole, ConnectionField, FieldBinding, FilterRole,
    GroupBy, InputBinding, ValueBinding, ValueShape,
};

/// A function of the plugin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Specification {
    pub(super) function: AggregateFunction,
    /// Its field.
    pub(super) name: &'static str,
    /// Its name in descriptions.
    pub(super) label: &'static str,
}

const HAVING_WITHOUT_KEYS: &str = "Must not provide having without also providing groupBy";

/// The functions, in the plugin's order.
pub(super) const SPECIFICATIONS: [Specification; FUNCTIONS] = [
    specification(AggregateFunction::Total, "sum", "Sum"),
    specification(AggregateFunction::DistinctCount, "distinctCount", "Distinct count"),
    specification(AggregateFunction::Minimum, "min", "Minimum"),
    specification(AggregateFunction::Maximum, "max", "Maximum"),
    specification(AggregateFunction::Average, "average", "Mean average"),
    specification(
        AggregateFunction::StandardDeviationSample,
        "stddevSample",
        "Sample standard deviation",
    ),
    specification(
        AggregateFunction::StandardDeviationPopulation,
        "stddevPopulation",
        "Population standard deviation",
    ),
    specification(AggregateFunction::VarianceSample, "varianceSample", "Sample variance"),
    specification(
        AggregateFunction::VariancePopulation,
        "variancePopulation",
        "Population variance",
    ),
];

const fn specification(
    function: AggregateFunction,
    name: &'static str,
    label: &'static str,
) -> Specification {
    Specification { function, name, label }
}

/// The aggregate of a column's values by a function.
#[derive(Clone, Debug)]
pub(super) struct Computable {
    pub(super) r#type: TypeRef,
    pub(super) leaf: Leaf,
    pub(super) form: Form,
    /// The type of the result in the database.
    pub(super) stored: Type,
    /// The JSON text without values.
    pub(super) absent: Option<&'static str>,
}

/// An aggregate of the plugin.
#[derive(Debug)]
pub(super) struct PluginAggregate {
    pub(super) r#type: TypeRef,
    /// The type of the result in the database.
    pub(super) stored: Type,
    /// `None` if the database has no such function; then its use is an error.
    pub(super) made: Option<Computable>,
}

impl From<Computable> for PluginAggregate {
    fn from(made: Computable) -> Self {
        Self { r#type: made.r#type, stored: made.stored.clone(), made: Some(made) }
    }
}

/// Adds the fields of aggregates to another connection of an entity.
pub(super) fn add_to(build: &mut Build<'_>, one: &Served<'_>, connection: TypeId) {
    if let Some(types) = build.aggregates.get(&one.entity.id).copied() {
        add_fields(build, one, connection, types);
    }
}

/// True if an entity has aggregates.
pub(super) fn has_aggregates(build: &Build<'_>, one: &Served<'_>) -> bool {
    let options = build.options;
    options.aggregates
        && match build.entity_tags(one.entity.id).text("aggregates") {
            Some("off") => false,
            Some("on") => true,
            _ => !options.disable_aggregates_by_default,
        }
}

/// Adds the fields of aggregates to the connection of an entity, with their types.
pub(super) fn add(build: &mut Build<'_>, one: &Served<'_>, connection: TypeId) {
    if !has_aggregates(build, one) {
        return;
    }
    let Some(types) = add_types(build, one) else { return };
    build.aggregates.insert(one.entity.id, types);
    add_fields(build, one, connection, types);
}

fn add_fields(build: &mut Build<'_>, one: &Served<'_>, connection: TypeId, types: AggregateTypes) {
    let container = TypeRef::named(types.container);
    let definition = field("aggregates", descriptions::AGGREGATES, container);
    let binding = FieldBinding::Connection(ConnectionField::Aggregates);
    build.api.add_field(connection, definition, binding);
    let Some(group_by) = types.group_by else { return };
    let groups = container.non_null().list();
    let definition = field("groupedAggregates", descriptions::GROUPED_AGGREGATES, groups);
    let binding = FieldBinding::Connection(ConnectionField::Groups);
    let groups = build.api.add_field(connection, definition, binding);
    let keys = TypeRef::named(group_by).non_null().list().non_null();
    let definition = input("groupBy", &descriptions::group_by(&one.name), keys);
    let role = ArgumentRole::GroupBy { unkeyed: HAVING_WITHOUT_KEYS.into() };
    build.api.add_argument(groups, definition, InputBinding::lenient(role));
    if let Some(having) = types.having {
        let definition = input("having", descriptions::HAVING, TypeRef::named(having));
        build.api.add_argument(groups, definition, InputBinding::lenient(FilterRole::Conditions));
    }
}

fn add_types(build: &mut Build<'_>, one: &Served<'_>) -> Option<AggregateTypes> {
    let subject = build.entity_name(one.entity.id);
    let table = build.table_name(one.entity.id);
    let name = build.inflection.aggregates_type(table);
    let container = claim(build, &subject, &name, object(Vec::new()), None)?;
    let string = build.scalar("String")?;
    let keys = FieldDefinition::new("keys", string.non_null().list());
    build.api.add_field(container, keys, FieldBinding::Aggregate(AggregateField::Keys));
    let mut functions = [None; SPECIFICATIONS.len()];
    for (specification, known) in SPECIFICATIONS.into_iter().zip(&mut functions) {
        let offered: Vec<(&Column, PluginAggregate)> = one
            .columns
            .iter()
            .filter_map(|column| Some((column, offered(build, column, specification.function)?)))
            .collect();
        if offered.is_empty() {
            continue;
        }
        *known = add_function(build, one, container, specification);
        let Some(aggregates) = *known else { continue };
        for (column, PluginAggregate { r#type, made, .. }) in offered {
            let description = descriptions::aggregated(specification.label, &column.name);
            let r#type = r#type.non_null_if(specification.is_never_null());
            let values = made.map(|made| value(specification.function, column, made));
            let values: Vec<AggregateValue> = values.into_iter().collect();
            let binding = FieldBinding::Aggregate(AggregateField::Value(values.into()));
            let deprecated = deprecation(build.field_tags(column.field));
            let definition =
                FieldDefinition { deprecated, ..field(&column.name, &description, r#type) };
            build.api.add_field(aggregates, definition, binding);
        }
    }
    let group_by = add_group_by(build, one);
    let mut conditions = [None; SPECIFICATIONS.len()];
    let having =
        group_by.and_then(|_| aggregate_conditions::add_having(build, one, &mut conditions));
    Some(AggregateTypes { container, group_by, having, functions, conditions })
}

/// Adds the type of a function's aggregates of the rows, and its field.
pub(super) fn add_function(
    build: &mut Build<'_>,
    one: &Served<'_>,
    container: TypeId,
    specification: Specification,
) -> Option<TypeId> {
    let subject = build.entity_name(one.entity.id);
    let table = build.table_name(one.entity.id);
    let name = build.inflection.aggregate_type(table, specification.name);
    let values = claim(build, &subject, &name, object(Vec::new()), None)?;
    let description = descriptions::aggregates_by(specification.label);
    let deprecated = deprecation(build.entity_tags(one.entity.id));
    let r#type = TypeRef::named(values);
    let definition =
        FieldDefinition { deprecated, ..field(specification.name, &description, r#type) };
    let binding = AggregateField::Function(specification.function);
    build.api.add_field(container, definition, FieldBinding::Aggregate(binding));
    Some(values)
}

impl Specification {
    /// The function's name in PostgreSQL.
    fn database_name(self) -> &'static str {
        match self.function {
            AggregateFunction::Total => "sum",
            AggregateFunction::Minimum => "min",
            AggregateFunction::Maximum => "max",
            AggregateFunction::Average => "avg",
            AggregateFunction::StandardDeviationSample => "stddev_samp",
            AggregateFunction::StandardDeviationPopulation => "stddev_pop",
            AggregateFunction::VarianceSample => "var_samp",
            AggregateFunction::VariancePopulation => "var_pop",
            _ => "count",
        }
    }

    /// The error where the function does not accept the values of a column.
    pub(super) fn refusal(self, column: &str) -> Box<str> {
        let function = self.database_name();
        format!("the function {function} does not take values of the type of {column}").into()
    }

    /// The plugin replaces null by zero in sums only.
    fn is_never_null(self) -> bool {
        self.function == AggregateFunction::Total
    }
}

fn value(function: AggregateFunction, column: &Column, made: Computable) -> AggregateValue {
    let Computable { leaf, form, absent, .. } = made;
    let absent = absent.map(|text| text.as_bytes().into());
    AggregateValue { function, field: Some(column.field), leaf, form, absent }
}

/// Adds a type, if its name is free.
pub(super) fn claim(
    build: &mut Build<'_>,
    subject: &str,
    name: &str,
    kind: TypeKind,
    description: Option<Box<str>>,
) -> Option<TypeId> {
    if let Err(note) = build.types.claim(name, Claimant { subject, what: "type of aggregates" }) {
        build.note(note);
        return None;
    }
    build.api.add_type(TypeDefinition {
        name: name.into(),
        description: description.map(Into::into),
        kind,
    })
}

/// Adds the enum of group keys: columns that are not unique by themselves, and of moments the hour
/// and the day. Columns that the database cannot compare are errors.
fn add_group_by(build: &mut Build<'_>, one: &Served<'_>) -> Option<TypeId> {
    let is_unique = |column: &&Column| one.entity.is_unique_alone(column.field);
    let grouped: Vec<&Column> =
        one.offered(build, Action::Order).filter(|column| !is_unique(column)).collect();
    if grouped.is_empty() || !build.offers_entity(one.entity.id, Action::Order) {
        return None;
    }
    let subject = build.entity_name(one.entity.id);
    let name = build.inflection.group_by_type(build.table_name(one.entity.id));
    let kind = TypeKind::Enum { values: Vec::new() };
    let description = descriptions::group_by_type(&one.name);
    let r#type = claim(build, &subject, &name, kind, Some(description.into()))?;
    let mut names = Claims::default();
    for column in grouped {
        let base = build.catalog.base_type(&build.catalog[column.field].r#type).clone();
        let key = |unit| match column.value.ordered {
            true => {
                ValueBinding::GroupBy(GroupBy { field: column.field, unit, leaf: key_leaf(&base) })
            }
            false => ValueBinding::Refused(refusal(&column.value.database_name)),
        };
        let subject = build.field_name(column.field);
        let column_name = build.column_name(column.field);
        let mut values = vec![(build.inflection.group_by_value(column_name), key(None))];
        if is_moment(build, &base) {
            for (ending, unit) in
                [("truncated-to-hour", TimeUnit::Hour), ("truncated-to-day", TimeUnit::Day)]
            {
                let name = build.inflection.group_by_part(column_name, ending);
                values.push((name, key(Some(unit))));
            }
        }
        for (name, binding) in values {
            match names.claim(&name, Claimant { subject: &subject, what: "group" }) {
                Ok(()) => {
                    let definition = EnumValueDefinition::new(&name);
                    build.api.add_enum_value(r#type, definition, binding);
                }
                Err(note) => build.note(note),
            }
        }
    }
    Some(r#type)
}

/// PostgreSQL's error where it cannot compare.
fn refusal(database_name: &str) -> Box<str> {
    format!("could not identify an equality operator for type {database_name}").into()
}

/// True if the database can truncate values of a type to hours.
fn is_moment(build: &Build<'_>, base: &Type) -> bool {
    match base {
        Type::Scalar(Scalar::Timestamp) => true,
        Type::Scalar(Scalar::TimestampWithZone) => build.catalog.capabilities().time_zones,
        _ => false,
    }
}

/// The output of a key's text. Where the source stores numbers in more than one form, the type
/// decides.
fn key_leaf(base: &Type) -> Leaf {
    match base {
        Type::Scalar(Scalar::Decimal { scale, .. }) => Leaf::Decimal { scale: *scale },
        Type::Scalar(Scalar::Int16 | Scalar::Int32 | Scalar::Int64) => Leaf::BigInt,
        Type::Scalar(Scalar::Float32 | Scalar::Float64) => Leaf::FloatText,
        Type::Scalar(Scalar::Uuid) => Leaf::Uuid,
        Type::Scalar(Scalar::Bytes) => Leaf::Bytes,
        _ => Leaf::Any,
    }
}

/// The database's type for a scalar of the API.
fn stored(name: &str) -> Type {
    Type::Scalar(match name {
        "BigInt" => Scalar::Int64,
        "Float" => Scalar::Float64,
        _ => Scalar::Decimal { precision: None, scale: None },
    })
}

/// The plugin's aggregate of a column's values; `None` if it has none.
pub(super) fn offered(
    build: &mut Build<'_>,
    column: &Column,
    function: AggregateFunction,
) -> Option<PluginAggregate> {
    if let Some(made) = made(build, column, function) {
        return Some(made.into());
    }
    let (r#type, stored) = match function {
        AggregateFunction::DistinctCount => (build.scalar("BigInt")?, stored("BigInt")),
        _ if !is_available(build, function) || !is_number_like(build, column) => return None,
        AggregateFunction::Minimum | AggregateFunction::Maximum => {
            (column.value.output, build.catalog[column.field].r#type.clone())
        }
        _ => (build.scalar("BigFloat")?, stored("BigFloat")),
    };
    Some(PluginAggregate { r#type, stored, made: None })
}

/// True if the database has a function at all.
pub(super) fn is_available(build: &Build<'_>, function: AggregateFunction) -> bool {
    match function {
        AggregateFunction::StandardDeviationSample
        | AggregateFunction::StandardDeviationPopulation
        | AggregateFunction::VarianceSample
        | AggregateFunction::VariancePopulation => build.catalog.capabilities().statistics,
        _ => true,
    }
}

/// True if PostgreSQL counts values among the numbers, though it has few functions for them: money,
/// and the ids of the database's own objects.
fn is_number_like(build: &Build<'_>, column: &Column) -> bool {
    match build.catalog.base_type(&build.catalog[column.field].r#type) {
        Type::Scalar(Scalar::Money | Scalar::ObjectId) => true,
        Type::Scalar(Scalar::Other(name)) => {
            object_identifier(name).is_some() || &**name == "regcollation"
        }
        _ => false,
    }
}

/// The number of distinct values.
pub(super) fn count(build: &mut Build<'_>) -> Option<Computable> {
    Some(Computable {
        r#type: build.scalar("BigInt")?,
        leaf: Leaf::BigInt,
        form: Form::Stored,
        stored: stored("BigInt"),
        absent: Some(r#""0""#),
    })
}

/// The aggregate of a column's values by a function; `None` if it does not accept them.
pub(super) fn made(
    build: &mut Build<'_>,
    column: &Column,
    function: AggregateFunction,
) -> Option<Computable> {
    let field_type = &build.catalog[column.field].r#type;
    // For the plugin, a domain is an unknown number.
    let is_domain = matches!(field_type, Type::Domain(_));
    let base = match build.catalog.base_type(field_type) {
        Type::Scalar(scalar) => Some(scalar.clone()),
        _ => None,
    };
    match function {
        AggregateFunction::DistinctCount if column.value.ordered => count(build),
        AggregateFunction::DistinctCount => None,
        AggregateFunction::Minimum | AggregateFunction::Maximum => match base? {
            Scalar::Int16
            | Scalar::Int32
            | Scalar::Int64
            | Scalar::Float32
            | Scalar::Float64
            | Scalar::Decimal { .. }
            | Scalar::Money
            | Scalar::ObjectId => {
                let leaf = match column.value.value.clone() {
                    ValueShape::Leaf(Leaf::Decimal { .. }) => Leaf::Digits,
                    ValueShape::Leaf(leaf) => leaf,
                    _ => return None,
                };
                let (r#type, form) = (column.value.output, column.value.form);
                Some(Computable { r#type, leaf, form, stored: field_type.clone(), absent: None })
            }
            _ => None,
        },
        AggregateFunction::Total => {
            let (name, leaf) = match (base?, is_domain) {
                (Scalar::Int16 | Scalar::Int32, false) => ("BigInt", Leaf::BigInt),
                (Scalar::Float32 | Scalar::Float64 | Scalar::Money, false) => {
                    ("Float", Leaf::Float)
                }
                (Scalar::Float32 | Scalar::Float64 | Scalar::Money, true) => {
                    ("BigFloat", Leaf::FloatText)
                }
                (Scalar::Int16 | Scalar::Int32 | Scalar::Int64 | Scalar::Decimal { .. }, _) => {
                    ("BigFloat", Leaf::Digits)
                }
                _ => return None,
            };
            let absent = Some(if name == "Float" { "0" } else { r#""0""# });
            let r#type = build.scalar(name)?;
            let (form, stored) = (column.value.form, stored(name));
            Some(Computable { r#type, leaf, form, stored, absent })
        }
        _ if !is_available(build, function) => None,
        _ => {
            // Rounded values have the digits of a double, as in the plugin.
            let (name, leaf) = match (base?, is_domain) {
                (Scalar::Float32 | Scalar::Float64, false) => ("Float", Leaf::Float),
                (
                    Scalar::Float32
                    | Scalar::Float64
                    | Scalar::Int16
                    | Scalar::Int32
                    | Scalar::Int64
                    | Scalar::Decimal { .. },
                    _,
                ) => ("BigFloat", Leaf::FloatText),
                _ => return None,
            };
            let r#type = build.scalar(name)?;
            let (form, stored) = (Form::Stored, stored(name));
            Some(Computable { r#type, leaf, form, stored, absent: None })
        }
    }
}
