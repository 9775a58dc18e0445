//! Parts of a schema that an operation uses, by schema coordinates:
//! <https://spec.graphql.org/draft/#sec-Schema-Coordinates>.
//!
//! The value of a variable is not read: it may have every part of its type. A literal of an input
//! object has the input fields with default values, too.

use rustc_hash::FxHashSet;

use crate::defer::DEFER;
use crate::operation::{AppliedDirective, FieldRef, Operation, Selection, SelectionSet};
use crate::schema::{EnumValueId, FieldId, InputId, Schema, TypeId, TypeKind};
use crate::value::Value;

/// A part of a schema that an operation uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UsedPart {
    Type(TypeId),
    Field(TypeId, FieldId),
    Argument(TypeId, FieldId, InputId),
    /// An input field in a literal.
    InputField(TypeId, InputId),
    /// An enum value in a literal.
    EnumValue(TypeId, EnumValueId),
    /// A directive, by its index in [`Schema::directives`].
    Directive(usize),
    DirectiveArgument(usize, InputId),
    /// An input object or enum type of a variable, with all that its values may contain.
    VariableType(TypeId),
}

impl UsedPart {
    /// The schema coordinate; that of the type for the type of a variable.
    #[must_use]
    pub fn coordinate(self, schema: &Schema) -> String {
        let directive = |index: usize| schema.directives.get(index).map_or("", |one| &*one.name);
        let named = |r#type: TypeId| &*schema[r#type].name;
        match self {
            Self::Type(r#type) | Self::VariableType(r#type) => named(r#type).to_owned(),
            Self::Field(parent, field) => [named(parent), ".", &schema[field].name].concat(),
            Self::Argument(parent, field, argument) => {
                let (field, argument) = (&schema[field].name, &schema[argument].name);
                [named(parent), ".", field, "(", argument, ":)"].concat()
            }
            Self::InputField(parent, input) => [named(parent), ".", &schema[input].name].concat(),
            Self::EnumValue(parent, value) => [named(parent), ".", &schema[value].name].concat(),
            Self::Directive(index) => ["@", directive(index)].concat(),
            Self::DirectiveArgument(index, argument) => {
                ["@", directive(index), "(", &schema[argument].name, ":)"].concat()
            }
        }
    }
}

/// Returns the parts that an operation uses, each once, in the order of the operation.
#[must_use]
pub fn used_parts(schema: &Schema, operation: &Operation) -> Vec<UsedPart> {
    let mut reader = Reader { schema, known: FxHashSet::default(), parts: Vec::new() };
    for variable in &operation.variables {
        let base = variable.r#type.base;
        reader.add(match schema[base].kind {
            TypeKind::Enum { .. } | TypeKind::InputObject { .. } => UsedPart::VariableType(base),
            TypeKind::Scalar
            | TypeKind::Object { .. }
            | TypeKind::Interface { .. }
            | TypeKind::Union { .. } => UsedPart::Type(base),
        });
    }
    reader.directives(&operation.directives);
    if operation.has_defer()
        && let Some(defer) = schema.directives.iter().position(|one| &*one.name == DEFER)
    {
        // Which arguments it has does not matter: they exist wherever it does.
        reader.add(UsedPart::Directive(defer));
        for argument in &schema.directives[defer].arguments {
            reader.add(UsedPart::DirectiveArgument(defer, *argument));
        }
    }
    for set in &operation.selection_sets {
        reader.selection_set(set);
    }
    reader.parts
}

struct Reader<'s> {
    schema: &'s Schema,
    known: FxHashSet<UsedPart>,
    parts: Vec<UsedPart>,
}

