//! Introspection selections of a document: every position has one type, so that fragments, merged
//! fields and conditions are resolved once, before anything is written.

use std::collections::HashMap;

use apollo_compiler::executable::{Field, FragmentMap, Selection, SelectionSet};
use apollo_compiler::{Node, ast};
use serde_json_bytes::Value as Json;

use crate::collect::does_fragment_type_apply;
use crate::visibility::View;

/// An introspection field of the root type.
pub(super) enum RootField {
    Schema(Vec<Selected>),
    /// `name` is `None` where a variable is null.
    Type {
        name: Option<String>,
        selected: Vec<Selected>,
    },
}

/// One field of the response, all selections of its response name merged.
#[derive(Debug)]
pub(super) struct Selected {
    pub(super) response_name: Box<str>,
    pub(super) field: MetaField,
    /// The argument of the lists that have it.
    pub(super) include_deprecated: bool,
    /// The selections of its value, if that is an object or a list of objects.
    pub(super) selected: Vec<Selected>,
}

/// A field of an introspection type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetaField {
    Args,
    DefaultValue,
    DeprecationReason,
    Description,
    Directives,
    EnumValues,
    Fields,
    InputFields,
    Interfaces,
    IsDeprecated,
    IsRepeatable,
    Kind,
    Locations,
    MutationType,
    Name,
    OfType,
    PossibleTypes,
    QueryType,
    SpecifiedByUrl,
    SubscriptionType,
    Type,
    Typename,
    Types,
}

/// An introspection type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetaType {
    Directive,
    EnumValue,
    Field,
    InputValue,
    Schema,
    Type,
}

/// Reads selections of one document. Recursion is bounded: validation limits how deep fragments
/// are nested.
pub(super) struct Selecting<'d> {
    pub(super) schema: View<'d>,
    pub(super) fragments: &'d FragmentMap,
    /// Coerced values by name.
    pub(super) variables: HashMap<&'d str, &'d Json>,
}

/// Fields by their response names, in the order of their first occurrence.
type Merged<'d> = Vec<(&'d str, Vec<&'d Field>)>;

impl MetaField {
    fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "__typename" => Self::Typename,
            "args" => Self::Args,
            "defaultValue" => Self::DefaultValue,
            "deprecationReason" => Self::DeprecationReason,
            "description" => Self::Description,
            "directives" => Self::Directives,
            "enumValues" => Self::EnumValues,
            "fields" => Self::Fields,
            "inputFields" => Self::InputFields,
            "interfaces" => Self::Interfaces,
            "isDeprecated" => Self::IsDeprecated,
            "isRepeatable" => Self::IsRepeatable,
            "kind" => Self::Kind,
            "locations" => Self::Locations,
            "mutationType" => Self::MutationType,
            "name" => Self::Name,
            "ofType" => Self::OfType,
            "possibleTypes" => Self::PossibleTypes,
            "queryType" => Self::QueryType,
            "specifiedByURL" => Self::SpecifiedByUrl,
            "subscriptionType" => Self::SubscriptionType,
            "type" => Self::Type,
            "types" => Self::Types,
            _ => return None,
        })
    }

    /// The type of its value, where that is an object or a list of objects.
    fn below(self) -> Option<MetaType> {
        match self {
            Self::Args | Self::InputFields => Some(MetaType::InputValue),
            Self::Directives => Some(MetaType::Directive),
            Self::EnumValues => Some(MetaType::EnumValue),
            Self::Fields => Some(MetaType::Field),
            Self::Interfaces
            | Self::MutationType
            | Self::OfType
            | Self::PossibleTypes
            | Self::QueryType
            | Self::SubscriptionType
            | Self::Type
            | Self::Types => Some(MetaType::Type),
            Self::DefaultValue
            | Self::DeprecationReason
            | Self::Description
            | Self::IsDeprecated
            | Self::IsRepeatable
            | Self::Kind
            | Self::Locations
            | Self::Name
            | Self::SpecifiedByUrl
            | Self::Typename => None,
        }
    }
}

impl MetaType {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Directive => "__Directive",
            Self::EnumValue => "__EnumValue",
            Self::Field => "__Field",
            Self::InputValue => "__InputValue",
            Self::Schema => "__Schema",
            Self::Type => "__Type",
        }
    }
}

