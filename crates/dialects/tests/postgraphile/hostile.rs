//! Catalogs whose names are chosen to collide with each other and with the API's own.

use std::collections::HashSet;

use catalog::{Catalog, EnumLabel, Scalar, Type};
use dialects::Api;
use graphql::schema::TypeKind;

use crate::tables::Tables;

const PARTS: [&str; 32] = [
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
        (0..=self.below(3)).map(|_| *self.one_of(&PARTS)).collect()
    }
}

pub(crate) fn catalog(seed: u64) -> Catalog {
    let mut numbers = Numbers(seed);
    let mut tables = Tables::default();
    let scalars = [Scalar::Int32, Scalar::Json, Scalar::Interval, Scalar::Money, Scalar::Time];
    let mut types: Vec<Type> = scalars.map(Type::Scalar).into();
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
        let table = tables.table(&numbers.name(), &columns);
        let first = columns[0].0;
        tables.primary(table, &[first]);
        let last = columns[columns.len() - 1].0;
        targets.push((table, String::from(first)));
        let (target, key) = numbers.one_of(&targets).clone();
        tables.foreign(table, &[last], target, &[&key]);
    }
    tables.finish()
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
