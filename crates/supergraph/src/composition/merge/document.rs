//! The document of a supergraph: its types, with the links and definitions that its directives need.

use graphql::definitions::{
    Definitions, Directive as WrittenDirective, Literal, Named, SchemaDefinition, TypeBody,
    TypeDefinition,
};
use graphql::parse_definitions;

use super::Merger;
use super::composed::other_name;
use crate::composition::directives::Written;
use crate::composition::specifications::{Directive, SPECIFICATIONS, Version};

/// Definitions of every supergraph.
const COMMON: &str = r#"
directive @join__enumValue(graph: join__Graph!) repeatable on ENUM_VALUE
directive @join__graph(name: String!, url: String!) on ENUM_VALUE
directive @join__implements(graph: join__Graph!, interface: String!) repeatable on OBJECT | INTERFACE
directive @join__type(graph: join__Graph!, key: join__FieldSet, extension: Boolean! = false, resolvable: Boolean! = true, isInterfaceObject: Boolean! = false) repeatable on OBJECT | INTERFACE | UNION | ENUM | INPUT_OBJECT | SCALAR
directive @join__unionMember(graph: join__Graph!, member: String!) repeatable on UNION
directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
scalar join__FieldSet
scalar link__Import
enum link__Purpose {
  """
  `SECURITY` features provide metadata necessary to securely resolve fields.
  """
  SECURITY

  """
  `EXECUTION` features provide metadata necessary for operation execution.
  """
  EXECUTION
}
"#;

/// Version of the join specification, by what a supergraph needs.
/// <https://specs.apollo.dev/join/v0.5/>
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Join {
    V0_3,
    /// With labels of overrides.
    V0_4,
    /// With arguments from contexts.
    V0_5,
}

impl Join {
    fn version(self) -> &'static str {
        match self {
            Self::V0_3 => "v0.3",
            Self::V0_4 => "v0.4",
            Self::V0_5 => "v0.5",
        }
    }

    fn definitions(self) -> &'static str {
        match self {
            Self::V0_3 => {
                "directive @join__field(graph: join__Graph, requires: join__FieldSet, provides: join__FieldSet, type: String, external: Boolean, override: String, usedOverridden: Boolean) repeatable on FIELD_DEFINITION | INPUT_FIELD_DEFINITION"
            }
            Self::V0_4 => {
                "directive @join__field(graph: join__Graph, requires: join__FieldSet, provides: join__FieldSet, type: String, external: Boolean, override: String, usedOverridden: Boolean, overrideLabel: String) repeatable on FIELD_DEFINITION | INPUT_FIELD_DEFINITION
directive @join__directive(graphs: [join__Graph!], name: String!, args: join__DirectiveArguments) repeatable on SCHEMA | OBJECT | INTERFACE | FIELD_DEFINITION
scalar join__DirectiveArguments"
            }
            Self::V0_5 => {
                "directive @join__field(graph: join__Graph, requires: join__FieldSet, provides: join__FieldSet, type: String, external: Boolean, override: String, usedOverridden: Boolean, overrideLabel: String, contextArguments: [join__ContextArgument!]) repeatable on FIELD_DEFINITION | INPUT_FIELD_DEFINITION
directive @join__directive(graphs: [join__Graph!], name: String!, args: join__DirectiveArguments) repeatable on SCHEMA | OBJECT | INTERFACE | FIELD_DEFINITION
scalar join__DirectiveArguments
scalar join__FieldValue
input join__ContextArgument { name: String! type: String! context: String! selection: join__FieldValue! }"
            }
        }
    }
}