impl<'d> Selecting<'d> {
    /// The introspection fields of the root, with their response names.
    pub(super) fn root_fields(&self, set: &'d SelectionSet) -> Vec<(String, RootField)> {
        let applies = |condition: &str| {
            let (query, condition) = (self.schema.query(), self.schema.find_type(condition));
            query.zip(condition).is_some_and(|(query, condition)| {
                does_fragment_type_apply(self.schema.whole, query, condition)
            })
        };
        let mut merged = Merged::new();
        self.merge(set, &applies, &mut merged);
        let mut roots = Vec::new();
        for (response_name, fields) in merged {
            let Some(first) = fields.first() else { continue };
            let root = match first.name.as_str() {
                "__schema" => RootField::Schema(self.selected(MetaType::Schema, &fields)),
                "__type" => RootField::Type {
                    name: self.argument(first, "name").and_then(ArgumentValue::text),
                    selected: self.selected(MetaType::Type, &fields),
                },
                _ => continue,
            };
            roots.push((response_name.to_owned(), root));
        }
        roots
    }

    /// The merged selections of the fields on their value, which is of the type `parent`.
    fn selected(&self, parent: MetaType, fields: &[&'d Field]) -> Vec<Selected> {
        let applies = |condition: &str| condition == parent.name();
        let mut merged = Merged::new();
        for field in fields {
            self.merge(&field.selection_set, &applies, &mut merged);
        }
        let mut all = Vec::with_capacity(merged.len());
        for (response_name, fields) in merged {
            let Some(first) = fields.first() else { continue };
            // Validation rejects unknown fields.
            let Some(field) = MetaField::of_name(&first.name) else { continue };
            let include = self.argument(first, "includeDeprecated");
            all.push(Selected {
                response_name: response_name.into(),
                field,
                include_deprecated: include.is_some_and(ArgumentValue::is_true),
                selected: match field.below() {
                    Some(below) => self.selected(below, &fields),
                    None => Vec::new(),
                },
            });
        }
        all
    }

    fn merge(
        &self,
        set: &'d SelectionSet,
        applies: &impl Fn(&str) -> bool,
        merged: &mut Merged<'d>,
    ) {
        for selection in &set.selections {
            if !self.counts(selection.directives()) {
                continue;
            }
            match selection {
                Selection::Field(field) => {
                    let name = field.response_key().as_str();
                    match merged.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, fields)) => fields.push(field),
                        None => merged.push((name, vec![field])),
                    }
                }
                Selection::InlineFragment(fragment) => {
                    if fragment.type_condition.as_deref().is_none_or(applies) {
                        self.merge(&fragment.selection_set, applies, merged);
                    }
                }
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = self.fragments.get(&spread.fragment_name)
                        && applies(fragment.type_condition())
                    {
                        self.merge(&fragment.selection_set, applies, merged);
                    }
                }
            }
        }
    }

    /// `@skip` and `@include`.
    fn counts(&self, directives: &'d ast::DirectiveList) -> bool {
        let is = |name: &str, otherwise: bool| {
            let value = directives
                .get(name)
                .and_then(|directive| directive.specified_argument_by_name("if"))
                .and_then(|value| self.given(value));
            value.map_or(otherwise, ArgumentValue::is_true)
        };
        !is("skip", false) && is("include", true)
    }

    /// The given value of an argument: `None` if it is absent.
    fn argument(&self, field: &'d Field, name: &str) -> Option<ArgumentValue<'d>> {
        let argument = field.specified_argument_by_name(name)?;
        self.given(argument)
    }

    fn given(&self, value: &'d Node<ast::Value>) -> Option<ArgumentValue<'d>> {
        match &**value {
            ast::Value::Variable(name) => {
                self.variables.get(name.as_str()).map(|value| ArgumentValue::Variable(value))
            }
            _ => Some(ArgumentValue::Literal(value)),
        }
    }
}

/// The value of an argument.
#[derive(Clone, Copy)]
enum ArgumentValue<'d> {
    Literal(&'d ast::Value),
    Variable(&'d Json),
}

impl ArgumentValue<'_> {
    fn is_true(self) -> bool {
        match self {
            Self::Literal(value) => value.to_bool() == Some(true),
            Self::Variable(value) => value.as_bool() == Some(true),
        }
    }

    fn text(self) -> Option<String> {
        match self {
            Self::Literal(value) => value.as_str().map(str::to_owned),
            Self::Variable(value) => value.as_str().map(str::to_owned),
        }
    }
}
