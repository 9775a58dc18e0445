//! What each type of the definitions is, by its name.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use graphql::definitions::{Definitions, Directive, Literal, Named};

use super::directives::{self, Known, Place, Said};
use super::problem::{At, Problems};
use super::written::{Parts, Written, WrittenBody, WrittenField, add_directives};
use crate::model::{ApiVersion, PropertyType};

/// The types that are there without being defined.
const BUILT_IN: &[&str] = &[
    "BigInt",
    "Boolean",
    "CartesianPoint",
    "CartesianPointDistance",
    "CartesianPointInput",
    "Date",
    "DateTime",
    "Duration",
    "Float",
    "ID",
    "Int",
    "LocalDateTime",
    "LocalTime",
    "Point",
    "PointDistance",
    "PointInput",
    "SortDirection",
    "String",
    "Time",
];

const ROOTS: &[&str] = &["Query", "Mutation", "Subscription"];

/// The types of the definitions, by what they are.
#[derive(Debug)]
pub(super) struct Types<'d> {
    pub(super) version: ApiVersion,
    pub(super) nodes: Vec<Type<'d>>,
    pub(super) properties: Vec<Type<'d>>,
    pub(super) interfaces: Vec<Type<'d>>,
    pub(super) unions: Vec<Type<'d>>,
    pub(super) enums: Vec<Type<'d>>,
    pub(super) scalars: Vec<Type<'d>>,
    /// Objects that are no nodes.
    pub(super) objects: Vec<Type<'d>>,
    pub(super) inputs: Vec<Type<'d>>,
    /// The roots, where something is said of them.
    pub(super) query: Option<Type<'d>>,
    pub(super) mutation: Option<Type<'d>>,
    /// The types of the claims of tokens.
    pub(super) claims: Vec<Type<'d>>,
    meanings: HashMap<&'d str, Meaning>,
    schema: Said<'d>,
}

/// A type with those of its directives that are served.
#[derive(Clone, Debug)]
pub(super) struct Type<'d> {
    pub(super) written: &'d Written<'d>,
    pub(super) said: Said<'d>,
}

/// What a name means; each by its place in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Node(usize),
    Properties(usize),
    Interface(usize),
    Union(usize),
    Enum(usize),
    Scalar(usize),
    Object(usize),
    Input(usize),
    /// Of the claims of tokens, which no field has.
    Claims,
    /// It is nothing that can be served, which was told where it is defined.
    Refused,
}

impl<'d> Type<'d> {
    pub(super) fn name(&self) -> &'d Arc<str> {
        self.written.name
    }

    pub(super) fn at(&self) -> At<'d> {
        self.written.at()
    }

    pub(super) fn interfaces(&self) -> &'d [&'d Named] {
        self.parts().map_or(&[], |parts| parts.interfaces.as_slice())
    }

    pub(super) fn fields(&self) -> &'d [WrittenField<'d>] {
        self.parts().map_or(&[], |parts| parts.fields.as_slice())
    }

    fn parts(&self) -> Option<&'d Parts<'d>> {
        self.written.parts()
    }
}

