//! Introspection responses as JSON, straight from the arena.

use std::collections::HashMap;

use super::built_in::{BUILT_IN, BuiltIn, Directive};
use super::selected::{MetaField, MetaType, Selected};
use crate::built_in_scalars::BUILT_IN_SCALARS;
use crate::document::print_default;
use crate::error::write_json_string;
use crate::schema::{
    Deprecation, DirectiveDefinition, EnumValueDefinition, FieldId, InputDefinition, InputId,
    TypeId, TypeKind, TypeRef, Wrapper,
};
use crate::visibility::View;

/// Writes one response.
pub(super) struct Writer<'s> {
    schema: View<'s>,
    built_in: &'static BuiltIn,
    output: Vec<u8>,
    most: usize,
    /// The objects of each interface, lazily built.
    implementers: Option<HashMap<TypeId, Vec<TypeId>>>,
}

/// The response exceeds its limit of bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge {
    most: usize,
}

/// A type as a position refers to it. Its ids are those of `schema`: the API's, or the built-in.
#[derive(Clone, Copy)]
struct Type<'s> {
    schema: View<'s>,
    r#type: TypeRef,
}

/// A directive of the schema.
#[derive(Clone, Copy)]
enum DirectiveOf<'s> {
    BuiltIn(&'static Directive),
    Schema(&'s DirectiveDefinition),
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the answer would be larger than {} bytes", self.most)
    }
}

impl<'s> Writer<'s> {
    /// `most` is the limit of the response in bytes.
    pub(super) fn new(schema: View<'s>, most: usize) -> Self {
        Self { schema, built_in: &BUILT_IN, output: Vec::new(), most, implementers: None }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.output
    }

    /// The value of `__schema`.
    pub(super) fn schema(&mut self, selected: &[Selected]) -> Result<(), TooLarge> {
        self.object(selected, |writer, asked| match asked.field {
            MetaField::Types => {
                let types = writer.all_types();
                writer.list(types, |writer, found| writer.r#type(found, &asked.selected))
            }
            MetaField::QueryType => writer.root(writer.schema.query(), asked),
            MetaField::MutationType => writer.root(writer.schema.mutation(), asked),
            MetaField::SubscriptionType => writer.root(writer.schema.subscription(), asked),
            MetaField::Directives => {
                let own = writer.schema.whole.directives.iter().map(DirectiveOf::Schema);
                let all = writer.built_in.directives.iter().map(DirectiveOf::BuiltIn).chain(own);
                writer.list(all, |writer, found| writer.directive(found, &asked.selected))
            }
            MetaField::Typename => writer.text(MetaType::Schema.name()),
            // Schemas have no description.
            _ => writer.null(),
        })
    }

    /// The value of `__type`.
    pub(super) fn type_of_name(
        &mut self,
        name: &str,
        selected: &[Selected],
    ) -> Result<(), TooLarge> {
        match self.find_type(name) {
            Some(found) => self.r#type(found, selected),
            None => self.null(),
        }
    }

    fn root(&mut self, root: Option<TypeId>, asked: &Selected) -> Result<(), TooLarge> {
        match root {
            Some(root) => {
                let found = Type { schema: self.schema, r#type: TypeRef::named(root) };
                self.r#type(found, &asked.selected)
            }
            None => self.null(),
        }
    }

    fn r#type(&mut self, of: Type<'s>, selected: &[Selected]) -> Result<(), TooLarge> {
        let of = self.resolved(of);
        self.object(selected, |writer, asked| match of.r#type.wrappers().last() {
            Some(wrapper) => writer.wrapped(of, wrapper, asked),
            None => writer.named(of, asked),
        })
    }

