//! Connectors of a subgraph: their rules, and the keys that follow from them.
//! <https://www.apollographql.com/docs/graphos/connectors/reference/directives>

use std::sync::Arc;

use connectors::definitions::{
    Applied as AppliedConnector, Definitions, FieldDefinition, InputDefinition, Key,
    Kind as ConnectorKind, Type as ConnectorType, TypeDefinition,
};
use connectors::{Reading, Resolves, Version};
use graphql::definitions::TypeExpression;

use super::directives::Written;
use super::field_sets;
use super::links::Feature;
use super::schema::{Applied, At, Field, Input, Kind, Subgraph, Type, all};
use super::specifications::{Directive, Meaning};
use super::{Code, Finding};
use crate::composed::used_fields;
use crate::connect::{object, place};

const IDENTITY: &str = "https://specs.apollo.dev/connect";

/// Returns the link of a subgraph to the specification of connectors.
pub(crate) fn link_of(subgraph: &Subgraph) -> Option<&Feature> {
    subgraph.links.features.iter().find(|feature| &*feature.identity == IDENTITY)
}

/// Checks the connectors of a subgraph, and adds the keys that they resolve.
pub(crate) fn check(subgraph: &mut Subgraph) -> Vec<Finding> {
    let Some(link) = link_of(subgraph) else { return Vec::new() };
    let version = link.version.map(|version| version.to_string());
    let Some(version) = version.as_deref().and_then(Version::parse) else {
        let message = format!(
            "Subgraph \"{}\": `{}` is no version of connectors that is known here.",
            subgraph.name, link.url
        );
        let known = Version::ALL.map(|version| format!("`{version}`")).join(", ");
        let finding = Finding::new(Code::UnknownConnectorsVersion, message)
            .on("@link")
            .at(subgraph.location(link.at))
            .remedy(format!("Link one of {known}."));
        return vec![finding];
    };
    let definitions = definitions(subgraph, version);
    let Reading { connectors, findings, .. } = connectors::read(&definitions);
    let (errors, hints): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| finding.is_error);
    let finding_of = |finding: connectors::Finding| {
        let code = Code::of_connectors(finding.code);
        let message = format!("Subgraph \"{}\": {}.", subgraph.name, finding.message);
        let number = |number| usize::try_from(number).unwrap_or(usize::MAX);
        let at = At { line: number(finding.place.line), column: number(finding.place.column) };
        Finding::new(code, message).at(subgraph.location(at))
    };
    let errors: Vec<Finding> = errors.into_iter().map(finding_of).collect();
    subgraph.hints = hints.into_iter().map(finding_of).collect();
    if errors.is_empty() {
        add_keys(subgraph, &connectors);
    }
    errors
}

/// Adds the key of each entity that a connector resolves, where the schema does not say it.
fn add_keys(subgraph: &mut Subgraph, connectors: &[connectors::Connector]) {
    for connector in connectors {
        let coordinate = &connector.coordinate;
        let name: Arc<str> = match (connector.resolves, &coordinate.field) {
            (Resolves::Type, _) => (&*coordinate.type_name).into(),
            (Resolves::FieldAndEntity, Some(field)) => {
                match subgraph.find_field(&coordinate.type_name, field) {
                    Some(field) => field.r#type.base().clone(),
                    None => continue,
                }
            }
            _ => continue,
        };
        let fields = used_fields(connector).text();
        let Some(r#type) = subgraph.find_type_mut(&name) else { continue };
        if fields.is_empty() || all(&r#type.applied, Meaning::Key).next().is_some() {
            continue;
        }
        let mut directive = Written::new("key").text("fields", fields).done();
        (directive.line, directive.column) = (r#type.at.line, r#type.at.column);
        r#type.applied.push(Applied { meaning: Meaning::Key, directive, is_in_extension: false });
    }
}

fn definitions(subgraph: &Subgraph, version: Version) -> Definitions {
    let named = |name: &str| subgraph.find_type(name).map(|_| name.into());
    let called = |meaning| {
        let name = subgraph.links.name_of(meaning);
        name.map(|name| ["@", name].concat()).unwrap_or_default().into()
    };
    let unsupported = [Meaning::Merged(Directive::Context), Meaning::FromContext];
    let unsupported = all_applied(subgraph).filter(|one| unsupported.contains(&one.meaning));
    let unsupported = unsupported.map(|one| {
        let at = one.at();
        (["@", &*one.directive.name].concat().into(), place(at.line, at.column))
    });
    Definitions {
        version,
        connect_name: called(Meaning::Connect),
        source_name: called(Meaning::Source),
        sources: applied(&subgraph.applied, Meaning::Source),
        types: subgraph.types.iter().map(type_definition).collect(),
        query: named("Query"),
        mutation: named("Mutation"),
        subscription: named("Subscription"),
        unsupported: unsupported.collect(),
    }
}

fn all_applied(subgraph: &Subgraph) -> impl Iterator<Item = &Applied> {
    subgraph.types.iter().flat_map(|r#type| {
        let fields = r#type.fields().iter().flat_map(|field| {
            let arguments = field.arguments.iter().flat_map(|argument| &argument.applied);
            field.applied.iter().chain(arguments)
        });
        r#type.applied.iter().chain(fields)
    })
}

