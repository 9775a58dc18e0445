//! Parser of a subgraph's schema: resolves its links, merges its extensions, and leaves out what
//! Federation itself adds to schemas.

use std::sync::Arc;

use graphql::BUILT_IN_SCALARS;
use graphql::definitions::{
    Composite as WrittenComposite, Definitions, Directive, FieldDefinition, InputDefinition, Named,
    TypeBody, TypeDefinition, TypeExpression,
};
use graphql::parse_definitions;
use rustc_hash::{FxHashMap, FxHashSet};

use super::connectors;
use super::links::Links;
use super::schema::{Applied, At, Composite, Field, Input, Kind, Roles, Subgraph, Type, Value};
use super::specifications::FEDERATION_1;
use super::{Code, Finding, Location, SubgraphSchema, roles, validate};

/// Root types by operation: the default names.
const ROOTS: [(&str, &str); 3] =
    [("query", "Query"), ("mutation", "Mutation"), ("subscription", "Subscription")];

/// Parses the schema of a subgraph, or returns all errors of its text.
pub(crate) fn parse(schema: &SubgraphSchema) -> Result<Subgraph, Vec<Finding>> {
    let definitions = parse_definitions(&schema.sdl).map_err(|errors| {
        let findings = errors.into_iter().map(|error| {
            let at = error.locations.first();
            let location = Location {
                subgraph: schema.name.clone(),
                line: at.map_or(0, |at| at.line),
                column: at.map_or(0, |at| at.column),
            };
            Finding::new(Code::InvalidGraphql, error.message).at(location)
        });
        findings.collect::<Vec<_>>()
    })?;
    let directives = definitions.schemas.iter().flat_map(|schema| &schema.directives);
    let defined = definitions.directives.iter().map(|definition| &*definition.name);
    let links = Links::read(directives.clone(), defined);
    let subgraph = Subgraph::new(&schema.name, &schema.url, links);
    let mut parser = Parser { subgraph, renamed: FxHashMap::default(), findings: Vec::new() };
    parser.rename_roots(&definitions);
    parser.subgraph.applied = parser.applied_all(directives, false);
    for definition in &definitions.directives {
        if !parser.subgraph.links.is_of_specification(&definition.name) {
            parser.subgraph.directives.push(definition.clone());
        }
    }
    for definition in &definitions.types {
        let is_scalar = BUILT_IN_SCALARS.contains(&&*definition.name);
        if parser.is_beside_root(&definition.name) {
            // A finding of the root types.
        } else if !is_scalar && !parser.subgraph.links.is_specification_type(&definition.name) {
            parser.add(definition);
        }
    }
    parser.leave_out_machinery();
    let mut findings = validate::links(&parser.subgraph);
    if !findings.is_empty() {
        return Err(findings);
    }
    findings.append(&mut parser.findings);
    findings.extend(validate::graphql(&parser.subgraph, &definitions));
    let mut subgraph = parser.subgraph;
    findings.extend(connectors::check(&mut subgraph));
    roles::assign(&mut subgraph);
    // The rules of Federation are those of Federation 2: earlier schemas are upgraded first.
    if subgraph.links.federation != FEDERATION_1 {
        findings.extend(validate::federation(&subgraph));
    }
    if findings.is_empty() { Ok(subgraph) } else { Err(findings) }
}

struct Parser {
    subgraph: Subgraph,
    /// Root types with other names than the default ones.
    renamed: FxHashMap<Arc<str>, Arc<str>>,
    findings: Vec<Finding>,
}

impl Parser {
    /// Reads the root types. They have their default names in a supergraph.
    fn rename_roots(&mut self, definitions: &Definitions) {
        let operations = definitions.schemas.iter().flat_map(|schema| &schema.operations);
        for (kind, named) in operations {
            let Some((_, default)) = ROOTS.iter().find(|(operation, _)| operation == kind) else {
                continue;
            };
            if *named.name != **default {
                self.renamed.insert(named.name.clone(), (*default).into());
            }
        }
        for r#type in &definitions.types {
            if self.is_beside_root(&r#type.name) {
                let code = match &*r#type.name {
                    "Query" => Code::RootQueryUsed,
                    "Mutation" => Code::RootMutationUsed,
                    _ => Code::RootSubscriptionUsed,
                };
                let message = format!(
                    "The type `{}` of the subgraph \"{}\" is no root type, but has the name that \
                     the root type has in the supergraph.",
                    r#type.name, self.subgraph.name
                );
                let at = At { line: r#type.line, column: r#type.column };
                let finding = Finding::new(code, message)
                    .on(&*r#type.name)
                    .at(self.subgraph.location(at))
                    .remedy("Rename the type, or make it the root type.");
                self.findings.push(finding);
            }
        }
    }

