//! Values of the management API: the one service, and what a deployment would change.

use graphql::{ErrorCode, GraphQLError};
use serde_json::{Map, Value as Json, json};

use super::RequestedField;
use crate::definitions;
use crate::errors;
use crate::model::Model;

/// The served service, and the server.
#[derive(Clone, Copy, Debug)]
pub struct Served<'s> {
    pub name: &'s str,
    pub stage: &'s str,
    /// The text of the datamodel.
    pub text: &'s str,
    pub model: &'s Model,
    pub secrets: &'s [Box<str>],
    /// The kind of the database, as Prisma names it.
    pub connector: &'s str,
    /// The server's own version.
    pub version: &'s str,
}

/// The version of Prisma whose API is served: its commands choose by it what they ask.
const PRISMA_VERSION: &str = "1.34.12";

/// The value of a root field. Without the refusal of the caller's token everything may be asked, with
/// it the server's version alone.
pub fn resolve(
    served: &Served<'_>,
    wanted: RequestedField<'_>,
    refused: Option<&GraphQLError>,
) -> Result<Json, GraphQLError> {
    if wanted.name == "serverInfo" {
        return Ok(json!({
            "version": PRISMA_VERSION,
            "commit": format!("thalweg {}", served.version),
            "primaryConnector": served.connector,
        }));
    }
    if let Some(refused) = refused {
        return Err(refused.clone());
    }
    let none = Map::new();
    let input = wanted.arguments.get("input").and_then(Json::as_object).unwrap_or(&none);
    match wanted.name {
        "listProjects" => Ok(Json::Array(vec![served.project()])),
        "project" => served.check(wanted.arguments).map(|()| served.project()),
        "deploy" => served.check(input).and_then(|()| served.deploy(input)),
        "addProject" => match served.check(input) {
            Ok(()) => {
                let message = errors::service_exists(served.name, served.stage);
                Err(GraphQLError::new(ErrorCode::BadUserInput, message))
            }
            Err(_) => Err(unsupported(
                "A server has one service: start another one with `--service NAME/STAGE` and its \
                 datamodel.",
            )),
        },
        _ => Err(unsupported(
            "Services are not deleted over the management API: stop the server, and delete the \
             tables of its database if they are not needed any more.",
        )),
    }
}

fn unsupported(message: &str) -> GraphQLError {
    GraphQLError::new(ErrorCode::NotSupported, message)
}

fn text<'m>(members: &'m Map<String, Json>, name: &str) -> &'m str {
    members.get(name).and_then(Json::as_str).unwrap_or_default()
}

impl Served<'_> {
    fn project(&self) -> Json {
        json!({ "name": self.name, "stage": self.stage, "datamodel": self.text })
    }

    /// Refuses the name and the stage of another service.
    fn check(&self, named: &Map<String, Json>) -> Result<(), GraphQLError> {
        let (name, stage) = (text(named, "name"), text(named, "stage"));
        match (name, stage) == (self.name, self.stage) {
            true => Ok(()),
            false => {
                let message = errors::no_service_named(name, stage);
                Err(GraphQLError::new(ErrorCode::NotFound, message))
            }
        }
    }

    /// The payload of a deployment without a change, and otherwise the reason why there is none.
    fn deploy(&self, input: &Map<String, Json>) -> Result<Json, GraphQLError> {
        let payload = |mistakes: Vec<Json>| {
            Ok(json!({
                "errors": mistakes,
                "warnings": [],
                "migration": null,
                "steps": [],
                "clientMutationId": input.get("clientMutationId"),
            }))
        };
        let is_given = |name: &str| {
            let given = input.get(name).and_then(Json::as_array);
            given.is_some_and(|list| !list.is_empty())
        };
        if is_given("subscriptions") {
            return Err(unsupported(
                "Subscriptions of prisma.yml, which call URLs, are not supported: subscribe over a \
                 WebSocket.",
            ));
        }
        let given = input.get("secrets").and_then(Json::as_array);
        let given = given.into_iter().flatten().filter_map(Json::as_str).map(without_space);
        let mut given: Vec<_> = given.collect();
        let mut own: Vec<_> = self.secrets.iter().map(|secret| without_space(secret)).collect();
        given.sort();
        own.sort();
        if given != own {
            return Err(unsupported(
                "The secrets of prisma.yml are not those of the server: start it with these secrets \
                 (`--service-secret`).",
            ));
        }
        let model = match definitions::read(text(input, "types")) {
            Ok(model) => model,
            Err(problems) => {
                let mistakes = problems.iter().map(|problem| {
                    json!({ "type": "Global", "field": null, "description": problem.to_string() })
                });
                return payload(mistakes.collect());
            }
        };
        match model == *self.model {
            true => payload(Vec::new()),
            false => Err(unsupported(
                "The datamodel is not that of the service, and this server does not deploy: run \
                 `thalweg migrate DATAMODEL --data DATABASE`, and start or reload the server with \
                 the new datamodel.",
            )),
        }
    }
}

