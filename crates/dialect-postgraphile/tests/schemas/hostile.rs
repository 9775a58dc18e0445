//! Catalogs whose names are chosen to collide with each other and with the API's own.

use std::collections::HashSet;

use api::Api;
use catalog::{Attribute, Catalog, EnumLabel, Scalar, Type};
use dialect_postgraphile::{FilterOptions, Options, SimpleCollections, SimplifiedNames};
use graphql::schema::{TypeId, TypeKind};

use crate::tables::Tables;

const PARTS: [&str; 48] = [
    "post",
    "posts",
    "person",
    "people",
    "query",
    "node",
    "id",
    "_",
    "__",
    "1",
    "é",
    "имя",
    "-",
    "%",
    "\"",
    "Connection",
    "condition",
    "s",
    "Edge",
    "order_by",
    "cursor",
    "page_info",
    "date",
    "A",
    "String",
    "range",
    "bound",
    "☂",
    "natural",
    "primary_key",
    "asc",
    "input",
    "a_b",
    "iD",
    "patch",
    "filter",
    "client_mutation_id",
    "node_id",
    "nodeId",
    "at_most",
    "and",
    "subscription",
    "mutation",
    "big_int",
    "interval",
    "point",
    "_input",
    "files",
];

/// The same numbers for the same seed (Knuth's linear congruential generator).
#[derive(Debug)]
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound
    }

    fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    fn name(&mut self) -> String {
        // Whole names often: those that mean something to the API clash.
        let parts = [1, 1, 1, 2, 2, 3][self.below(6)];
        (0..parts).map(|_| *self.one_of(&PARTS)).collect()
    }
}

