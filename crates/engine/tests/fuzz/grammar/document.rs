//! Valid operations over a schema.

use std::collections::HashSet;

use graphql::schema::{FieldId, Schema, TypeId, TypeKind, TypeRef};

use super::value::Values;
use super::{Directive, Document, Field, Fragment, Literal, Selection, Typed};
use testkit::fuzz::Choices;

/// Fields in fields.
const DEEPEST: usize = 7;
/// Of one document.
const MOST_FIELDS: usize = 45;

/// A document, and whether all values fit their types, so that it must be accepted.
#[derive(Clone, Debug)]
pub(crate) struct Generated {
    pub(crate) document: Document,
    pub(crate) fit: bool,
}

pub(crate) fn document(schema: &Schema, choices: &mut Choices<'_>) -> Generated {
    let boolean = schema.find_type("Boolean");
    let mut maker = Maker {
        values: Values { schema, fit: true },
        boolean: boolean.map(|id| TypeRef::named(id).non_null()),
        fragments: Vec::new(),
        aliases: 0,
        fields: 0,
    };
    let mut document = Document::default();
    if choices.chance(20) {
        document.operation_name = Some("Q".into());
    }
    if let Some(query) = schema.query {
        document.selections = maker.selections(query, &mut HashSet::new(), choices, 0);
    }
    document.fragments = maker.fragments;
    Generated { document, fit: maker.values.fit }
}

/// The same document with other values: its text is the same where all values are variables.
pub(crate) fn with_other_values(
    schema: &Schema,
    document: &Document,
    choices: &mut Choices<'_>,
) -> Generated {
    let mut values = Values { schema, fit: true };
    let mut document = document.clone();
    change(&mut document.selections, &mut values, choices);
    for fragment in &mut document.fragments {
        change(&mut fragment.selections, &mut values, choices);
    }
    Generated { document, fit: values.fit }
}

fn change(selections: &mut [Selection], values: &mut Values<'_>, choices: &mut Choices<'_>) {
    for selection in selections {
        match selection {
            Selection::Field(field) => {
                for (_, value) in &mut field.arguments {
                    *value = values.value(value.r#type, choices);
                }
                change_conditions(&mut field.directives, choices);
                change(&mut field.selections, values, choices);
            }
            Selection::Inline { directives, selections, .. } => {
                change_conditions(directives, choices);
                change(selections, values, choices);
            }
            Selection::Spread { directives, .. } => change_conditions(directives, choices),
        }
    }
}

fn change_conditions(directives: &mut [Directive], choices: &mut Choices<'_>) {
    for directive in directives {
        directive.condition.literal = Literal::Boolean(choices.below(2) == 1);
    }
}

struct Maker<'s> {
    values: Values<'s>,
    boolean: Option<TypeRef>,
    fragments: Vec<Fragment>,
    aliases: usize,
    fields: usize,
}

impl<'s> Maker<'s> {
    /// `used` are the response names of the object that these selections are of.
    fn selections(
        &mut self,
        object: TypeId,
        used: &mut HashSet<String>,
        choices: &mut Choices<'_>,
        depth: usize,
    ) -> Vec<Selection> {
        let schema: &'s Schema = self.values.schema;
        let fields: &'s [FieldId] = match &schema[object].kind {
            TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => fields,
            TypeKind::Scalar
            | TypeKind::Union { .. }
            | TypeKind::Enum { .. }
            | TypeKind::InputObject { .. } => &[],
        };
        let mut selections = Vec::new();
        for _ in 0..=choices.below(5) {
            if self.fields >= MOST_FIELDS {
                break;
            }
            let selection = match choices.below(16) {
                15 => {
                    let on = (choices.below(2) == 1).then(|| schema[object].name.to_string());
                    let directives = self.directives(choices);
                    let inner = self.selections(object, used, choices, depth);
                    Selection::Inline { on, directives, selections: inner }
                }
                14 => {
                    let inner = self.selections(object, used, choices, depth);
                    let name = format!("F{}", self.fragments.len());
                    let on = schema[object].name.to_string();
                    self.fragments.push(Fragment { name: name.clone(), on, selections: inner });
                    Selection::Spread { name, directives: self.directives(choices) }
                }
                _ => match choices.pick(fields) {
                    Some(field) => match self.field(*field, used, choices, depth) {
                        Some(field) => Selection::Field(field),
                        None => continue,
                    },
                    None => continue,
                },
            };
            if choices.chance(8) && is_repeatable(&selection) {
                selections.push(selection.clone());
            }
            selections.push(selection);
        }
        if selections.is_empty() {
            selections.push(Selection::Field(Field {
                alias: None,
                name: "__typename".into(),
                arguments: Vec::new(),
                directives: self.directives(choices),
                selections: Vec::new(),
            }));
        }
        selections
    }

    fn field(
        &mut self,
        field: FieldId,
        used: &mut HashSet<String>,
        choices: &mut Choices<'_>,
        depth: usize,
    ) -> Option<Field> {
        let definition = &self.values.schema[field];
        let object = self.is_object(definition.r#type.base);
        if object && depth >= DEEPEST {
            return None;
        }
        self.fields += 1;
        let mut arguments = Vec::new();
        for input in &definition.arguments {
            let argument = &self.values.schema[*input];
            let required = argument.r#type.is_non_null() && argument.default.is_none();
            if required || choices.chance(25) {
                let value = self.values.value(argument.r#type, choices);
                arguments.push((argument.name.to_string(), value));
            }
        }
        let name = definition.name.to_string();
        // A name that is used already would be merged, with its selections and arguments.
        let alias = (choices.chance(25) || used.contains(&name)).then(|| {
            self.aliases += 1;
            format!("a{}", self.aliases)
        });
        used.insert(alias.as_ref().unwrap_or(&name).clone());
        let directives = self.directives(choices);
        let selections = match object {
            true => {
                self.selections(definition.r#type.base, &mut HashSet::new(), choices, depth + 1)
            }
            false => Vec::new(),
        };
        Some(Field { alias, name, arguments, directives, selections })
    }

    fn is_object(&self, id: TypeId) -> bool {
        match self.values.schema[id].kind {
            TypeKind::Object { .. } | TypeKind::Interface { .. } | TypeKind::Union { .. } => true,
            TypeKind::Scalar | TypeKind::Enum { .. } | TypeKind::InputObject { .. } => false,
        }
    }

    fn directives(&self, choices: &mut Choices<'_>) -> Vec<Directive> {
        let Some(r#type) = self.boolean else { return Vec::new() };
        let mut directives = Vec::new();
        for name in ["include", "skip"] {
            if choices.chance(6) {
                // What is left out hides what is below, so it is rare.
                let condition = choices.chance(20) == (name == "skip");
                let literal = Literal::Boolean(condition);
                directives.push(Directive { name, condition: Typed { r#type, literal } });
            }
        }
        directives
    }
}

/// Twice the same field needs the same arguments; as variables they would have other names.
fn is_repeatable(selection: &Selection) -> bool {
    match selection {
        Selection::Field(field) => {
            field.arguments.is_empty() && field.selections.iter().all(is_repeatable)
        }
        Selection::Inline { selections, .. } => selections.iter().all(is_repeatable),
        Selection::Spread { .. } => true,
    }
}