    /// Whether a type has the default name of a root type that has another name.
    fn is_beside_root(&self, name: &Arc<str>) -> bool {
        self.renamed.values().any(|default| default == name) && !self.renamed.contains_key(name)
    }

    fn name(&self, name: &Arc<str>) -> Arc<str> {
        self.renamed.get(name).unwrap_or(name).clone()
    }

    fn named(&self, named: &Named) -> Named {
        Named { name: self.name(&named.name), ..named.clone() }
    }

    fn add(&mut self, definition: &TypeDefinition) {
        let name = self.name(&definition.name);
        let at = At { line: definition.line, column: definition.column };
        if self.subgraph.find_type(&name).is_none() {
            self.subgraph.add_type(Type {
                name: name.clone(),
                at,
                description: None,
                is_defined: false,
                is_extended: false,
                applied: Vec::new(),
                kind: empty(&definition.body),
            });
        }
        let applied = self.applied_all(definition.directives.iter(), definition.is_extension);
        let mut part = self.kind(&definition.body);
        if let Kind::Object(composite) | Kind::Interface(composite) = &mut part {
            for field in &mut composite.fields {
                field.is_in_extension = definition.is_extension;
            }
        }
        let subgraph = self.subgraph.name.clone();
        let Some(r#type) = self.subgraph.find_type_mut(&name) else { return };
        let mut problem = None;
        if !r#type.kind.is(&definition.body) {
            problem = Some(format!(
                "The subgraph \"{subgraph}\" has `{name}` as {} and as {}.",
                r#type.kind.word(),
                part.word()
            ));
        } else if r#type.is_defined && !definition.is_extension {
            problem = Some(format!("The subgraph \"{subgraph}\" defines `{name}` twice."));
        }
        if let Some(message) = problem {
            let locations = [r#type.at, at].map(|at| self.subgraph.location(at));
            let mut finding = Finding::new(Code::InvalidGraphql, message).on(&*name);
            finding.locations.extend(locations);
            self.findings.push(finding);
            return;
        }
        if definition.is_extension {
            r#type.is_extended = true;
        } else {
            r#type.is_defined = true;
            r#type.at = at;
            r#type.description.clone_from(&definition.description);
        }
        r#type.applied.extend(applied);
        let repeated = extend(&mut r#type.kind, part);
        for (member, at) in repeated {
            let message =
                format!("The subgraph \"{subgraph}\" defines `{name}.{member}` several times.");
            let finding = Finding::new(Code::InvalidGraphql, message)
                .on([&*name, ".", &*member].concat())
                .at(self.subgraph.location(at));
            self.findings.push(finding);
        }
    }

    fn kind(&self, body: &TypeBody) -> Kind {
        match body {
            TypeBody::Scalar => Kind::Scalar,
            TypeBody::Object(composite) => Kind::Object(self.composite(composite)),
            TypeBody::Interface(composite) => Kind::Interface(self.composite(composite)),
            TypeBody::Union(members) => {
                Kind::Union(members.iter().map(|member| self.named(member)).collect())
            }
            TypeBody::Enum(values) => {
                let values = values.iter().map(|value| Value {
                    name: value.name.clone(),
                    at: At { line: value.line, column: value.column },
                    description: value.description.clone(),
                    applied: self.applied_all(value.directives.iter(), false),
                });
                Kind::Enum(values.collect())
            }
            TypeBody::InputObject(inputs) => {
                Kind::Input(inputs.iter().map(|input| self.input(input)).collect())
            }
        }
    }

    fn composite(&self, written: &WrittenComposite) -> Composite {
        Composite {
            interfaces: written.interfaces.iter().map(|named| self.named(named)).collect(),
            fields: written.fields.iter().map(|field| self.field(field)).collect(),
        }
    }

    fn field(&self, written: &FieldDefinition) -> Field {
        Field {
            name: written.name.clone(),
            at: At { line: written.line, column: written.column },
            description: written.description.clone(),
            r#type: self.type_expression(&written.r#type),
            arguments: written.arguments.iter().map(|argument| self.input(argument)).collect(),
            applied: self.applied_all(written.directives.iter(), false),
            is_in_extension: false,
            roles: Roles::default(),
        }
    }

    fn input(&self, written: &InputDefinition) -> Input {
        Input {
            name: written.name.clone(),
            at: At { line: written.line, column: written.column },
            description: written.description.clone(),
            r#type: self.type_expression(&written.r#type),
            default: written.default.clone(),
            applied: self.applied_all(written.directives.iter(), false),
        }
    }

    fn type_expression(&self, written: &TypeExpression) -> TypeExpression {
        match written {
            TypeExpression::Named { name, is_required } => {
                TypeExpression::Named { name: self.name(name), is_required: *is_required }
            }
            TypeExpression::List { of, is_required } => TypeExpression::List {
                of: Box::new(self.type_expression(of)),
                is_required: *is_required,
            },
        }
    }

    fn applied_all<'d>(
        &self,
        directives: impl Iterator<Item = &'d Directive>,
        is_in_extension: bool,
    ) -> Vec<Applied> {
        let applied = directives.map(|directive| Applied {
            meaning: self.subgraph.links.meaning(&directive.name),
            directive: directive.clone(),
            is_in_extension,
        });
        applied.collect()
    }

