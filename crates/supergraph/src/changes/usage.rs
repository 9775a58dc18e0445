//! Parts of a schema that documents of clients use.
//!
//! A value of a variable is not known: it may contain every field and every enum value of its type.

use std::fmt;
use std::sync::Arc;

use graphql::GraphQLError;
use graphql::definitions::{FieldDefinition, InputDefinition, Literal, Template, TypeBody};
use graphql::executable::{
    Argument, Directive, ExecutableDocument, Selection, VariableDefinition, parse_executable,
};
use graphql::operation::{Location, OperationKind};
use rustc_hash::FxHashSet;

use super::Affected;
use super::schema::WrittenSchema;
use crate::coordinate::Coordinate;

/// The used parts of the old schema, and the kinds of operations.
#[derive(Debug, Default)]
pub struct Usage {
    used: FxHashSet<Coordinate>,
    queries: bool,
    mutations: bool,
    subscriptions: bool,
}

/// A part that a document uses and the schema lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPart {
    pub coordinate: Coordinate,
    pub location: Location,
}

impl fmt::Display for UnknownPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the old schema has no `{}`", self.coordinate)
    }
}

impl Usage {
    /// Adds what a document uses of a schema. Returns the parts that the schema lacks: they are not
    /// counted.
    pub fn add(
        &mut self,
        schema: &WrittenSchema,
        text: &str,
    ) -> Result<Vec<UnknownPart>, GraphQLError> {
        Ok(self.add_document(schema, &parse_executable(text)?))
    }

    /// Adds what a parsed document uses of a schema.
    pub fn add_document(
        &mut self,
        schema: &WrittenSchema,
        document: &ExecutableDocument,
    ) -> Vec<UnknownPart> {
        let mut reader = Reader { schema, usage: self, unknown: Vec::new() };
        for operation in &document.operations {
            reader.usage.add_operation(operation.kind);
            reader.directives(&operation.directives);
            for variable in &operation.variables {
                reader.variable(variable);
            }
            if let Some(root) = schema.root(operation.kind) {
                reader.selections(&root.name, &operation.selections);
            }
        }
        for fragment in &document.fragments {
            reader.directives(&fragment.directives);
            reader.condition(&fragment.type_condition, fragment.location);
            reader.selections(&fragment.type_condition, &fragment.selections);
        }
        reader.unknown
    }

    /// Adds a part that clients use, by the statistics of a server.
    pub fn add_coordinate(&mut self, coordinate: Coordinate) {
        self.used.insert(coordinate);
    }

    /// Adds a type of variables: their values may have all its parts.
    pub fn add_variable_type(&mut self, schema: &WrittenSchema, name: &str) {
        Reader { schema, usage: self, unknown: Vec::new() }.whole_input(&name.into());
    }

    /// Adds an operation.
    pub fn add_operation(&mut self, kind: OperationKind) {
        match kind {
            OperationKind::Query => self.queries = true,
            OperationKind::Mutation => self.mutations = true,
            OperationKind::Subscription => self.subscriptions = true,
        }
    }

    pub(super) fn has(&self, affected: &Affected) -> bool {
        match affected {
            Affected::Using(coordinate) => self.used.contains(coordinate),
            Affected::Operations(OperationKind::Query) => self.queries,
            Affected::Operations(OperationKind::Mutation) => self.mutations,
            Affected::Operations(OperationKind::Subscription) => self.subscriptions,
        }
    }
}

/// Recursion over selections and values is bounded by the parser's limit.
struct Reader<'s, 'u> {
    schema: &'s WrittenSchema,
    usage: &'u mut Usage,
    unknown: Vec<UnknownPart>,
}