pub(crate) fn catalog(seed: u64) -> Catalog {
    let mut numbers = Numbers(seed);
    let mut tables = Tables::default();
    // Not always all: a name is free as long as no value needs it.
    let scalars = [
        Scalar::Int32,
        Scalar::Json,
        Scalar::Interval,
        Scalar::Money,
        Scalar::Time,
        Scalar::Int64,
        Scalar::Inet,
        Scalar::KeyValue,
        Scalar::Point,
        Scalar::Text,
    ];
    let scalars = &scalars[numbers.below(4)..][..3 + numbers.below(4)];
    let mut types: Vec<Type> = scalars.iter().cloned().map(Type::Scalar).collect();
    for _ in 0..4 {
        let labels = (0..numbers.below(5))
            .map(|_| EnumLabel { label: numbers.name().into(), description: None })
            .collect();
        let name = numbers.name().into();
        types.push(Type::Enum(tables.builder.r#enum(None, name, labels, None)));
        let base = numbers.one_of(&types).clone();
        let domain = tables.builder.domain(None, numbers.name().into(), base, false, None);
        types.push(Type::Domain(domain));
        let element = numbers.one_of(&types).clone();
        types.push(Type::Range(tables.builder.range(None, numbers.name().into(), element)));
        types.push(Type::List(Box::new(numbers.one_of(&types).clone())));
    }
    let mut targets = Vec::new();
    for _ in 0..8 {
        let mut taken = HashSet::new();
        let names: Vec<String> = (0..=numbers.below(5)).map(|_| numbers.name()).collect();
        let columns: Vec<(&str, Type, bool)> = names
            .iter()
            .filter(|name| taken.insert(name.as_str()))
            .map(|name| (name.as_str(), numbers.one_of(&types).clone(), false))
            .collect();
        let namespace = *numbers.one_of(&["app", "app", "other"]);
        let table = tables.table_in(namespace, &numbers.name(), &columns);
        let first = columns[0].0;
        tables.primary(table, &[first]);
        for _ in 0..numbers.below(3) {
            let unique = numbers.one_of(&columns).0;
            tables.unique(table, &[unique]);
        }
        let last = columns[columns.len() - 1].0;
        targets.push((table, String::from(first)));
        let (target, key) = numbers.one_of(&targets).clone();
        tables.foreign(table, &[last], target, &[&key]);
    }
    tables.finish()
}

/// Options with which other names are formed, and other types.
pub(crate) fn option_sets() -> Vec<Options> {
    let usual = Options::default();
    let simplified_names = Some(SimplifiedNames::default());
    let both = SimpleCollections::Both;
    let filter = FilterOptions { relations: true, ..FilterOptions::default() };
    vec![
        usual.clone(),
        Options { disable_default_mutations: true, simple_collections: both, ..usual.clone() },
        Options { simple_collections: SimpleCollections::Only, ..usual.clone() },
        Options { simplified_names, simple_collections: both, ..usual.clone() },
        Options {
            aggregates: true,
            connection_filter: Some(filter),
            many_to_many: true,
            ..usual.clone()
        },
        Options {
            upsert_mutations: true,
            bulk_mutations: Some(9),
            nested_mutations: Some(9),
            simple_collections: both,
            ..usual.clone()
        },
        Options {
            simplified_names,
            classic_ids: true,
            aggregates: true,
            geometric_types: true,
            network_scalars: true,
            ..usual.clone()
        },
        Options {
            node_ids: false,
            dynamic_json: true,
            live: true,
            simple_subscriptions: true,
            ..usual
        },
    ]
}

/// A catalog with one thing whose name is that of a type which PostGraphile has, or may have; `used`:
/// beside a table with values of all types.
pub(crate) fn with_reserved(kind: &str, name: &str, used: bool) -> Catalog {
    let mut tables = Tables::default();
    let int = || Type::Scalar(Scalar::Int32);
    let namespace = Tables::namespace();
    let r#type = match kind {
        "table" => {
            let table = tables.table(name, &[("id", int(), false), ("v", int(), true)]);
            tables.primary(table, &["id"]);
            None
        }
        "enum" => {
            let labels =
                ["a", "b"].map(|label| EnumLabel { label: label.into(), description: None });
            let labels = labels.into();
            Some(Type::Enum(tables.builder.r#enum(namespace, name.into(), labels, None)))
        }
        "domain" => {
            let domain = tables.builder.domain(namespace, name.into(), int(), false, None);
            Some(Type::Domain(domain))
        }
        "composite" => {
            let composite = tables.builder.composite(namespace, name.into(), None);
            let attribute =
                |name: &str, r#type| Attribute { name: name.into(), r#type, description: None };
            let text = Type::Scalar(Scalar::Text);
            let attributes = vec![attribute("x", int()), attribute("y", text)];
            tables.builder.set_attributes(composite, attributes);
            Some(Type::Composite(composite))
        }
        _ => panic!("a kind that is not known: {kind}"),
    };
    if let Some(r#type) = r#type {
        let table = tables.table("h", &[("id", int(), false), ("v", r#type, true)]);
        tables.primary(table, &["id"]);
    }
    if used {
        let scalars = [
            Scalar::Int64,
            Scalar::Inet,
            Scalar::KeyValue,
            Scalar::Json,
            Scalar::Uuid,
            Scalar::Date,
            Scalar::Time,
            Scalar::TimestampWithZone,
            Scalar::Interval,
            Scalar::Point,
            Scalar::Decimal { precision: None, scale: None },
            Scalar::Bit,
            Scalar::Other("regclass".into()),
            Scalar::Other("regproc".into()),
            Scalar::Cidr,
            Scalar::MacAddress,
            Scalar::Float64,
            Scalar::Text,
            Scalar::Boolean,
        ];
        let names: Vec<String> = (0..scalars.len()).map(|place| format!("c{place}")).collect();
        let mut columns = vec![("id", int(), false)];
        for (name, scalar) in names.iter().zip(scalars) {
            columns.push((name, Type::Scalar(scalar), true));
        }
        for (name, scalar) in [("q", Scalar::Int64), ("r", Scalar::TimestampWithZone)] {
            let range = tables.builder.range(None, name.into(), Type::Scalar(scalar));
            columns.push((name, Type::Range(range), true));
        }
        let table = tables.table("u", &columns);
        tables.primary(table, &["id"]);
    }
    tables.finish()
}

/// Whether a thing is served by its own type.
pub(crate) fn serves(api: &Api, kind: &str, type_name: &str) -> bool {
    let schema = &api.schema;
    let Some(found) = schema.find_type(type_name) else { return false };
    let fields = |r#type: TypeId| match &schema[r#type].kind {
        TypeKind::Object { fields, .. } => fields.clone(),
        _ => Vec::new(),
    };
    match kind {
        "table" => fields(found).iter().any(|field| &*schema[*field].name == "v"),
        _ => {
            let table = schema.find_type("H").map(fields).unwrap_or_default();
            let mut column = table.iter().filter(|field| &*schema[**field].name == "v");
            let value = column.next().map(|field| schema[*field].r#type.base);
            // Every API has these, whatever is called so.
            if ["Int", "Float", "String", "Boolean", "ID"].contains(&type_name) {
                return false;
            }
            let is_its_own = match (kind, &schema[found].kind) {
                ("enum", kind) => matches!(kind, TypeKind::Enum { .. }),
                ("domain", kind) => matches!(kind, TypeKind::Scalar),
                (_, kind) => matches!(kind, TypeKind::Object { .. }),
            };
            value == Some(found) && is_its_own
        }
    }
}

/// What is wrong with the names of a schema.
pub(crate) fn faults(api: &Api) -> Vec<String> {
    let schema = &api.schema;
    let mut faults = Vec::new();
    for (_, definition) in schema.types() {
        let members: Vec<&str> = match &definition.kind {
            TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => {
                for field in fields {
                    let arguments = &schema[*field].arguments;
                    let names: Vec<&str> =
                        arguments.iter().map(|argument| &*schema[*argument].name).collect();
                    check(&schema[*field].name, &names, &mut faults);
                }
                fields.iter().map(|field| &*schema[*field].name).collect()
            }
            TypeKind::Enum { values } => values.iter().map(|value| &*schema[*value].name).collect(),
            TypeKind::InputObject { fields } => {
                fields.iter().map(|field| &*schema[*field].name).collect()
            }
            TypeKind::Scalar => vec![&*definition.name],
            TypeKind::Union { .. } => Vec::new(),
        };
        if members.is_empty() {
            faults.push(format!("{} is empty", definition.name));
        }
        check(&definition.name, &members, &mut faults);
        check("a type", &[&*definition.name], &mut faults);
    }
    faults
}

fn check(parent: &str, names: &[&str], faults: &mut Vec<String>) {
    let mut taken = HashSet::new();
    for name in names {
        let mut characters = name.chars();
        let starts = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        let continues = characters.all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !starts || !continues || name.starts_with("__") {
            faults.push(format!("{parent} has {name:?}"));
        }
        if !taken.insert(*name) {
            faults.push(format!("{parent} has {name} twice"));
        }
    }
}
