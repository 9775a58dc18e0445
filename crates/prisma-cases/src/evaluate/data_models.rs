//! Datamodels as Prisma's process has them, made of Thalweg's reading of the same text.

use std::rc::Rc;

use apollo_compiler::ast::{Definition, Document};
use dialect_prisma::definitions;
use dialect_prisma::model::{
    Behaviour, Default, End, Field, FieldKind, IdStrategy, Model, OnDelete, Relation,
    RelationStorage, ScalarField, ScalarType, Type, TypeIndex,
};

use super::calls::Arguments;
use super::tables::record;
use crate::value::Value;

/// The datamodel, if Thalweg reads it.
pub(super) fn data_model(text: &str) -> Option<Value> {
    let model = definitions::read(text).ok()?;
    let reader = Reader { model: &model, document: Document::parse(text, "datamodel").ok()? };
    let types = (0..model.types.len()).map(TypeIndex).map(|r#type| reader.r#type(r#type));
    let enums = model.enums.iter().map(|one| {
        let values = one.values.iter().map(|value| Value::text(&**value));
        record(
            "Enum",
            vec![("name", Value::text(&*one.name)), ("values", Value::list(values.collect()))],
        )
    });
    let types = types.chain(model.relations.iter().filter_map(link_type)).collect();
    let relations = model.relations.iter();
    let relations =
        relations.map(|one| record("Relation", vec![("name", Value::text(&*one.name))]));
    Some(record(
        "DataModel",
        vec![
            ("types", Value::list(types)),
            ("enums", Value::list(enums.collect())),
            ("relations", Value::list(relations.collect())),
        ],
    ))
}

/// The behaviour of a field, or the value of a default, as a test makes it.
pub(super) fn expected(name: &str, arguments: &Arguments) -> Option<Value> {
    let one = || arguments.get("value", 0).unwrap_or(Value::Unit);
    Some(match name {
        "IdBehaviour" => {
            let strategy = arguments.get("strategy", 0)?;
            let sequence = arguments.get("sequence", 1).unwrap_or(Value::Option(None));
            id_behaviour(strategy, sequence)
        }
        "Sequence" => sequence(
            arguments.get("name", 0)?,
            arguments.get("initialValue", 1)?,
            arguments.get("allocationSize", 2)?,
        ),
        "ScalarListBehaviour" => record("ScalarListBehaviour", vec![("strategy", one())]),
        "StringGCValue" => record("StringGCValue", vec![("value", one())]),
        "EnumGCValue" => record("EnumGCValue", vec![("value", one())]),
        "IntGCValue" => record("IntGCValue", vec![("value", one())]),
        "FloatGCValue" => record("FloatGCValue", vec![("value", one())]),
        "BooleanGCValue" => record("BooleanGCValue", vec![("value", one())]),
        _ => return None,
    })
}

/// The reason why a part of a test is left out: Prisma's migration names the sequence.
pub(super) const UNKNOWN_SEQUENCE: &str = "the sequence of an id";

/// True if an id within the value has a sequence that is equal to anything.
pub(super) fn has_unknown_sequence(value: &Value) -> bool {
    match value {
        Value::Option(Some(value)) => has_unknown_sequence(value),
        Value::Record(record) => record.fields.iter().any(|(name, value)| {
            name == "sequence" && matches!(value, Value::Anything) || has_unknown_sequence(value)
        }),
        _ => false,
    }
}

struct Reader<'m> {
    model: &'m Model,
    document: Document,
}