    /// A field of a list or non-null type.
    fn wrapped(
        &mut self,
        of: Type<'s>,
        wrapper: Wrapper,
        asked: &Selected,
    ) -> Result<(), TooLarge> {
        match asked.field {
            MetaField::Kind => self.text(match wrapper {
                Wrapper::List => "LIST",
                Wrapper::NonNull => "NON_NULL",
            }),
            MetaField::OfType => {
                let r#type = of.r#type.unwrap_outermost();
                self.r#type(Type { r#type, ..of }, &asked.selected)
            }
            MetaField::Typename => self.text(MetaType::Type.name()),
            _ => self.null(),
        }
    }

    fn named(&mut self, of: Type<'s>, asked: &Selected) -> Result<(), TooLarge> {
        let schema = of.schema;
        let definition = &schema.whole[of.r#type.base];
        let kind = &definition.kind;
        match asked.field {
            MetaField::Kind => self.text(match kind {
                TypeKind::Scalar => "SCALAR",
                TypeKind::Object { .. } => "OBJECT",
                TypeKind::Interface { .. } => "INTERFACE",
                TypeKind::Union { .. } => "UNION",
                TypeKind::Enum { .. } => "ENUM",
                TypeKind::InputObject { .. } => "INPUT_OBJECT",
            }),
            MetaField::Name => self.text(&definition.name),
            MetaField::Description => self.optional(definition.description.as_deref()),
            MetaField::Fields => match kind {
                TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => {
                    let fields = schema.fields(fields);
                    let shown = fields.filter(|field| is_shown(&schema[*field].deprecated, asked));
                    self.list(shown, |writer, found| writer.field(schema, found, &asked.selected))
                }
                _ => self.null(),
            },
            MetaField::Interfaces => match kind {
                TypeKind::Object { interfaces, .. } | TypeKind::Interface { interfaces, .. } => {
                    self.types(schema, schema.named(interfaces), asked)
                }
                _ => self.null(),
            },
            MetaField::PossibleTypes => match kind {
                TypeKind::Union { members } => self.types(schema, schema.named(members), asked),
                TypeKind::Interface { .. } => {
                    let implementers = self.take_implementers();
                    let objects = implementers.get(&of.r#type.base);
                    let objects = objects.map(Vec::as_slice).unwrap_or_default();
                    let written = self.types(schema, objects.iter().copied(), asked);
                    self.implementers = Some(implementers);
                    written
                }
                _ => self.null(),
            },
            MetaField::EnumValues => match kind {
                TypeKind::Enum { values } => {
                    let values = schema.values(values).map(|id| &schema.whole[id]);
                    let shown = values.filter(|value| is_shown(&value.deprecated, asked));
                    let mut shown: Vec<_> = shown.collect();
                    if self.schema.whole.sorts_values {
                        shown.sort_by_key(|value| &value.name);
                    }
                    self.list(shown, |writer, found| writer.enum_value(found, &asked.selected))
                }
                _ => self.null(),
            },
            MetaField::InputFields => match kind {
                TypeKind::InputObject { fields } => self.inputs(schema, fields, asked),
                _ => self.null(),
            },
            MetaField::Typename => self.text(MetaType::Type.name()),
            // Schemas have no URLs, and a named type wraps no other.
            _ => self.null(),
        }
    }

    fn field(
        &mut self,
        schema: View<'s>,
        id: FieldId,
        selected: &[Selected],
    ) -> Result<(), TooLarge> {
        let field = &schema.whole[id];
        self.object(selected, |writer, asked| match asked.field {
            MetaField::Name => writer.text(&field.name),
            MetaField::Description => writer.optional(field.description.as_deref()),
            MetaField::Args => writer.inputs(schema, &field.arguments, asked),
            MetaField::Type => {
                writer.r#type(Type { schema, r#type: schema.type_of(id) }, &asked.selected)
            }
            MetaField::Typename => writer.text(MetaType::Field.name()),
            _ => writer.deprecation(field.deprecated.as_deref(), asked),
        })
    }

    fn inputs(
        &mut self,
        schema: View<'s>,
        inputs: &'s [InputId],
        asked: &Selected,
    ) -> Result<(), TooLarge> {
        let inputs = schema.inputs(inputs).map(|id| &schema.whole[id]);
        let shown = inputs.filter(|input| is_shown(&input.deprecated, asked));
        self.list(shown, |writer, found| writer.input(schema, found, &asked.selected))
    }

    fn input(
        &mut self,
        schema: View<'s>,
        input: &'s InputDefinition,
        selected: &[Selected],
    ) -> Result<(), TooLarge> {
        self.object(selected, |writer, asked| match asked.field {
            MetaField::Name => writer.text(&input.name),
            MetaField::Description => writer.optional(input.description.as_deref()),
            MetaField::Type => {
                writer.r#type(Type { schema, r#type: input.r#type }, &asked.selected)
            }
            MetaField::DefaultValue => writer
                .optional(input.default.as_ref().map(|default| print_default(default)).as_deref()),
            MetaField::Typename => writer.text(MetaType::InputValue.name()),
            _ => writer.deprecation(input.deprecated.as_deref(), asked),
        })
    }

    fn enum_value(
        &mut self,
        value: &'s EnumValueDefinition,
        selected: &[Selected],
    ) -> Result<(), TooLarge> {
        self.object(selected, |writer, asked| match asked.field {
            MetaField::Name => writer.text(&value.name),
            MetaField::Description => writer.optional(value.description.as_deref()),
            MetaField::Typename => writer.text(MetaType::EnumValue.name()),
            _ => writer.deprecation(value.deprecated.as_deref(), asked),
        })
    }

    fn deprecation(&mut self, reason: Option<&str>, asked: &Selected) -> Result<(), TooLarge> {
        match asked.field {
            MetaField::IsDeprecated => self.boolean(reason.is_some()),
            MetaField::DeprecationReason => self.optional(reason),
            _ => self.null(),
        }
    }

    fn directive(
        &mut self,
        directive: DirectiveOf<'s>,
        selected: &[Selected],
    ) -> Result<(), TooLarge> {
        let (name, description, is_repeatable) = match directive {
            DirectiveOf::BuiltIn(one) => (&one.name, &one.description, one.is_repeatable),
            DirectiveOf::Schema(one) => (&one.name, &one.description, one.is_repeatable),
        };
        self.object(selected, |writer, asked| match asked.field {
            MetaField::Name => writer.text(name),
            MetaField::Description => writer.optional(description.as_deref()),
            MetaField::Args => match directive {
                DirectiveOf::BuiltIn(directive) => {
                    let schema = View::from(&writer.built_in.schema);
                    writer.list(&directive.arguments, |writer, found| {
                        writer.input(schema, found, &asked.selected)
                    })
                }
                DirectiveOf::Schema(directive) => {
                    writer.inputs(writer.schema, &directive.arguments, asked)
                }
            },
            MetaField::Locations => match directive {
                DirectiveOf::BuiltIn(directive) => {
                    writer.list(&directive.locations, |writer, location| writer.text(location))
                }
                DirectiveOf::Schema(directive) => writer
                    .list(&directive.locations, |writer, location| writer.text(location.name())),
            },
            MetaField::IsRepeatable => writer.boolean(is_repeatable),
            MetaField::Typename => writer.text(MetaType::Directive.name()),
            _ => writer.null(),
        })
    }

    fn types(
        &mut self,
        schema: View<'s>,
        ids: impl IntoIterator<Item = TypeId>,
        asked: &Selected,
    ) -> Result<(), TooLarge> {
        let types = ids.into_iter().map(|id| Type { schema, r#type: TypeRef::named(id) });
        self.list(types, |writer, found| writer.r#type(found, &asked.selected))
    }

    /// The built-in types first; of the scalars those that the schema uses.
    fn all_types(&self) -> impl Iterator<Item = Type<'s>> + use<'s> {
        let (schema, built_in) = (self.schema, self.built_in);
        let built_in = View::from(&built_in.schema);
        let known = built_in.types().filter(move |(_, definition)| {
            !BUILT_IN_SCALARS.contains(&&*definition.name)
                || schema.find_type(&definition.name).is_some()
        });
        let own =
            schema.types().filter(|(_, definition)| !BUILT_IN_SCALARS.contains(&&*definition.name));
        let of = |schema: View<'s>, id| Type { schema, r#type: TypeRef::named(id) };
        known.map(move |(id, _)| of(built_in, id)).chain(own.map(move |(id, _)| of(schema, id)))
    }

    fn find_type(&self, name: &str) -> Option<Type<'s>> {
        let own = self.schema.find_type(name);
        let built_in = View::from(&self.built_in.schema);
        let (schema, id) = match BUILT_IN_SCALARS.contains(&name) {
            true => (built_in, own.and(built_in.find_type(name))?),
            false => match own {
                Some(id) => (self.schema, id),
                None => (built_in, built_in.find_type(name)?),
            },
        };
        Some(Type { schema, r#type: TypeRef::named(id) })
    }

    /// The type itself, or for a scalar of the specification the built-in one.
    fn resolved(&self, of: Type<'s>) -> Type<'s> {
        let definition = &of.schema[of.r#type.base];
        let is_described = !matches!(definition.kind, TypeKind::Scalar)
            || !BUILT_IN_SCALARS.contains(&&*definition.name);
        if is_described || of.r#type.wrappers().next().is_some() {
            return of;
        }
        match self.built_in.schema.find_type(&definition.name) {
            Some(id) => {
                Type { schema: View::from(&self.built_in.schema), r#type: TypeRef::named(id) }
            }
            None => of,
        }
    }

    fn take_implementers(&mut self) -> HashMap<TypeId, Vec<TypeId>> {
        self.implementers.take().unwrap_or_else(|| {
            let mut implementers: HashMap<TypeId, Vec<TypeId>> = HashMap::new();
            for (id, definition) in self.schema.types() {
                if let TypeKind::Object { interfaces, .. } = &definition.kind {
                    for interface in interfaces {
                        implementers.entry(*interface).or_default().push(id);
                    }
                }
            }
            implementers
        })
    }

    fn object(
        &mut self,
        selected: &[Selected],
        mut value: impl FnMut(&mut Self, &Selected) -> Result<(), TooLarge>,
    ) -> Result<(), TooLarge> {
        if self.output.len() > self.most {
            return Err(TooLarge { most: self.most });
        }
        self.output.push(b'{');
        for (idx, asked) in selected.iter().enumerate() {
            if idx > 0 {
                self.output.push(b',');
            }
            // A response name needs no escapes.
            self.output.push(b'"');
            self.output.extend_from_slice(asked.response_name.as_bytes());
            self.output.extend_from_slice(b"\":");
            value(self, asked)?;
        }
        self.output.push(b'}');
        Ok(())
    }

    fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut value: impl FnMut(&mut Self, T) -> Result<(), TooLarge>,
    ) -> Result<(), TooLarge> {
        self.output.push(b'[');
        for (idx, item) in items.into_iter().enumerate() {
            if idx > 0 {
                self.output.push(b',');
            }
            value(self, item)?;
        }
        self.output.push(b']');
        Ok(())
    }

    fn optional(&mut self, text: Option<&str>) -> Result<(), TooLarge> {
        match text {
            Some(text) => self.text(text),
            None => self.null(),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), TooLarge> {
        write_json_string(text, &mut self.output);
        Ok(())
    }

    fn boolean(&mut self, value: bool) -> Result<(), TooLarge> {
        self.output.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn null(&mut self) -> Result<(), TooLarge> {
        self.output.extend_from_slice(b"null");
        Ok(())
    }
}

/// True if a list that may exclude deprecated elements includes this one.
fn is_shown(deprecated: &Option<Deprecation>, asked: &Selected) -> bool {
    asked.include_deprecated || deprecated.is_none()
}
