//! Responses of `__schema` and `__type`: <https://spec.graphql.org/draft/#sec-Introspection>.
//!
//! They are written from the arena: a copy of the schema in any other form would be many times as
//! large as the arena itself.
//!
//! * `selected`: the introspection fields of a document, fragments and conditions resolved
//! * `built_in`: built-in types and directives, as an arena of their own
//! * `write`: the response as JSON
//! * `answered`: the other way: the schema of another server, from its response

mod answered;
mod built_in;
mod selected;
mod write;

use std::collections::HashMap;

use apollo_compiler::executable;
use apollo_compiler::introspection::check_max_depth;
use apollo_compiler::parser::SourceMap;
use apollo_compiler::request::RequestError;

use crate::document::{DocumentLimits, Validator, get_operation, library_error};
use crate::error::{ErrorCode, GraphQLError};
use crate::operation::Operation;
use crate::variables::Variables;
use crate::visibility::View;
pub use answered::{INTROSPECTION_QUERY, IntrospectionError, print_introspection};
use selected::{RootField, Selecting};
use write::Writer;

/// Limit of an introspection operation's fields, fragments expanded: each of them may be repeated
/// for everything in the schema. The usual introspection queries have about two hundred.
const MOST_FIELDS: usize = 1_000;

/// Limit of one response in bytes: a few nested lists of a large schema are far larger than the
/// schema itself.
const MOST_BYTES: usize = 256 << 20;

impl Validator {
    /// The response name and the value, as JSON, of every root field that is `__schema` or
    /// `__type`, in the order of the response. `@skip` and `@include` are applied.
    ///
    /// `text` and `operation_name` are those that `operation` was made from, and `variables` its
    /// coerced values. The document is parsed again and the response is not cached.
    pub fn introspect<'s>(
        &self,
        schema: impl Into<View<'s>>,
        text: &str,
        operation_name: Option<&str>,
        limits: &DocumentLimits,
        operation: &Operation,
        variables: &Variables,
    ) -> Result<Vec<(String, Vec<u8>)>, Vec<GraphQLError>> {
        let schema = schema.into();
        let valid = self.validate(schema, text, limits)?;
        let name = schema.whole.leniency.operation_name(operation_name);
        let library = get_operation(&valid, name).map_err(|error| vec![error])?;
        let sources = &valid.document.sources;
        check_max_depth(&valid.document, library)
            .map_err(|error| vec![request_error(ErrorCode::QueryTooDeep, &error, sources)])?;

        let mut measure =
            Measure { fragments: &valid.document.fragments, measured: HashMap::new() };
        if measure.fields(&library.selection_set) > MOST_FIELDS {
            return Err(vec![GraphQLError::new(
                ErrorCode::QueryTooComplex,
                "The operation selects too many fields of the schema.",
            )]);
        }

        let selecting = Selecting {
            schema,
            fragments: &valid.document.fragments,
            variables: variables_by_name(operation, variables),
        };
        let mut left = MOST_BYTES;
        let mut answers = Vec::new();
        for (name, field) in selecting.root_fields(&library.selection_set) {
            let mut writer = Writer::new(schema, left);
            let written = match field {
                RootField::Schema(selected) => writer.schema(&selected),
                RootField::Type { name: Some(name), selected } => {
                    writer.type_of_name(&name, &selected)
                }
                RootField::Type { name: None, .. } => {
                    return Err(vec![GraphQLError::new(
                        ErrorCode::BadUserInput,
                        "The argument \"name\" of \"__type\" must not be null.",
                    )]);
                }
            };
            written.map_err(|error| {
                vec![GraphQLError::new(ErrorCode::ResponseTooLarge, error.to_string())]
            })?;
            let json = writer.finish();
            left = left.saturating_sub(json.len());
            answers.push((name, json));
        }
        Ok(answers)
    }
}

/// Counts the fields of selections.
struct Measure<'d> {
    fragments: &'d executable::FragmentMap,
    measured: HashMap<&'d str, usize>,
}