impl Reader<'_> {
    fn add(&mut self, part: UsedPart) {
        if self.known.insert(part) {
            self.parts.push(part);
        }
    }

    fn selection_set(&mut self, set: &SelectionSet) {
        self.add(UsedPart::Type(set.parent));
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => {
                    self.directives(&field.directives);
                    let id = match field.field {
                        FieldRef::Field(id) => id,
                        FieldRef::Typename | FieldRef::Introspection => continue,
                    };
                    self.add(UsedPart::Field(set.parent, id));
                    self.add(UsedPart::Type(self.schema[id].r#type.base));
                    for (argument, value) in &field.arguments {
                        self.add(UsedPart::Argument(set.parent, id, *argument));
                        self.value(self.schema[*argument].r#type.base, value);
                    }
                }
                Selection::Fragment { directives, on, .. } => {
                    self.directives(directives);
                    self.add(UsedPart::Type(*on));
                }
            }
        }
    }

    fn directives(&mut self, directives: &[AppliedDirective]) {
        for applied in directives {
            let mut all = self.schema.directives.iter();
            let Some(index) = all.position(|one| *one.name == *applied.name) else { continue };
            self.add(UsedPart::Directive(index));
            for (argument, value) in &applied.arguments {
                self.add(UsedPart::DirectiveArgument(index, *argument));
                self.value(self.schema[*argument].r#type.base, value);
            }
        }
    }

    /// Adds the parts of a literal. Recursion is bounded by the nesting of documents.
    fn value(&mut self, base: TypeId, value: &Value) {
        if let Value::List(items) = value {
            return items.iter().for_each(|item| self.value(base, item));
        }
        self.add(UsedPart::Type(base));
        match value {
            Value::Enum(id) => self.add(UsedPart::EnumValue(base, *id)),
            Value::Object(members) => {
                for (input, value) in members {
                    self.add(UsedPart::InputField(base, *input));
                    self.value(self.schema[*input].r#type.base, value);
                }
            }
            // Variables have been added with their types; values of custom scalars have no parts.
            Value::Variable(_)
            | Value::Null
            | Value::Boolean(_)
            | Value::Int(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Json(_)
            | Value::Members(_)
            | Value::List(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_schema::test_schema;
    use crate::{DocumentLimits, Validator};

    fn check(text: &str, expected: &str) {
        let mut schema = test_schema();
        schema.add_defer();
        let operation =
            Validator::new(&schema).operation(&schema, text, None, &DocumentLimits::default());
        let parts = used_parts(&schema, &operation.unwrap());
        let coordinates = parts.iter().map(|part| match part {
            UsedPart::VariableType(_) => ["$", &part.coordinate(&schema)].concat(),
            _ => part.coordinate(&schema),
        });
        let mut coordinates: Vec<String> = coordinates.collect();
        coordinates.sort_unstable();
        assert_eq!(coordinates.join(" "), expected, "{text}");
    }

    #[test]
    fn fields_belong_to_the_type_of_their_selection_set() {
        check(
            "{ node(id: 1) { id ... on Album { id title } } }",
            "Album Album.id Album.title ID Node Node.id Query Query.node Query.node(id:) String",
        );
        check(
            "{ search(text: \"x\") { ...F } __typename } fragment F on Artist { name }",
            "Artist Artist.name Query Query.search Query.search(text:) SearchHit String",
        );
    }

    #[test]
    fn literals_use_the_parts_that_they_contain() {
        check(
            "{ albums(orderBy: [TITLE_ASC], filter: { not: { title: \"x\" } }) { id } }",
            "Album Album.id AlbumFilter AlbumFilter.not AlbumFilter.order AlbumFilter.title \
             AlbumFilter.year AlbumOrder AlbumOrder.NATURAL AlbumOrder.TITLE_ASC ID Int Query \
             Query.albums Query.albums(filter:) Query.albums(orderBy:) String",
        );
    }

    #[test]
    fn variables_use_their_types_as_a_whole() {
        check(
            "query ($f: AlbumFilter, $n: Int, $o: AlbumOrder!) { \
             albums(first: $n, filter: $f, orderBy: [$o]) { id } }",
            "$AlbumFilter $AlbumOrder Album Album.id AlbumFilter AlbumOrder ID Int Query \
             Query.albums Query.albums(filter:) Query.albums(first:) Query.albums(orderBy:)",
        );
    }

    #[test]
    fn deferred_fragments_use_the_directive() {
        check("{ ... @defer { __typename } }", "@defer @defer(if:) @defer(label:) Query");
    }
}
