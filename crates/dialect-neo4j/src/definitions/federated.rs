//! What is said to routers of a federated graph. What it means is known where the API is made a
//! subgraph; where it is none, nothing reads it.

use std::sync::Arc;

use graphql::definitions::{Directive, Literal, SchemaDefinition};

use super::directives::is_of_federation;
use super::problem::{At, Problems, Unserved};
use super::written::{Written, WrittenBody};
use crate::model::ApiVersion;
use api::federation::AppliedDirectives;

/// Where the directives are defined; the version follows.
const SPECIFICATION: &str = "https://specs.apollo.dev/federation/";

/// The directives of types and their members. Those of the schema say where the others come from.
pub(super) fn said(
    version: ApiVersion,
    written: &[Written<'_>],
    schemas: &[SchemaDefinition],
    problems: &mut Problems,
) -> Vec<AppliedDirectives> {
    for directive in schemas.iter().flat_map(|schema| &schema.directives) {
        if &*directive.name == "link" && !is_link(directive) {
            let subject = "`@link` to anything but federation";
            problems.not_served(At::schema(directive.line), subject, Unserved::Federation);
        }
    }
    let mut said = Vec::new();
    for own in written {
        let mut add = |member: Option<&Arc<str>>, directives: &[&Directive]| {
            let own_directives =
                directives.iter().filter(|one| is_of_federation(version, &one.name));
            let directives: Vec<Directive> = own_directives.map(|one| (*one).clone()).collect();
            if !directives.is_empty() {
                let (r#type, member) = (Arc::clone(own.name), member.map(Arc::clone));
                said.push(AppliedDirectives { r#type, member, directives });
            }
        };
        add(None, &own.directives);
        match &own.body {
            WrittenBody::Object(parts) | WrittenBody::Interface(parts) => {
                for field in &parts.fields {
                    add(Some(&field.definition.name), &field.directives);
                }
            }
            WrittenBody::Enum(values) => {
                for value in values {
                    add(Some(&value.name), &value.directives.iter().collect::<Vec<_>>());
                }
            }
            WrittenBody::Scalar | WrittenBody::Union(_) | WrittenBody::InputObject(_) => {}
        }
    }
    said
}

/// Whether it names the specification of federation, in whatever version.
fn is_link(directive: &Directive) -> bool {
    let url = directive.arguments.iter().find(|argument| &*argument.name == "url");
    matches!(url.map(|url| &url.value), Some(Literal::String(url)) if url.starts_with(SPECIFICATION))
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    #[test]
    fn directives_are_said_of_types_and_their_members() {
        let text = "
            extend schema @link(url: \"https://specs.apollo.dev/federation/v2.3\", import: [\"@key\"])
            type Movie @node @key(fields: \"id\") @key(fields: \"title\") {
              id: ID!
              title: String @shareable @tag(name: \"a\")
              kind: Kind
            }
            extend type Movie @tag(name: \"b\")
            enum Kind { LONG @inaccessible SHORT }";
        for version in [ApiVersion::V7, ApiVersion::V3] {
            let text = match version {
                ApiVersion::V7 => text.to_owned(),
                ApiVersion::V3 => text.replace(" @node", ""),
            };
            let model = read(&text, version).unwrap_or_else(|problems| panic!("{problems:?}"));
            let told = model.federation.iter().map(|said| {
                let directives = said.directives.iter();
                let names: Vec<_> = directives.map(|one| (&*one.name, one.line)).collect();
                (&*said.r#type, said.member.as_deref(), names)
            });
            let expected = [
                ("Movie", None, vec![("key", 3), ("key", 3), ("tag", 8)]),
                ("Movie", Some("title"), vec![("shareable", 5), ("tag", 5)]),
                ("Kind", Some("LONG"), vec![("inaccessible", 9)]),
            ];
            assert_eq!(told.collect::<Vec<_>>(), expected, "{version:?}");
        }
    }
}