impl<'d> Measure<'d> {
    /// Recursion is bounded: validation limits how deep fragments are nested.
    fn fields(&mut self, set: &'d executable::SelectionSet) -> usize {
        set.selections
            .iter()
            .fold(0, |sum, selection| sum.saturating_add(self.selection(selection)))
    }

    fn selection(&mut self, selection: &'d executable::Selection) -> usize {
        match selection {
            executable::Selection::Field(field) => {
                self.fields(&field.selection_set).saturating_add(1)
            }
            executable::Selection::InlineFragment(fragment) => self.fields(&fragment.selection_set),
            executable::Selection::FragmentSpread(spread) => {
                let name = spread.fragment_name.as_str();
                if let Some(known) = self.measured.get(name) {
                    return *known;
                }
                let Some(fragment) = self.fragments.get(name) else { return 0 };
                let fields = self.fields(&fragment.selection_set);
                self.measured.insert(name, fields);
                fields
            }
        }
    }
}

/// The coerced values, by name; absent ones are not listed.
fn variables_by_name<'v>(
    operation: &'v Operation,
    variables: &'v Variables,
) -> HashMap<&'v str, &'v serde_json_bytes::Value> {
    let definitions = operation.variables.iter();
    definitions
        .zip(&variables.values)
        .filter_map(|(definition, value)| Some((&*definition.name, value.as_ref()?)))
        .collect()
}

fn request_error(code: ErrorCode, error: &RequestError, sources: &SourceMap) -> GraphQLError {
    library_error(code, error.to_graphql_error(sources))
}

#[cfg(test)]
mod tests {
    use apollo_compiler::{ExecutableDocument, Schema as LibrarySchema};
    use expect_test::expect;
    use serde_json_bytes::{ByteString, Map, Value as Json};

    use super::*;
    use crate::test_schema::test_schema;

    /// The responses, one a line, or the errors.
    fn introspected(text: &str, variables: Json) -> String {
        let schema = test_schema();
        let validator = Validator::new(&schema);
        let limits = DocumentLimits::default();
        let operation = validator.operation(&schema, text, None, &limits).unwrap();
        let Json::Object(given) = variables else { panic!("no object") };
        let given: Map<ByteString, Json> = given;
        let variables = crate::coerce_variable_values(&schema, &operation, &given).unwrap();
        match validator.introspect(&schema, text, None, &limits, &operation, &variables) {
            Ok(fields) => fields
                .into_iter()
                .map(|(name, json)| format!("{name} {}\n", String::from_utf8(json).unwrap()))
                .collect(),
            Err(errors) => format!("{errors:?}"),
        }
    }

    /// The response of a server with the test schema.
    fn answered() -> String {
        let fields = introspected(INTROSPECTION_QUERY, Json::Object(Map::new()));
        let schema = fields.trim().strip_prefix("__schema ").unwrap();
        format!("{{\"data\":{{\"__schema\":{schema}}}}}")
    }

    fn normalized(sdl: &str) -> String {
        crate::print_definitions(&crate::parse_definitions(sdl).unwrap())
    }

    #[test]
    fn the_schema_of_another_server_is_read_from_its_response() {
        let read = print_introspection(answered().as_bytes()).unwrap();
        let written = crate::print_schema(&test_schema());
        // Introspection names the roots. Not every server says which directives are repeatable.
        let roots = "schema {\n  query: Query\n  mutation: Mutation\n}\n\n";
        let written = [roots, &written.replace(" repeatable on", " on")].concat();
        assert_eq!(normalized(&read), normalized(&written));
    }

    #[test]
    fn a_response_without_its_envelope_is_read_too() {
        let whole = answered();
        let data = whole.strip_prefix("{\"data\":").unwrap().strip_suffix('}').unwrap();
        assert_eq!(print_introspection(data.as_bytes()), print_introspection(whole.as_bytes()));
    }