impl<'d> Types<'d> {
    pub(super) fn new(
        version: ApiVersion,
        written: &'d [Written<'d>],
        definitions: &'d Definitions,
        problems: &mut Problems,
    ) -> Self {
        let mut types = Self {
            version,
            nodes: Vec::new(),
            properties: Vec::new(),
            interfaces: Vec::new(),
            unions: Vec::new(),
            enums: Vec::new(),
            scalars: Vec::new(),
            objects: Vec::new(),
            inputs: Vec::new(),
            query: None,
            mutation: None,
            claims: Vec::new(),
            meanings: HashMap::new(),
            schema: schema(version, definitions, problems),
        };
        for directive in &definitions.directives {
            let at = At::schema(directive.line);
            let subject = format!("the directive `@{}` of one's own", directive.name);
            problems.needs_javascript(at, subject, "leave it out: nothing reads it");
        }
        let named = named_properties(version, written);
        for one in written {
            check_name(one, problems);
            let meaning = types.place(one, &named, problems);
            types.meanings.insert(one.name, meaning);
        }
        types
    }

    /// The directives of the schema itself.
    pub(super) fn schema(&self) -> &Said<'d> {
        &self.schema
    }

    /// What a type that is defined means.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.meanings.get(name).copied()
    }

    fn place(
        &mut self,
        written: &'d Written<'d>,
        named: &HashSet<&str>,
        problems: &mut Problems,
    ) -> Meaning {
        let place = match written.body {
            WrittenBody::Scalar => Place::Scalar,
            WrittenBody::Object(_) => Place::Object,
            WrittenBody::Interface(_) => Place::Interface,
            WrittenBody::Union(_) => Place::Union,
            WrittenBody::Enum(_) => Place::Enum,
            WrittenBody::InputObject(_) => Place::InputObject,
        };
        let before = problems.count();
        let at = written.at();
        let said = directives::check(self.version, place, at, &written.directives, problems);
        let is_refused = problems.count() > before;
        check_against_schema(&said, &self.schema, at, problems);
        let is_properties = said.has(Known::RelationshipProperties)
            || (place == Place::Interface && named.contains(&**written.name));
        let is_node = self.version == ApiVersion::V3 || said.has(Known::Node);
        let is_served = matches!(&**written.name, "Query" | "Mutation");
        let r#type = Type { written, said };
        match &written.body {
            WrittenBody::Object(parts) if !parts.fields.is_empty() && is_served => {
                match &**written.name {
                    "Query" => self.query = Some(r#type),
                    _ => self.mutation = Some(r#type),
                }
                Meaning::Refused
            }
            WrittenBody::Object(parts) if ROOTS.contains(&&**written.name) => {
                refuse_root(self.version, written, parts, problems);
                Meaning::Refused
            }
            WrittenBody::Object(_) if r#type.said.has(Known::Jwt) => {
                if r#type.said.has(Known::Node) || is_properties {
                    let message = "a type of claims is neither of nodes nor of properties";
                    problems.wrong(at, message);
                }
                self.claims.push(r#type);
                Meaning::Claims
            }
            WrittenBody::Object(_) | WrittenBody::Interface(_) if is_properties => {
                self.properties.push(r#type);
                Meaning::Properties(self.properties.len() - 1)
            }
            WrittenBody::Interface(_) => {
                self.interfaces.push(r#type);
                Meaning::Interface(self.interfaces.len() - 1)
            }
            WrittenBody::Object(_) if is_node => {
                self.nodes.push(r#type);
                Meaning::Node(self.nodes.len() - 1)
            }
            WrittenBody::Object(_) => {
                // What its directives are refused for may be what it is.
                if is_refused {
                    return Meaning::Refused;
                }
                self.objects.push(r#type);
                Meaning::Object(self.objects.len() - 1)
            }
            WrittenBody::Union(_) => {
                self.unions.push(r#type);
                Meaning::Union(self.unions.len() - 1)
            }
            WrittenBody::Enum(_) => {
                self.enums.push(r#type);
                Meaning::Enum(self.enums.len() - 1)
            }
            WrittenBody::Scalar => {
                self.scalars.push(r#type);
                Meaning::Scalar(self.scalars.len() - 1)
            }
            WrittenBody::InputObject(_) => {
                self.inputs.push(r#type);
                Meaning::Input(self.inputs.len() - 1)
            }
        }
    }
}

/// The type of a value that is there without being defined.
pub(super) fn built_in(name: &str) -> Option<PropertyType> {
    Some(match name {
        "BigInt" => PropertyType::BigInt,
        "Boolean" => PropertyType::Boolean,
        "CartesianPoint" => PropertyType::CartesianPoint,
        "Date" => PropertyType::Date,
        "DateTime" => PropertyType::DateTime,
        "Duration" => PropertyType::Duration,
        "Float" => PropertyType::Float,
        "ID" => PropertyType::Id,
        "Int" => PropertyType::Int,
        "LocalDateTime" => PropertyType::LocalDateTime,
        "LocalTime" => PropertyType::LocalTime,
        "Point" => PropertyType::Point,
        "String" => PropertyType::String,
        "Time" => PropertyType::Time,
        _ => return None,
    })
}

/// version 3 takes every interface for properties that a relationship names for them.
fn named_properties<'d>(version: ApiVersion, written: &'d [Written<'d>]) -> HashSet<&'d str> {
    if version == ApiVersion::V7 {
        return HashSet::new();
    }
    let fields = written.iter().filter_map(Written::parts).flat_map(|parts| &parts.fields);
    let directives = fields.flat_map(|field| &field.directives);
    let relationships = directives.filter(|directive| &*directive.name == "relationship");
    let arguments = relationships.flat_map(|directive| &directive.arguments);
    arguments
        .filter(|argument| &*argument.name == "properties")
        .filter_map(|argument| match &argument.value {
            Literal::String(name) => Some(&**name),
            _ => None,
        })
        .collect()
}

fn schema<'d>(
    version: ApiVersion,
    definitions: &'d Definitions,
    problems: &mut Problems,
) -> Said<'d> {
    let mut directives: Vec<&'d Directive> = Vec::new();
    for schema in &definitions.schemas {
        for (operation, named) in &schema.operations {
            let usual = match *operation {
                "mutation" => "Mutation",
                "subscription" => "Subscription",
                _ => "Query",
            };
            if &*named.name != usual {
                let message = format!("the type of {operation} operations is always `{usual}`");
                problems.wrong(At::schema(named.line), message);
            }
        }
        let at = At::schema(schema.line);
        add_directives(&mut directives, &schema.directives, at, problems);
    }
    let at = At::schema(definitions.schemas.first().map_or(1, |schema| schema.line));
    directives::check(version, Place::Schema, at, &directives, problems)
}

/// What is said of the schema cannot be said of a type too.
fn check_against_schema(
    of_type: &Said<'_>,
    of_schema: &Said<'_>,
    at: At<'_>,
    problems: &mut Problems,
) {
    for (known, name) in [(Known::Query, "query"), (Known::Mutation, "mutation")] {
        if let (Some(own), true) = (of_type.find(known), of_schema.has(known)) {
            let message = format!("`@{name}` is said of the schema: say it there or of types");
            problems.wrong(at.on_line(own.line()), message);
        }
        if let (Some(own), true) = (of_type.find(Known::Exclude), of_schema.has(known)) {
            let message = format!("`@{name}` is said of the schema, which excludes `@exclude`");
            problems.wrong(at.on_line(own.line()), message);
        }
    }
}

/// Names that the library keeps for itself.
fn check_name(written: &Written<'_>, problems: &mut Problems) {
    let name: &str = written.name;
    let reason = if BUILT_IN.contains(&name) {
        "a type of this name is there without being defined: leave this one out"
    } else if name.starts_with("__") {
        "names that begin with two underscores belong to introspection: rename it"
    } else if name == "PageInfo" {
        "`PageInfo` belongs to the paging of connections: rename it"
    } else if name == "Node" {
        "`Node` belongs to global ids: rename it, and say `@node(labels: [\"Node\"])`"
    } else if name.ends_with("Connection") && name != "Connection" {
        "names that end in `Connection` belong to the paging of connections: rename it"
    } else {
        return;
    };
    problems.wrong(written.at(), reason);
}

fn refuse_root(
    version: ApiVersion,
    written: &Written<'_>,
    parts: &Parts<'_>,
    problems: &mut Problems,
) {
    for field in &parts.fields {
        let definition = field.definition;
        let at = written.at().member(definition.line, &definition.name);
        let before = problems.count();
        directives::check(version, Place::Field, at, &field.directives, problems);
        if problems.count() == before {
            let instead = "leave it out: fields for every type of nodes are made anyway";
            problems.needs_javascript(at, "a root field of one's own", instead);
        }
    }
    if parts.fields.is_empty() {
        let message = format!("`{}` is made anyway: leave it out", written.name);
        problems.wrong_if_none(written.at(), message);
    }
}