impl Merger<'_> {
    /// Returns the supergraph; directives and types are sorted by name.
    pub(super) fn document(&mut self, types: Vec<TypeDefinition>) -> Definitions {
        let join = self.join_version();
        let mut text = [COMMON, join.definitions()].concat();
        for directive in &self.directives {
            if *directive == Directive::CacheTag {
                continue;
            }
            if let Some(specification) = directive.specification() {
                let name = self.name_of(*directive);
                text = [&text, "\n", specification.types, "\n"].concat();
                text = [&text, "directive @", &name, directive.definition(), "\n"].concat();
            }
        }
        if self.directives.contains(&Directive::Context) {
            text.push_str(
                "directive @context__fromContext(field: context__ContextFieldValue) on ARGUMENT_DEFINITION\n",
            );
        }
        if self.directives.contains(&Directive::OneOf) {
            // Gateways on older versions of GraphQL do not know it.
            text.push_str("\ndirective @oneOf on INPUT_OBJECT\n");
        }
        let parsed = parse_definitions(&text);
        debug_assert!(parsed.is_ok(), "the definitions of specifications are parsed: {parsed:?}");
        let mut definitions = parsed.unwrap_or_default();
        definitions.types.push(self.graphs_type());
        definitions.directives.extend(self.composed.definitions());
        definitions.directives.append(&mut self.executable);
        definitions.schemas.push(self.schema(join, &types));
        definitions.types.extend(types);
        let order = |name: &str| (name.to_lowercase(), name.to_owned());
        definitions.directives.sort_by_cached_key(|directive| order(&directive.name));
        definitions.types.sort_by_cached_key(|r#type| order(&r#type.name));
        definitions
    }

    /// Returns the version that the newest Federation of a subgraph comes with.
    fn join_version(&self) -> Join {
        let federation =
            self.subgraphs.iter().map(|subgraph| subgraph.links.effective_federation());
        match federation.max() {
            Some(version) if version >= Version::new(2, 8) => Join::V0_5,
            Some(version) if version >= Version::new(2, 7) => Join::V0_4,
            _ => Join::V0_3,
        }
    }

    /// Returns the enum of the subgraphs.
    fn graphs_type(&self) -> TypeDefinition {
        let values = self.graphs.iter().zip(self.subgraphs).map(|(graph, subgraph)| {
            let written = Written::new("join__graph").text("name", subgraph.name.clone());
            graphql::definitions::EnumValueDefinition {
                name: graph.clone(),
                line: 0,
                column: 0,
                description: None,
                directives: vec![written.text("url", subgraph.url.clone()).done()],
            }
        });
        TypeDefinition {
            name: "join__Graph".into(),
            line: 0,
            column: 0,
            is_extension: false,
            description: None,
            directives: Vec::new(),
            body: TypeBody::Enum(values.collect()),
        }
    }

    fn schema(&self, join: Join, types: &[TypeDefinition]) -> SchemaDefinition {
        let mut directives = vec![
            link("link/v1.0").done(),
            link(&["join/", join.version()].concat()).symbol("for", &"EXECUTION".into()).done(),
        ];
        for directive in Directive::ALL {
            directives.extend(self.link_of(*directive));
        }
        let of_directives =
            self.directives.iter().filter_map(|directive| directive.specification());
        let taken: Vec<&str> = of_directives.map(|own| own.name).chain(["link", "join"]).collect();
        directives.extend(self.composed.links(&taken));
        directives.extend(self.connector_links());
        let roots =
            [("query", "Query"), ("mutation", "Mutation"), ("subscription", "Subscription")];
        let roots =
            roots.into_iter().filter(|(_, name)| types.iter().any(|r#type| *r#type.name == **name));
        let operations =
            roots.map(|(kind, name)| (kind, Named { name: name.into(), line: 0, column: 0 }));
        directives.extend(self.schema_directives.iter().cloned());
        let (description, is_extension, operations) = (None, false, operations.collect());
        SchemaDefinition { line: 0, description, is_extension, directives, operations }
    }

    /// Returns the link of a directive's specification.
    fn link_of(&self, directive: Directive) -> Option<WrittenDirective> {
        if !self.directives.contains(&directive) {
            return None;
        }
        let specification = directive.specification()?;
        if directive == Directive::CacheTag {
            let written = link("cacheTag/v0.1").symbol("for", &"EXECUTION".into());
            return Some(written.done());
        }
        let name = self.name_of(directive);
        let mut written = link(&[specification.name, "/", specification.version].concat());
        let is_named_so = specification.name == directive.name();
        if !is_named_so && self.directives.contains(&Directive::Cost) {
            // One link for both directives of the specification.
            return None;
        }
        let mut imports = Vec::new();
        if directive == Directive::Cost && self.directives.contains(&Directive::ListSize) {
            imports.push(import("@listSize", &self.name_of(Directive::ListSize)));
        }
        let is_taken = *name != *specification.name && self.composed.has(specification.name);
        if is_taken && specification.types.is_empty() {
            written = written.text("as", other_name(specification.name));
        }
        // Types of the specification keep their names.
        if !is_named_so || *name != *specification.name {
            imports.push(import(&["@", directive.name()].concat(), &name));
        }
        if !imports.is_empty() {
            written = written.with("import", Literal::List(imports));
        }
        if specification.is_security {
            written = written.symbol("for", &"SECURITY".into());
        }
        Some(written.done())
    }
}

fn link(specification: &str) -> Written {
    Written::new("link").text("url", [SPECIFICATIONS, "/", specification].concat())
}

/// Returns an imported element, with the name that it has in the document.
pub(super) fn import(name: &str, called: &str) -> Literal {
    let text = |text: String| Literal::String(text.into());
    if name.trim_start_matches('@') == called {
        return text(name.to_owned());
    }
    Literal::Object(vec![
        ("name".into(), text(name.to_owned())),
        ("as".into(), text(["@", called].concat())),
    ])
}