fn applied(directives: &[Applied], meaning: Meaning) -> Vec<AppliedConnector> {
    let own = all(directives, meaning).map(|one| {
        let arguments = one.directive.arguments.iter();
        let arguments = arguments.map(|argument| (&*argument.name, &argument.value));
        let at = one.at();
        AppliedConnector { arguments: object(arguments), place: place(at.line, at.column) }
    });
    own.collect()
}

fn type_definition(r#type: &Type) -> TypeDefinition {
    let fields = |fields: &[Field]| fields.iter().map(field_definition).collect();
    let kind = match &r#type.kind {
        Kind::Scalar => ConnectorKind::Scalar,
        Kind::Enum(_) => ConnectorKind::Enum,
        Kind::Object(composite) => ConnectorKind::Object {
            fields: fields(&composite.fields),
            interfaces: composite.interfaces.iter().map(|named| (&*named.name).into()).collect(),
        },
        Kind::Interface(composite) => {
            ConnectorKind::Interface { fields: fields(&composite.fields) }
        }
        Kind::Union(members) => {
            ConnectorKind::Union(members.iter().map(|member| (&*member.name).into()).collect())
        }
        Kind::Input(inputs) => ConnectorKind::InputObject(inputs.iter().map(input).collect()),
    };
    let keys = all(&r#type.applied, Meaning::Key).filter_map(|key| {
        let resolvable = key.argument("resolvable");
        let at = key.at();
        Some(Key {
            fields: field_sets::text(key)?.into(),
            is_resolvable: resolvable != Some(&graphql::definitions::Literal::Boolean(false)),
            place: place(at.line, at.column),
        })
    });
    TypeDefinition {
        name: (&*r#type.name).into(),
        place: place(r#type.at.line, r#type.at.column),
        kind,
        connects: applied(&r#type.applied, Meaning::Connect),
        keys: keys.collect(),
    }
}

fn field_definition(field: &Field) -> FieldDefinition {
    FieldDefinition {
        name: (&*field.name).into(),
        place: place(field.at.line, field.at.column),
        arguments: field.arguments.iter().map(input).collect(),
        r#type: type_of(&field.r#type),
        connects: applied(&field.applied, Meaning::Connect),
        is_external: all(&field.applied, Meaning::External).next().is_some(),
    }
}

fn input(input: &Input) -> InputDefinition {
    InputDefinition { name: (&*input.name).into(), r#type: type_of(&input.r#type) }
}

/// Recursion is bounded by the parser's limit.
fn type_of(written: &TypeExpression) -> ConnectorType {
    let (inner, is_required) = match written {
        TypeExpression::Named { name, is_required } => {
            (ConnectorType::Named((&**name).into()), *is_required)
        }
        TypeExpression::List { of, is_required } => {
            (ConnectorType::List(Box::new(type_of(of))), *is_required)
        }
    };
    if is_required { ConnectorType::NonNull(Box::new(inner)) } else { inner }
}