    /// Removes the fields by which gateways fetch entities and the schema, and root types without
    /// fields. Every subgraph has a root type of queries: that of these fields.
    fn leave_out_machinery(&mut self) {
        if let Some(query) = self.subgraph.find_type_mut("Query")
            && let Some(composite) = query.composite_mut()
        {
            composite.fields.retain(|field| !matches!(&*field.name, "_entities" | "_service"));
        }
        self.subgraph.retain_types(|r#type| {
            !(matches!(&*r#type.name, "Mutation" | "Subscription") && r#type.fields().is_empty())
        });
        if self.subgraph.find_type("Query").is_none() {
            self.subgraph.add_type(Type {
                name: "Query".into(),
                at: At::default(),
                description: None,
                is_defined: true,
                is_extended: false,
                applied: Vec::new(),
                kind: Kind::Object(Composite::default()),
            });
        }
    }
}

/// Adds a part of a type; returns the names of members that it has already.
fn extend(kind: &mut Kind, part: Kind) -> Vec<(Arc<str>, At)> {
    let mut repeated = Vec::new();
    let add_named = |known: &mut Vec<Named>, more: Vec<Named>| {
        for one in more {
            if !known.iter().any(|other| other.name == one.name) {
                known.push(one);
            }
        }
    };
    match (kind, part) {
        (Kind::Object(known), Kind::Object(more))
        | (Kind::Interface(known), Kind::Interface(more)) => {
            add_named(&mut known.interfaces, more.interfaces);
            let mut names: FxHashSet<_> =
                known.fields.iter().map(|field| field.name.clone()).collect();
            for field in more.fields {
                match names.insert(field.name.clone()) {
                    true => known.fields.push(field),
                    false => repeated.push((field.name, field.at)),
                }
            }
        }
        (Kind::Union(known), Kind::Union(more)) => add_named(known, more),
        (Kind::Enum(known), Kind::Enum(more)) => {
            for value in more {
                match known.iter().any(|other| other.name == value.name) {
                    false => known.push(value),
                    true => repeated.push((value.name, value.at)),
                }
            }
        }
        (Kind::Input(known), Kind::Input(more)) => {
            for input in more {
                match known.iter().any(|other| other.name == input.name) {
                    false => known.push(input),
                    true => repeated.push((input.name, input.at)),
                }
            }
        }
        (_, _) => {}
    }
    repeated
}

fn empty(body: &TypeBody) -> Kind {
    match body {
        TypeBody::Scalar => Kind::Scalar,
        TypeBody::Object(_) => Kind::Object(Composite::default()),
        TypeBody::Interface(_) => Kind::Interface(Composite::default()),
        TypeBody::Union(_) => Kind::Union(Vec::new()),
        TypeBody::Enum(_) => Kind::Enum(Vec::new()),
        TypeBody::InputObject(_) => Kind::Input(Vec::new()),
    }
}
