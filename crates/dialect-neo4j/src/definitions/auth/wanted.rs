//! The conditions on nodes that a rule of `@auth` says: values by the names of fields.

use std::sync::Arc;

use graphql::definitions::Literal;

use super::super::types::Types;
use super::super::written::WrittenBody;
use crate::model::rules::ClaimNames;
use crate::model::wanted::{Wanted, WantedValue};
use crate::model::{
    Constant, FieldKind, ModelField, NodeType, Property, PropertyType, RelationshipField, Target,
};
use crate::shared::kinds::Kind;

/// Where conditions are said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions<'c, 'd> {
    pub(super) types: &'c Types<'d>,
    pub(super) nodes: &'c [NodeType],
    pub(super) names: &'c ClaimNames,
    /// Whether all related nodes have to pass, as for `where` and `bind`, and not only one.
    pub(super) every: bool,
}

impl Conditions<'_, '_> {
    /// A condition on nodes of a type, by its place. Recursion is bounded by the parser of the
    /// definitions.
    pub(super) fn of_node(self, node: usize, said: &Literal) -> Result<Wanted, String> {
        let Literal::Object(members) = said else {
            return Err("it is no object of fields and their values".to_owned());
        };
        if members.is_empty() {
            return Err("an empty object lets everything: leave it out".to_owned());
        }
        let list = |name: &str, said: &Literal| -> Result<Vec<Wanted>, String> {
            match said {
                Literal::List(items) if !items.is_empty() => {
                    items.iter().map(|said| self.of_node(node, said)).collect()
                }
                _ => Err(format!("`{name}` is a list of conditions that has one at least")),
            }
        };
        let mut all = Vec::with_capacity(members.len());
        for (name, value) in members {
            all.push(match &**name {
                "AND" => Wanted::All(list(name, value)?),
                "OR" => Wanted::Any(list(name, value)?),
                name => self.of_field(node, name, value)?,
            });
        }
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => Ok(only),
            (last, _) => {
                all.extend(last);
                Ok(Wanted::All(all))
            }
        }
    }

    fn of_field(self, node: usize, name: &str, said: &Literal) -> Result<Wanted, String> {
        let r#type = self.nodes.get(node).ok_or("its type is not there")?;
        let found = r#type.fields.iter().position(|field| *field.name == *name);
        let found = found.and_then(|place| Some((place, r#type.fields.get(place)?)));
        let Some((field, ModelField { kind, .. })) = found else {
            return Err(format!("`{}` has no field `{name}`", r#type.name));
        };
        let told = |message: String| format!("`{name}` {message}");
        match kind {
            FieldKind::Property(property) => {
                Ok(Wanted::Value { field, value: self.value(property, said).map_err(told)? })
            }
            FieldKind::Relationship(RelationshipField { target: Target::Node(target), .. }) => {
                let of = Box::new(self.of_node(*target, said)?);
                Ok(Wanted::Related { field, every: self.every, of })
            }
            FieldKind::Relationship(_) => {
                Err(told("leads to nodes of several types, of which rules say nothing".to_owned()))
            }
            FieldKind::Statement(_) | FieldKind::Part(_) => {
                Err(told("is given by a statement, and rules are of what is stored".to_owned()))
            }
        }
    }

    fn value(self, property: &Property, said: &Literal) -> Result<WantedValue, String> {
        match said {
            Literal::Null => return Ok(WantedValue::Nothing),
            // What the program around the library decodes are claims, too.
            Literal::String(text) if text.starts_with("$context.jwt.") => {
                let text = text.replacen("$context.", "$", 1);
                return self.claim(property, &text).map(WantedValue::Claim);
            }
            Literal::String(text) if text.starts_with("$context") => {
                let message =
                    format!("wants {text:?}, which a program in JavaScript says: none runs here");
                return Err(message);
            }
            Literal::String(text) if text.starts_with("$jwt") => {
                return self.claim(property, text).map(WantedValue::Claim);
            }
            _ => {}
        }
        let constant = match (said, property.is_list) {
            (Literal::List(items), true) => {
                let items = items.iter().map(|item| self.constant(&property.r#type, item));
                items.collect::<Option<_>>().map(Constant::List)
            }
            (said, false) => self.constant(&property.r#type, said),
            _ => None,
        };
        let unfit = || format!("is never {said:?}: that is no value of its type");
        constant.map(WantedValue::Constant).ok_or_else(unfit)
    }

    fn claim(self, property: &Property, text: &str) -> Result<Box<str>, String> {
        let name = text.strip_prefix("$jwt.").filter(|name| !name.is_empty());
        let Some(name) = name else {
            return Err(format!("wants {text:?}, which is no claim: write \"$jwt.name\""));
        };
        match property.r#type.kind() {
            Kind::Boolean
            | Kind::Id
            | Kind::Integer
            | Kind::Float
            | Kind::String
            | Kind::Enum
            | Kind::Scalar => Ok(self.names.path(name)),
            Kind::Date | Kind::Time | Kind::Duration | Kind::Point => {
                Err("is of a type that no claim has: it would never be equal".to_owned())
            }
        }
    }

    /// A value of a type; none if it is of another.
    fn constant(self, r#type: &PropertyType, said: &Literal) -> Option<Constant> {
        let integer = |digits: &Arc<str>| match digits.parse() {
            Ok(number) => Constant::Integer(number),
            Err(_) => Constant::Float(digits.clone()),
        };
        Some(match (r#type, said) {
            (PropertyType::Boolean | PropertyType::Scalar(_), Literal::Boolean(value)) => {
                Constant::Boolean(*value)
            }
            (
                PropertyType::Id | PropertyType::String | PropertyType::Scalar(_),
                Literal::String(text),
            ) => Constant::Text(text.clone()),
            (
                PropertyType::Int
                | PropertyType::BigInt
                | PropertyType::Float
                | PropertyType::Scalar(_),
                Literal::Int(digits),
            ) => integer(digits),
            (PropertyType::Float | PropertyType::Scalar(_), Literal::Float(text)) => {
                Constant::Float(text.clone())
            }
            (PropertyType::Enum(place), Literal::Enum(name) | Literal::String(name)) => {
                let WrittenBody::Enum(values) = &self.types.enums.get(*place)?.written.body else {
                    return None;
                };
                values.iter().find(|value| value.name == *name)?;
                Constant::Enum(name.clone())
            }
            _ => return None,
        })
    }
}