/// A secret as Prisma's commands deploy it.
fn without_space(secret: &str) -> String {
    secret.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use graphql::{Body, DocumentLimits, JsonLimits};

    use super::super::MANAGEMENT_API;
    use super::*;

    const DATAMODEL: &str = "type User { id: ID! @id }";

    fn check(query: &str, variables: &Json, refused: Option<&GraphQLError>, expected: &Expect) {
        let model = definitions::read(DATAMODEL).unwrap();
        let served = Served {
            name: "blog",
            stage: "dev",
            text: DATAMODEL,
            model: &model,
            secrets: &["a secret".into()],
            connector: "postgres",
            version: "0",
        };
        let body = json!({ "query": query, "variables": variables }).to_string();
        let limits = JsonLimits { depth: 50, values: 1_000 };
        let Body::One(parameters) = Body::from_json(body.as_bytes(), limits).unwrap() else {
            panic!("a batch")
        };
        let request = parameters.into_request().unwrap();
        let begun = MANAGEMENT_API.begin(&request, &DocumentLimits::default());
        let data = begun.map_err(|errors| errors[0].clone()).and_then(|begun| {
            let values: Vec<_> =
                begun.wanted().map(|wanted| resolve(&served, wanted, refused)).collect();
            begun.data(values)
        });
        let told = match data {
            Ok(data) => data.to_string(),
            Err(error) => format!("{:?} {} {:?}", error.code, error.message, error.path),
        };
        expected.assert_eq(&told);
    }

    #[test]
    fn services_are_listed_and_found() {
        let none = json!({});
        let list = "{ listProjects { stage ...F } } fragment F on Project { name: name }";
        check(list, &none, None, &expect![[r#"{"listProjects":[{"stage":"dev","name":"blog"}]}"#]]);
        let project = "query ($n: String!) { p: project(name: $n, stage: \"dev\") { datamodel __typename } __typename }";
        check(
            project,
            &json!({ "n": "blog" }),
            None,
            &expect![[
                r#"{"p":{"datamodel":"type User { id: ID! @id }","__typename":"Project"},"__typename":"Query"}"#
            ]],
        );
        check(
            project,
            &json!({ "n": "shop" }),
            None,
            &expect![[
                r#"NotFound No service with name 'shop' and stage 'dev' found [Field("p")]"#
            ]],
        );
        check(
            project,
            &none,
            None,
            &expect![[
                r#"BadUserInput Variable "$n" of required type "String!" was not provided. []"#
            ]],
        );
        check(
            "{ projects { name } }",
            &none,
            None,
            &expect![[r#"ValidationFailed Cannot query field "projects" on type "Query". []"#]],
        );
        let refused = GraphQLError::new(ErrorCode::Unauthenticated, "no");
        check(
            list,
            &none,
            Some(&refused),
            &expect![[r#"Unauthenticated no [Field("listProjects")]"#]],
        );
        check(
            "{ serverInfo { version } }",
            &none,
            Some(&refused),
            &expect![[r#"{"serverInfo":{"version":"1.34.12"}}"#]],
        );
        let types = "{ __type(name: \"ServerInfo\") { fields { name } } }";
        check(
            types,
            &none,
            Some(&refused),
            &expect![[
                r#"{"__type":{"fields":[{"name":"version"},{"name":"commit"},{"name":"primaryConnector"}]}}"#
            ]],
        );
    }

    #[test]
    fn a_deployment_succeeds_without_a_change() {
        let query =
            "mutation ($types: String!, $secrets: [String!], $subscriptions: [FunctionInput!]) {
            deploy(input: {
                name: \"blog\", stage: \"dev\", types: $types, secrets: $secrets
                subscriptions: $subscriptions
            }) {
                errors { type description }
                migration { revision steps { type ... on CreateEnum { values } } }
                steps { type }
            }
        }";
        let deploy = |types: &str, secrets: Json, subscriptions: Json, expected: &Expect| {
            let variables =
                json!({ "types": types, "secrets": secrets, "subscriptions": subscriptions });
            check(query, &variables, None, expected);
        };
        let secrets = json!(["asecret"]);
        deploy(
            "type User {\n  id: ID! @id\n}",
            secrets.clone(),
            json!([]),
            &expect![[r#"{"deploy":{"errors":[],"migration":null,"steps":[]}}"#]],
        );
        deploy(
            "type User { id: ID! @id age: Int }",
            secrets.clone(),
            json!(null),
            &expect![[
                r#"NotSupported The datamodel is not that of the service, and this server does not deploy: run `thalweg migrate DATAMODEL --data DATABASE`, and start or reload the server with the new datamodel. [Field("deploy")]"#
            ]],
        );
        deploy(
            "type User { id: ID! @idd }",
            secrets.clone(),
            json!(null),
            &expect![[
                r#"{"deploy":{"errors":[{"type":"Global","description":"line 1, column 13: User.id: `id` is the id of the type: write `id: ID! @unique`"},{"type":"Global","description":"line 1, column 22: User.id: `@idd` is unknown: did you mean id or db?"}],"migration":null,"steps":[]}}"#
            ]],
        );
        deploy(
            DATAMODEL,
            json!(null),
            json!(null),
            &expect![[
                r#"NotSupported The secrets of prisma.yml are not those of the server: start it with these secrets (`--service-secret`). [Field("deploy")]"#
            ]],
        );
        let hook = json!([{ "name": "a", "query": "b", "url": "c", "headers": [] }]);
        deploy(
            DATAMODEL,
            secrets,
            hook,
            &expect![[
                r#"NotSupported Subscriptions of prisma.yml, which call URLs, are not supported: subscribe over a WebSocket. [Field("deploy")]"#
            ]],
        );
    }

    #[test]
    fn services_are_neither_added_nor_deleted() {
        let add = |name: &str| {
            format!(
                "mutation {{ addProject(input: {{ name: \"{name}\", stage: \"dev\" }}) {{ project {{ name }} }} }}"
            )
        };
        check(
            &add("blog"),
            &json!({}),
            None,
            &expect![[
                r#"BadUserInput Service with name 'blog' and stage 'dev' already exists [Field("addProject")]"#
            ]],
        );
        check(
            &add("shop"),
            &json!({}),
            None,
            &expect![[
                r#"NotSupported A server has one service: start another one with `--service NAME/STAGE` and its datamodel. [Field("addProject")]"#
            ]],
        );
        let delete = "mutation { deleteProject(input: { name: \"blog\", stage: \"dev\" }) { clientMutationId } }";
        check(
            delete,
            &json!({}),
            None,
            &expect![[
                r#"NotSupported Services are not deleted over the management API: stop the server, and delete the tables of its database if they are not needed any more. [Field("deleteProject")]"#
            ]],
        );
    }
}
