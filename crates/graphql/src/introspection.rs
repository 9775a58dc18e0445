//! Answers of `__schema` and `__type`: <https://spec.graphql.org/draft/#sec-Introspection>.

use std::collections::HashMap;

use apollo_compiler::executable;
use apollo_compiler::introspection::{check_max_depth, partial_execute};
use apollo_compiler::parser::SourceMap;
use apollo_compiler::request::RequestError;
use apollo_compiler::response::JsonMap;
use apollo_compiler::validation::Valid;

use crate::document::{DocumentLimits, Validator, get_operation, library_error};
use crate::error::{ErrorCode, GraphQLError};
use crate::operation::Operation;
use crate::schema::Schema;
use crate::variables::Variables;

/// The most fields of an operation that introspects, fragments in their places: each of them may
/// be told of everything in the schema. The usual introspection queries have about two hundred.
const MOST_FIELDS: usize = 1_000;

impl Validator {
    /// The response name and the value, as JSON, of every root field that is `__schema` or
    /// `__type`, in the order of the response. `@skip` and `@include` are heeded.
    ///
    /// `text` and `operation_name` are those that `operation` was made from, and `variables` its
    /// coerced values. The document is parsed again and the answer is not kept.
    pub fn introspect(
        &self,
        schema: &Schema,
        text: &str,
        operation_name: Option<&str>,
        limits: &DocumentLimits,
        operation: &Operation,
        variables: &Variables,
    ) -> Result<Vec<(String, Vec<u8>)>, Vec<GraphQLError>> {
        let valid = self.validate(schema, text, limits)?;
        let library = get_operation(&valid, operation_name).map_err(|error| vec![error])?;
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

        let whole = self.whole(schema);
        let values = Valid::assume_valid(variables_by_name(operation, variables));
        let answer =
            partial_execute(&whole.schema, &whole.implementers, &valid.document, library, &values)
                .map_err(|error| {
                    vec![request_error(ErrorCode::InternalServerError, &error, sources)]
                })?;
        if let Some(error) = answer.errors.first() {
            return Err(vec![GraphQLError::new(
                ErrorCode::InternalServerError,
                error.message.as_str(),
            )]);
        }
        let names: Vec<&str> = library
            .root_fields(&valid.document)
            .filter(|field| matches!(field.name.as_str(), "__schema" | "__type"))
            .map(|field| field.response_key().as_str())
            .collect();
        let data = answer.data.unwrap_or_default();
        let mut fields = Vec::new();
        for (name, value) in &data {
            if names.contains(&name.as_str()) {
                let json = serde_json::to_vec(value).map_err(|error| {
                    vec![GraphQLError::new(ErrorCode::InternalServerError, error.to_string())]
                })?;
                fields.push((name.as_str().to_owned(), json));
            }
        }
        Ok(fields)
    }
}

/// How many fields selections come to.
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

fn variables_by_name(operation: &Operation, variables: &Variables) -> JsonMap {
    let definitions = operation.variables.iter();
    definitions
        .zip(&variables.values)
        .filter_map(|(definition, value)| Some((&*definition.name, value.clone()?)))
        .map(|(name, value)| (name.into(), value))
        .collect()
}

fn request_error(code: ErrorCode, error: &RequestError, sources: &SourceMap) -> GraphQLError {
    library_error(code, error.to_graphql_error(sources))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json_bytes::{ByteString, Map, Value as Json};

    use super::*;
    use crate::test_schema::test_schema;

    /// The answers, one a line, or the errors.
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

    #[test]
    fn introspection_fields_are_answered_and_others_left_out() {
        expect![[r#"
            t {"kind":"OBJECT","name":"Query","description":null,"interfaces":[],"fields":[{"name":"node","description":null,"args":[{"name":"id","defaultValue":null}],"type":{"kind":"INTERFACE","name":"Node","ofType":null}},{"name":"albums","description":null,"args":[{"name":"first","defaultValue":"10"},{"name":"orderBy","defaultValue":"[NATURAL]"},{"name":"filter","defaultValue":null}],"type":{"kind":"LIST","name":null,"ofType":{"name":"Album"}}},{"name":"search","description":null,"args":[{"name":"text","defaultValue":null},{"name":"matrix","defaultValue":null},{"name":"extra","defaultValue":null}],"type":{"kind":"LIST","name":null,"ofType":{"name":null}}}]}
            order {"enumValues":[{"name":"TITLE_ASC","isDeprecated":false,"deprecationReason":null},{"name":"TITLE_DESC","isDeprecated":true,"deprecationReason":"Use \"sort\"."},{"name":"NATURAL","isDeprecated":true,"deprecationReason":"No longer supported"}]}
            filter {"inputFields":[{"name":"title","defaultValue":null},{"name":"ids","defaultValue":null},{"name":"year","defaultValue":"2000"},{"name":"not","defaultValue":null},{"name":"order","defaultValue":"NATURAL"},{"name":"extra","defaultValue":null}]}
            node {"possibleTypes":[{"name":"Artist"},{"name":"Album"}]}
            none null
            s {"mutationType":{"name":"Mutation"},"subscriptionType":null,"types":[{"name":"__Schema"},{"name":"__Type"},{"name":"__TypeKind"},{"name":"__Field"},{"name":"__InputValue"},{"name":"__EnumValue"},{"name":"__Directive"},{"name":"__DirectiveLocation"},{"name":"Int"},{"name":"Float"},{"name":"String"},{"name":"Boolean"},{"name":"ID"},{"name":"BigInt"},{"name":"JSON"},{"name":"Node"},{"name":"Artist"},{"name":"Album"},{"name":"SearchHit"},{"name":"AlbumOrder"},{"name":"AlbumFilter"},{"name":"RatingInput"},{"name":"Query"},{"name":"Mutation"}],"directives":[{"name":"skip"},{"name":"include"},{"name":"deprecated"},{"name":"specifiedBy"}]}
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

    #[test]
    fn deeply_nested_introspection_is_refused() {
        expect![[r#"[GraphQLError { message: "Maximum introspection depth exceeded", locations: [Location { line: 1, column: 54 }], path: [], code: QueryTooDeep, extensions: [] }]"#]].assert_eq(&introspected(
            "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }",
            Json::Object(Map::new()),
        ));
    }

    #[test]
    fn much_introspection_is_refused() {
        let fields: String = (0..300).map(|index| format!("a{index}: name ")).collect();
        let text = format!(
            "{{ __schema {{ a: types {{ ...F }} b: types {{ ...F }} c: types {{ ...F }} \
             d: types {{ ...F }} }} }} fragment F on __Type {{ {fields} }}"
        );
        expect![[r#"[GraphQLError { message: "The operation selects too many fields of the schema.", locations: [], path: [], code: QueryTooComplex, extensions: [] }]"#]]
            .assert_eq(&introspected(&text, Json::Object(Map::new())));
    }
}