impl<'s> Reader<'s, '_> {
    fn selections(&mut self, parent: &Arc<str>, selections: &[Selection]) {
        self.usage.used.insert(Coordinate::of_type(parent));
        for selection in selections {
            match selection {
                // Introspection fields are part of every schema.
                Selection::Field(field) if field.name.starts_with("__") => {
                    self.directives(&field.directives);
                }
                Selection::Field(field) => {
                    self.directives(&field.directives);
                    let coordinate = Coordinate::member(parent, &field.name);
                    let Some(definition) = self.find_field(parent, &field.name) else {
                        self.unknown.push(UnknownPart { coordinate, location: field.location });
                        continue;
                    };
                    self.usage.used.insert(coordinate);
                    let of =
                        |argument: &Arc<str>| Coordinate::argument(parent, &field.name, argument);
                    self.arguments(&field.arguments, &definition.arguments, of);
                    self.usage.used.insert(Coordinate::of_type(definition.r#type.base()));
                    if !field.selections.is_empty() {
                        self.selections(definition.r#type.base(), &field.selections);
                    }
                }
                Selection::InlineFragment(fragment) => {
                    self.directives(&fragment.directives);
                    let condition = fragment.type_condition.as_ref();
                    if let Some((name, location)) = condition {
                        self.condition(name, *location);
                    }
                    let parent = condition.map_or(parent, |(name, _)| name);
                    self.selections(parent, &fragment.selections);
                }
                Selection::FragmentSpread { directives } => self.directives(directives),
            }
        }
    }

    fn find_field(&self, parent: &str, name: &str) -> Option<&'s FieldDefinition> {
        match &self.schema.find_type(parent)?.body {
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                composite.fields.iter().find(|field| *field.name == *name)
            }
            TypeBody::Scalar
            | TypeBody::Union(_)
            | TypeBody::Enum(_)
            | TypeBody::InputObject(_) => None,
        }
    }

    fn condition(&mut self, name: &Arc<str>, location: Location) {
        let coordinate = Coordinate::of_type(name);
        if self.schema.find_type(name).is_none() {
            self.unknown.push(UnknownPart { coordinate, location });
        } else {
            self.usage.used.insert(coordinate);
        }
    }

    fn directives(&mut self, directives: &[Directive]) {
        for directive in directives {
            // The directives of the specification, and those of servers, are not in every schema.
            let Some(definition) = self.schema.find_directive(&directive.name) else { continue };
            self.usage.used.insert(Coordinate::directive(&directive.name));
            let of =
                |argument: &Arc<str>| Coordinate::directive_argument(&directive.name, argument);
            self.arguments(&directive.arguments, &definition.arguments, of);
        }
    }

    fn arguments(
        &mut self,
        arguments: &[Argument],
        definitions: &[InputDefinition],
        coordinate: impl Fn(&Arc<str>) -> Coordinate,
    ) {
        for argument in arguments {
            let coordinate = coordinate(&argument.name);
            match definitions.iter().find(|one| one.name == argument.name) {
                Some(definition) => {
                    self.usage.used.insert(coordinate);
                    self.value(definition.r#type.base(), &argument.value);
                }
                None => {
                    self.unknown.push(UnknownPart { coordinate, location: argument.location });
                }
            }
        }
    }

    fn variable(&mut self, variable: &VariableDefinition) {
        self.directives(&variable.directives);
        self.whole_input(variable.r#type.base());
    }

    /// Adds a type of variables: values may have all its parts.
    fn whole_input(&mut self, name: &Arc<str>) {
        let mut waiting = vec![name];
        let mut known: FxHashSet<&Arc<str>> = FxHashSet::default();
        while let Some(name) = waiting.pop() {
            self.usage.used.insert(Coordinate::of_type(name));
            if !known.insert(name) {
                continue;
            }
            let Some(definition) = self.schema.find_type(name) else { continue };
            match &definition.body {
                TypeBody::Enum(values) => {
                    let values = values.iter().map(|value| Coordinate::member(name, &value.name));
                    self.usage.used.extend(values);
                }
                TypeBody::InputObject(inputs) => {
                    for input in inputs {
                        self.usage.used.insert(Coordinate::member(name, &input.name));
                        waiting.push(input.r#type.base());
                    }
                }
                TypeBody::Scalar
                | TypeBody::Object(_)
                | TypeBody::Interface(_)
                | TypeBody::Union(_) => {}
            }
        }
    }

    /// Adds what a literal uses of its type. Variables have been added with their definitions.
    fn value(&mut self, name: &Arc<str>, value: &Template) {
        if let Template::List(items) = value {
            return items.iter().for_each(|item| self.value(name, item));
        }
        self.usage.used.insert(Coordinate::of_type(name));
        let body = self.schema.find_type(name).map(|definition| &definition.body);
        match (value, body) {
            (Template::Leaf(Literal::Enum(value)), Some(TypeBody::Enum(_))) => {
                self.usage.used.insert(Coordinate::member(name, value));
            }
            (Template::Object(members), Some(TypeBody::InputObject(inputs))) => {
                for (member, value) in members {
                    self.usage.used.insert(Coordinate::member(name, member));
                    if let Some(input) = inputs.iter().find(|input| input.name == *member) {
                        self.value(input.r#type.base(), value);
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use graphql::usage::UsedPart;

    use super::*;

    const SCHEMA: &str = "type Query { a(b: I, c: E): A d: U e: E } interface A { f: Int g: Int } \
        type T implements A { f: Int g: Int } union U = T enum E { X Y } enum F { V W } \
        input I { h: E i: J } input J { k: F l: Int } directive @m(n: Int) on FIELD \
        type Mutation { o: Int }";

    fn used(document: &str) -> String {
        let schema = WrittenSchema::read(SCHEMA).unwrap();
        let mut usage = Usage::default();
        assert_eq!(usage.add(&schema, document).unwrap(), []);
        let mut used: Vec<_> = usage.used.iter().map(ToString::to_string).collect();
        used.sort_unstable();
        used.join(" ")
    }

    #[test]
    fn documents_use_what_they_select_and_give() {
        assert_eq!(used("{ a { f } }"), "A A.f Int Query Query.a");
        assert_eq!(
            used("{ d { ... on T { g @m(n: 1) @skip(if: true) } __typename } }"),
            "@m @m(n:) Int Query Query.d T T.g U"
        );
        assert_eq!(
            used("{ a(b: {i: {l: 1}}, c: X) { ...F } } fragment F on A { g }"),
            "A A.g E E.X I I.i Int J J.l Query Query.a Query.a(b:) Query.a(c:)"
        );
    }

    #[test]
    fn a_variable_may_have_every_part_of_its_type() {
        assert_eq!(
            used("query ($i: I) { a(b: $i) { __typename } }"),
            "A E E.X E.Y F F.V F.W I I.h I.i Int J J.k J.l Query Query.a Query.a(b:)"
        );
    }

    #[test]
    fn what_the_schema_lacks_is_returned() {
        let schema = WrittenSchema::read(SCHEMA).unwrap();
        let mut usage = Usage::default();
        let unknown = usage.add(&schema, "{\n  z a(y: 1) { ... on X { f } } }").unwrap();
        let unknown: Vec<_> =
            unknown.iter().map(|one| format!("{} {one}", one.location.column)).collect();
        assert_eq!(
            unknown,
            [
                "3 the old schema has no `Query.z`",
                "7 the old schema has no `Query.a(y:)`",
                "22 the old schema has no `X`",
                "26 the old schema has no `X.f`",
            ]
        );
        assert!(usage.add(&schema, "{").is_err());
    }

    const SUPERGRAPH: &str = r#"
        schema @link(url: "https://specs.apollo.dev/link/v1.0")
          @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION) { query: Query }
        directive @join__field(graph: join__Graph, type: String) repeatable on FIELD_DEFINITION
        directive @join__graph(name: String!, url: String!) on ENUM_VALUE
        directive @join__type(graph: join__Graph!, key: String) repeatable on OBJECT | INTERFACE | UNION | ENUM | INPUT_OBJECT | SCALAR
        directive @join__implements(graph: join__Graph!, interface: String!) repeatable on OBJECT | INTERFACE
        directive @join__unionMember(graph: join__Graph!, member: String!) repeatable on UNION
        directive @join__enumValue(graph: join__Graph!) repeatable on ENUM_VALUE
        directive @link(url: String, as: String, for: link__Purpose, import: [String]) repeatable on SCHEMA
        enum link__Purpose { SECURITY EXECUTION }
        enum join__Graph { A @join__graph(name: "a", url: "http://a") }
        type Query @join__type(graph: A) { a(b: I, c: E): A d: U e(f: [I!]): E }
        interface A @join__type(graph: A) { f: Int g: Int }
        type T implements A @join__implements(graph: A, interface: "A") @join__type(graph: A) { f: Int g: Int }
        union U @join__type(graph: A) @join__unionMember(graph: A, member: "T") = T
        enum E @join__type(graph: A) { X @join__enumValue(graph: A) Y @join__enumValue(graph: A) }
        input I @join__type(graph: A) { h: E i: J }
        input J @join__type(graph: A) { k: E l: Int }
    "#;

    #[test]
    fn servers_count_what_documents_are_read_to_use() {
        let supergraph = crate::read(SUPERGRAPH).unwrap();
        let written = WrittenSchema::read(SUPERGRAPH).unwrap();
        let schema = &supergraph.api.schema;
        let validator = graphql::Validator::new(schema);
        let check = |document: &str| {
            let limits = graphql::DocumentLimits::default();
            let operation = validator.operation(schema, document, None, &limits).unwrap();
            let mut counted = Usage::default();
            for part in graphql::usage::used_parts(schema, &operation) {
                let coordinate = part.coordinate(schema);
                match part {
                    UsedPart::VariableType(_) => counted.add_variable_type(&written, &coordinate),
                    _ => counted.add_coordinate(coordinate.parse().unwrap()),
                }
            }
            let mut read = Usage::default();
            assert_eq!(read.add(&written, document).unwrap(), []);
            assert_eq!(counted.used, read.used, "{document}");
        };
        check("{ a { f __typename } }");
        check("{ d { ... on T { g } ...F } } fragment F on U { __typename }");
        check("{ a(b: { i: { l: 1, k: Y } }, c: X) { ... on A { g } } e(f: [{ h: null }, {}]) }");
        check("query ($i: I, $n: Int = 3) { a(b: $i) { f } e(f: { i: { l: $n } }) }");
        check("query ($i: [I!], $e: E) { e(f: $i) a(c: $e) { g @skip(if: true) } }");
    }
}