impl Reader<'_> {
    fn r#type(&self, idx: TypeIndex) -> Value {
        let r#type = &self.model.types[idx.0];
        let fields = r#type.fields.iter().map(|field| self.field(r#type, field));
        record(
            "Type",
            vec![
                ("name", Value::text(&*r#type.name)),
                ("tableName", other_name(&r#type.table, &r#type.name)),
                ("isEmbedded", Value::Bool(false)),
                ("isRelationTable", Value::Bool(false)),
                ("fields", Value::list(fields.collect())),
            ],
        )
    }

    fn field(&self, r#type: &Type, field: &Field) -> Value {
        let mut members = vec![
            ("name", Value::text(&*field.name)),
            ("isRequired", Value::Bool(field.is_required)),
        ];
        match &field.kind {
            FieldKind::Scalar(scalar) => {
                members.push(("isList", Value::Bool(false)));
                members.push(("isUnique", Value::Bool(scalar.is_unique)));
                members.push(("columnName", other_name(&scalar.column, &field.name)));
                members.push(("typeIdentifier", type_identifier(scalar.r#type)));
                members.push(("defaultValue", default_value(scalar)));
                members.push(("behaviour", behaviour(scalar)));
            }
            FieldKind::ScalarList { r#type, column } => {
                let strategy = vec![("strategy", Value::named("Relation"))];
                members.push(("isList", Value::Bool(true)));
                members.push(("columnName", other_name(column, &field.name)));
                members.push(("typeIdentifier", type_identifier(*r#type)));
                members.push(("behaviour", some(record("ScalarListBehaviour", strategy))));
            }
            FieldKind::Relation { relation, end, is_list } => {
                let relation = &self.model.relations[relation.0];
                members.push(("isList", Value::Bool(*is_list)));
                members.extend(self.relation(relation, *end, (r#type, field, *is_list)));
            }
        }
        record("Field", members)
    }

    fn relation(
        &self,
        relation: &Relation,
        end: End,
        (r#type, field, is_list): (&Type, &Field, bool),
    ) -> Vec<(&'static str, Value)> {
        let (own, other) = (relation.end(end), relation.end(end.other()));
        let type_name = |idx: TypeIndex| &self.model.types[idx.0].name;
        let generated =
            format!("{}To{}", type_name(relation.a.r#type), type_name(relation.b.r#type));
        let cascade = match own.on_delete {
            OnDelete::SetNull => "SetNull",
            OnDelete::Cascade => "Cascade",
        };
        let (strategy, column) = match &relation.storage {
            RelationStorage::Inline { end: inline, column } if *inline == end => {
                ("Inline", other_name(column, &field.name))
            }
            RelationStorage::Inline { .. } => ("Inline", Value::Option(None)),
            RelationStorage::Table { .. } => ("Table", Value::Option(None)),
        };
        // Prisma decides later what a datamodel does not say.
        let strategy = match self.states_link(&r#type.name, &field.name) {
            true => some(Value::named(strategy)),
            false => Value::Option(None),
        };
        let is_other_list = other.field.map(|idx| {
            let other = &self.model.types[other.r#type.0].fields[idx];
            matches!(other.kind, FieldKind::Relation { is_list: true, .. })
        });
        vec![
            ("relationName", other_name(&relation.name, &generated)),
            ("cascade", Value::named(cascade)),
            ("strategy", strategy),
            ("columnName", column),
            (
                "hasOneToManyRelation",
                Value::Bool(is_other_list.is_some_and(|other| other != is_list)),
            ),
            ("hasManyToManyRelation", Value::Bool(is_list && is_other_list == Some(true))),
        ]
    }

    /// The field has `@relation(link:)`.
    fn states_link(&self, r#type: &str, field: &str) -> bool {
        let mut definitions = self.document.definitions.iter();
        let fields = definitions.find_map(|definition| match definition {
            Definition::ObjectTypeDefinition(object) if object.name == r#type => {
                Some(&object.fields)
            }
            _ => None,
        });
        let mut fields = fields.into_iter().flatten();
        let found = fields.find(|own| own.name == field);
        let relation = found.and_then(|found| found.directives.get("relation"));
        relation.is_some_and(|relation| relation.arguments.iter().any(|one| one.name == "link"))
    }
}

/// The type that is the table of a relation. Thalweg has it as the storage of the relation alone.
fn link_type(relation: &Relation) -> Option<Value> {
    let RelationStorage::Table { table, .. } = &relation.storage else { return None };
    let is_link = table.strip_prefix('_') != Some(&*relation.name);
    is_link.then(|| {
        let name = Value::text(&*relation.name);
        let table = other_name(table, &relation.name);
        let is = ("isRelationTable", Value::Bool(true));
        record("Type", vec![("name", name), ("tableName", table), is])
    })
}

fn some(value: Value) -> Value {
    Value::Option(Some(Rc::new(value)))
}

/// A name in the database, unless it is that of the datamodel.
fn other_name(name: &str, unless: &str) -> Value {
    match name == unless {
        true => Value::Option(None),
        false => some(Value::text(name)),
    }
}

fn type_identifier(r#type: ScalarType) -> Value {
    Value::named(match r#type {
        ScalarType::Id => "Cuid",
        ScalarType::Enum(_) => "Enum",
        ScalarType::String
        | ScalarType::Int
        | ScalarType::Float
        | ScalarType::Boolean
        | ScalarType::DateTime
        | ScalarType::Json
        | ScalarType::Uuid => r#type.built_in_name(),
    })
}

fn default_value(field: &ScalarField) -> Value {
    let (kind, value) = match &field.default {
        None => return Value::Option(None),
        Some(Default::Text(text)) => match field.r#type {
            ScalarType::Enum(_) => ("EnumGCValue", Value::text(&**text)),
            _ => ("StringGCValue", Value::text(&**text)),
        },
        Some(Default::Int(number)) => ("IntGCValue", Value::Int(*number)),
        Some(Default::Float(number)) => ("FloatGCValue", Value::Float(*number)),
        Some(Default::Boolean(value)) => ("BooleanGCValue", Value::Bool(*value)),
        Some(Default::OfDatabase) => ("OfDatabase", Value::Unit),
    };
    some(record(kind, vec![("value", value)]))
}

fn behaviour(field: &ScalarField) -> Value {
    match &field.behaviour {
        Behaviour::Plain => Value::Option(None),
        Behaviour::CreatedAt => some(Value::named("CreatedAtBehaviour")),
        Behaviour::UpdatedAt => some(Value::named("UpdatedAtBehaviour")),
        Behaviour::Id(strategy) => {
            let (name, sequence) = match strategy {
                // The sequence of a number has its name by the migration.
                IdStrategy::Auto if field.r#type == ScalarType::Int => ("Auto", Value::Anything),
                IdStrategy::Auto => ("Auto", Value::Option(None)),
                IdStrategy::None => ("None", Value::Option(None)),
                IdStrategy::Sequence { name, initial_value, allocation_size } => {
                    let numbers = (Value::Int(*initial_value), Value::Int(*allocation_size));
                    let made = sequence(Value::text(&**name), numbers.0, numbers.1);
                    ("Sequence", some(made))
                }
            };
            some(id_behaviour(Value::named(name), sequence))
        }
    }
}

fn id_behaviour(strategy: Value, sequence: Value) -> Value {
    record("IdBehaviour", vec![("strategy", strategy), ("sequence", sequence)])
}

fn sequence(name: Value, initial_value: Value, allocation_size: Value) -> Value {
    record(
        "Sequence",
        vec![("name", name), ("initialValue", initial_value), ("allocationSize", allocation_size)],
    )
}

#[cfg(test)]
mod tests {
    use crate::value::equal;

    use super::*;

    fn member(of: &Value, name: &str) -> Value {
        let Value::Record(record) = of else { panic!("{of:?}") };
        record.fields.iter().find(|(own, _)| own == name).unwrap().1.clone()
    }

    fn named(of: &Value, list: &str, name: &str) -> Value {
        let Value::List(items) = member(of, list) else { panic!("{of:?}") };
        let found = items.iter().find(|item| equal(&member(item, "name"), &Value::text(name)));
        found.unwrap().clone()
    }

    #[test]
    fn fields_have_what_the_datamodel_says_of_them() {
        let text = r#"type A @db(name: "as") {
            id: ID! @id(strategy: NONE)
            n: Int @default(value: 3) @db(name: "m")
            bs: [B] @relation(name: "R", onDelete: CASCADE)
            own: A @relation(link: INLINE)
        }
        type B { id: Int! @id a: A @relation(name: "R") }
        enum E { X Y }"#;
        let model = data_model(text).unwrap();
        let a = named(&model, "types", "A");
        let check = |field: &str, name: &str, expected: Value| {
            let actual = member(&named(&a, "fields", field), name);
            assert!(equal(&actual, &expected), "{field} {name}: {}", actual.to_text());
        };
        assert!(equal(&member(&a, "tableName"), &some(Value::text("as"))));
        let none = id_behaviour(Value::named("None"), Value::Option(None));
        check("id", "behaviour", some(none));
        assert!(!has_unknown_sequence(&a));
        let b = named(&model, "types", "B");
        assert!(has_unknown_sequence(&member(&named(&b, "fields", "id"), "behaviour")));
        check("n", "columnName", some(Value::text("m")));
        check("n", "defaultValue", some(record("IntGCValue", vec![("value", Value::Int(3))])));
        check("n", "isUnique", Value::Bool(false));
        check("bs", "relationName", some(Value::text("R")));
        check("bs", "cascade", Value::named("Cascade"));
        check("bs", "strategy", Value::Option(None));
        check("bs", "hasOneToManyRelation", Value::Bool(true));
        check("own", "relationName", Value::Option(None));
        check("own", "strategy", some(Value::named("Inline")));
        check("own", "cascade", Value::named("SetNull"));
        let values = Value::list(vec![Value::text("X"), Value::text("Y")]);
        assert!(equal(&member(&named(&model, "enums", "E"), "values"), &values));
        assert!(data_model("type A { id: Strng }").is_none());
    }
}