    #[test]
    fn what_is_no_schema_is_an_error() {
        let check = |json: &str, expected: &str| {
            assert_eq!(print_introspection(json.as_bytes()).unwrap_err().to_string(), expected);
        };
        check(
            r#"{"errors":[{"message":"introspection is off"}]}"#,
            "the response to introspection has the error \"introspection is off\"",
        );
        check(
            r#"{"data":null}"#,
            "the response to introspection is not the JSON that is expected: it has no `__schema`",
        );
        check(
            r#"{"__schema":{"queryType":{"name":"Q"},"types":[{"kind":"OBJECT","name":"Q {} type X"}]}}"#,
            "\"Q {} type X\" is no name of GraphQL",
        );
        check(
            r#"{"__schema":{"queryType":{"name":"Q"},"types":[{"kind":"OBJECT","name":"Q","fields":[
                {"name":"a","type":{"kind":"LIST"}}]}]}}"#,
            "the type reference of `a` is not complete",
        );
        let error = print_introspection(b"<html>").unwrap_err();
        assert!(matches!(error, IntrospectionError::Unreadable(_)));
    }

    #[test]
    fn introspection_fields_are_answered_and_others_left_out() {
        expect![[r#"
            t {"kind":"OBJECT","name":"Query","description":null,"interfaces":[],"fields":[{"name":"node","description":null,"args":[{"name":"id","defaultValue":null}],"type":{"kind":"INTERFACE","name":"Node","ofType":null}},{"name":"albums","description":null,"args":[{"name":"first","defaultValue":"10"},{"name":"orderBy","defaultValue":"[NATURAL]"},{"name":"filter","defaultValue":null}],"type":{"kind":"LIST","name":null,"ofType":{"name":"Album"}}},{"name":"search","description":null,"args":[{"name":"text","defaultValue":null},{"name":"matrix","defaultValue":null},{"name":"extra","defaultValue":null}],"type":{"kind":"LIST","name":null,"ofType":{"name":null}}}]}
            order {"enumValues":[{"name":"TITLE_ASC","isDeprecated":false,"deprecationReason":null},{"name":"TITLE_DESC","isDeprecated":true,"deprecationReason":"Use \"sort\"."},{"name":"NATURAL","isDeprecated":true,"deprecationReason":"No longer supported"}]}
            filter {"inputFields":[{"name":"title","defaultValue":null},{"name":"ids","defaultValue":null},{"name":"year","defaultValue":"2000"},{"name":"not","defaultValue":null},{"name":"order","defaultValue":"NATURAL"},{"name":"extra","defaultValue":null}]}
            node {"possibleTypes":[{"name":"Artist"},{"name":"Album"}]}
            none null
            s {"mutationType":{"name":"Mutation"},"subscriptionType":null,"types":[{"name":"__Schema"},{"name":"__Type"},{"name":"__TypeKind"},{"name":"__Field"},{"name":"__InputValue"},{"name":"__EnumValue"},{"name":"__Directive"},{"name":"__DirectiveLocation"},{"name":"Int"},{"name":"Float"},{"name":"String"},{"name":"Boolean"},{"name":"ID"},{"name":"BigInt"},{"name":"JSON"},{"name":"Node"},{"name":"Artist"},{"name":"Album"},{"name":"SearchHit"},{"name":"AlbumOrder"},{"name":"AlbumFilter"},{"name":"RatingInput"},{"name":"Query"},{"name":"Mutation"}],"directives":[{"name":"skip"},{"name":"include"},{"name":"deprecated"},{"name":"specifiedBy"},{"name":"traced"},{"name":"cached"}]}
        "#]].assert_eq(&introspected(
            "query ($name: String!, $no: Boolean!) {
               albums { id }
               __typename
               t: __type(name: $name) { ...T }
               order: __type(name: \"AlbumOrder\") { enumValues(includeDeprecated: true) { name isDeprecated deprecationReason } }
               filter: __type(name: \"AlbumFilter\") { inputFields { name defaultValue } }
               node: __type(name: \"Node\") { possibleTypes { name } }
               none: __type(name: \"Nothing\") { name }
               __schema @skip(if: $no) { queryType { name } }
               s: __schema { mutationType { name } subscriptionType { name } types { name } directives { name } }
             }
             fragment T on __Type {
               kind name description interfaces { name }
               fields { name description args { name defaultValue } type { kind name ofType { name } } }
             }",
            Json::Object(
                [("name", Json::from("Query")), ("no", Json::Bool(true))]
                    .into_iter()
                    .map(|(name, value)| (ByteString::from(name), value))
                    .collect(),
            ),
        ));
    }

    /// The same by the library's executor, over a copy of the schema that it made of the text.
    fn by_the_library(text: &str, variables: &Json) -> String {
        let schema = crate::print_schema(&test_schema());
        let schema = LibrarySchema::parse_and_validate(schema, "schema.graphql").unwrap();
        let document = ExecutableDocument::parse_and_validate(&schema, text, "query").unwrap();
        let operation = document.operations.get(None).unwrap();
        let Json::Object(variables) = variables else { panic!("no object") };
        let variables =
            apollo_compiler::request::coerce_variable_values(&schema, operation, variables)
                .unwrap();
        let implementers = schema.implementers_map();
        let answer = apollo_compiler::introspection::partial_execute(
            &schema,
            &implementers,
            &document,
            operation,
            &variables,
        )
        .unwrap();
        assert_eq!(answer.errors, []);
        let data = answer.data.unwrap();
        let fields = data.iter().filter(|(name, _)| name.as_str() != "__typename");
        fields
            .map(|(name, value)| {
                format!("{} {}\n", name.as_str(), serde_json::to_string(value).unwrap())
            })
            .collect()
    }

    /// Checks that both executors agree.
    fn check_same(text: &str, variables: &Json) {
        let ours = introspected(text, variables.clone());
        assert_eq!(ours, by_the_library(text, variables), "{text}");
    }

    const EVERYTHING: &str = "{ __schema {
          __typename description
          queryType { ...Type } mutationType { ...Type } subscriptionType { ...Type }
          types { ...Type
            fields(includeDeprecated: true) { ...Field args(includeDeprecated: true) { ...Input } }
            enumValues(includeDeprecated: true) { ...Value }
            inputFields(includeDeprecated: true) { ...Input }
            shown: fields { ...Field args { ...Input } }
            shownValues: enumValues { ...Value }
            shownInputs: inputFields { ...Input }
            interfaces { ...Type } possibleTypes { ...Type }
          }
          directives { __typename name description locations isRepeatable args { ...Input } }
        } }
        fragment Type on __Type {
          __typename kind name description specifiedByURL ofType { name }
        }
        fragment Ref on __Type { ...Type ofType { ...Type ofType { ...Type ofType { ...Type
          ofType { ...Type fields { name } } } } } }
        fragment Field on __Field {
          __typename name description isDeprecated deprecationReason type { ...Ref }
        }
        fragment Input on __InputValue {
          __typename name description defaultValue isDeprecated deprecationReason type { ...Ref }
        }
        fragment Value on __EnumValue {
          __typename name description isDeprecated deprecationReason
        }";

    #[test]
    fn everything_of_a_schema_is_what_the_library_says_of_its_text() {
        check_same(EVERYTHING, &Json::Object(Map::new()));
    }

    #[test]
    fn every_type_by_its_name_is_what_the_library_says() {
        let mut names: Vec<String> =
            test_schema().types().map(|(_, definition)| definition.name.to_string()).collect();
        names.extend(["__Type", "__TypeKind", "__Nothing", "Nothing", ""].map(str::to_owned));
        let rest = EVERYTHING.split_once("fragment Type").unwrap().1;
        let text = format!(
            "query ($name: String!) {{ __type(name: $name) {{ ...Type
               fields {{ ...Field args {{ ...Input }} }} enumValues {{ ...Value }}
               inputFields {{ ...Input }} interfaces {{ ...Ref }} possibleTypes {{ ...Ref }}
             }} }} fragment Type{rest}"
        );
        for name in names {
            let variables = [("name".into(), Json::from(name))].into_iter().collect();
            check_same(&text, &Json::Object(variables));
        }
    }

    #[test]
    fn fragments_conditions_and_merged_fields_are_what_the_library_says() {
        let text = "query ($yes: Boolean = true, $no: Boolean!, $null: Boolean, $absent: Boolean) {
              a: __schema { types { name } ...S ... @skip(if: $yes) { description } }
              ... on Query { a: __schema { types { kind fields { name } } } }
              a: __schema @include(if: $no) { directives { name } }
              ...Q @include(if: $yes)
              ...Q @skip(if: $yes)
              t: __type(name: \"Album\") {
                fields(includeDeprecated: $yes) { n: name t: type { o: ofType { name } } }
                fields(includeDeprecated: $yes) { t: type { o: ofType { kind } k: kind } }
                no: fields(includeDeprecated: $no) { name }
                null: fields(includeDeprecated: $null) { name }
                absent: fields(includeDeprecated: $absent) { name }
                literal: fields(includeDeprecated: null) { name @include(if: false) }
                ... on __Type @include(if: $yes) { name }
                name @skip(if: true)
              }
              o: __type(name: \"AlbumOrder\") { enumValues(includeDeprecated: $yes) { name } }
            }
            fragment S on __Schema { queryType { name } types { ...T kind } }
            fragment T on __Type { name description }
            fragment Q on Query { b: __type(name: \"Node\") { ...T possibleTypes { ...T } } }";
        let variables = [("no".into(), Json::Bool(false)), ("null".into(), Json::Null)];
        check_same(text, &Json::Object(variables.into_iter().collect()));
    }

    #[test]
    fn a_name_that_is_null_is_refused() {
        let variables = [("name".into(), Json::Null)].into_iter().collect();
        let text = "query ($name: String = \"Album\") { __type(name: $name) { name } }";
        expect![[r#"[GraphQLError { message: "The argument \"name\" of \"__type\" must not be null.", locations: [], path: [], code: BadUserInput, extensions: [], members: [] }]"#]].assert_eq(&introspected(text, Json::Object(variables)));
    }

    #[test]
    fn an_answer_ends_where_it_would_be_too_large() {
        let schema = test_schema();
        let everything = |most| {
            let validator = Validator::new(&schema);
            let valid = validator
                .validate((&schema).into(), EVERYTHING, &DocumentLimits::default())
                .unwrap();
            let operation = get_operation(&valid, None).unwrap();
            let (fragments, variables) = (&valid.document.fragments, HashMap::new());
            let selecting = Selecting { schema: (&schema).into(), fragments, variables };
            let mut roots = selecting.root_fields(&operation.selection_set);
            let (_, RootField::Schema(selected)) = roots.remove(0) else { panic!("no schema") };
            let mut writer = Writer::new((&schema).into(), most);
            writer.schema(&selected).map(|()| writer.finish().len())
        };
        let whole = everything(usize::MAX).unwrap();
        assert_eq!(everything(whole), Ok(whole));
        let error = everything(whole / 2).unwrap_err();
        let half = whole / 2;
        assert_eq!(error.to_string(), format!("the answer would be larger than {half} bytes"));
    }

    #[test]
    fn deeply_nested_introspection_is_refused() {
        expect![[r#"[GraphQLError { message: "Maximum introspection depth exceeded", locations: [Location { line: 1, column: 54 }], path: [], code: QueryTooDeep, extensions: [], members: [] }]"#]].assert_eq(&introspected(
            "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }",
            Json::Object(Map::new()),
        ));
    }

    #[test]
    fn much_introspection_is_refused() {
        let types: String = (0..20).map(|index| format!("a{index}: types {{ ...F }} ")).collect();
        let fields = "name ".repeat(50);
        let text = format!("{{ __schema {{ {types} }} }} fragment F on __Type {{ {fields} }}");
        expect![[r#"[GraphQLError { message: "The operation selects too many fields of the schema.", locations: [], path: [], code: QueryTooComplex, extensions: [], members: [] }]"#]]
            .assert_eq(&introspected(&text, Json::Object(Map::new())));
    }
}
