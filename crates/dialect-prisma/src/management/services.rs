//! Values of the management API: the one service, and what a deployment would change.

use graphql::{ErrorCode, GraphQLError};
use http_resolvers::WebhookSubscription;
use serde_json::{Map, Value as Json, json};

use super::RequestedField;
use super::steps::steps;
use crate::definitions;
use crate::errors;
use crate::model::Model;

/// A migration of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMigration {
    /// From 1.
    pub number: i64,
    /// The moment at which it was applied, as ISO 8601.
    pub applied_at: String,
    /// The text of the datamodel.
    pub datamodel: String,
}

/// The served service, and the server.
#[derive(Clone, Copy, Debug)]
pub struct Served<'s> {
    pub name: &'s str,
    pub stage: &'s str,
    /// The id of the service.
    pub id: &'s str,
    /// Its migrations, the oldest first, if a field of [`OF_HISTORY`](super::OF_HISTORY) is wanted.
    pub history: &'s [RecordedMigration],
    /// The text of the datamodel.
    pub text: &'s str,
    pub model: &'s Model,
    pub secrets: &'s [Box<str>],
    /// The subscriptions whose webhooks the server calls.
    pub subscriptions: &'s [WebhookSubscription],
    /// The kind of the database, as Prisma names it.
    pub connector: &'s str,
    /// The server's own version.
    pub version: &'s str,
}

/// The version of Prisma whose API is served: its commands choose by it what they ask.
const PRISMA_VERSION: &str = "1.34.12";

const NO_HISTORY: &str = "No migration of the service is recorded: its tables were made by another \
     program. `thalweg migrate DATAMODEL --data DATABASE --adopt` records them.";

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
        "migrationStatus" => {
            served.check(wanted.arguments)?;
            match served.history {
                [] => Err(GraphQLError::new(ErrorCode::NotFound, NO_HISTORY)),
                [first] => served.migration(None, first),
                [.., former, last] => served.migration(Some(former), last),
            }
        }
        "listMigrations" => {
            served.check(wanted.arguments)?;
            let formers = std::iter::once(None).chain(served.history.iter().map(Some));
            let migrations = formers.zip(served.history);
            let migrations = migrations.map(|(former, own)| served.migration(former, own));
            Ok(Json::Array(migrations.collect::<Result<_, _>>()?))
        }
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

    /// A migration with the steps from the one before it.
    fn migration(
        &self,
        former: Option<&RecordedMigration>,
        own: &RecordedMigration,
    ) -> Result<Json, GraphQLError> {
        let read = |own: &RecordedMigration| {
            definitions::read(&own.datamodel).map_err(|problems| {
                let problem = problems.first().map(ToString::to_string).unwrap_or_default();
                unsupported(&format!(
                    "The datamodel of migration {} is not valid any more: {problem}",
                    own.number
                ))
            })
        };
        let before = former.map(read).transpose()?.unwrap_or_default();
        let steps = steps(&before, &read(own)?);
        Ok(json!({
            "projectId": self.id,
            "revision": own.number,
            "status": "SUCCESS",
            "applied": steps.len(),
            "rolledBack": 0,
            "errors": [],
            "startedAt": own.applied_at,
            "finishedAt": own.applied_at,
            "datamodel": own.datamodel,
            "steps": steps,
        }))
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
        let given = input.get("subscriptions").and_then(Json::as_array);
        let mut given: Vec<_> = given.into_iter().flatten().map(given_subscription).collect();
        let mut own: Vec<_> = self.subscriptions.iter().map(own_subscription).collect();
        given.sort();
        own.sort();
        if given != own {
            return Err(unsupported(
                "The subscriptions of prisma.yml are not those of the server: start or reload it with \
                 this file (`--subscription-webhooks prisma.yml`).",
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

/// A subscription with its webhook, for comparison: name, query, address, headers.
type Subscription = (String, String, String, Vec<(String, String)>);

fn given_subscription(given: &Json) -> Subscription {
    let Some(given) = given.as_object() else { return Subscription::default() };
    let headers = given.get("headers").and_then(Json::as_array).into_iter().flatten();
    let headers = headers.filter_map(Json::as_object);
    let headers = headers.map(|one| (text(one, "name").to_owned(), text(one, "value").to_owned()));
    let [name, query, url] = ["name", "query", "url"].map(|key| text(given, key).to_owned());
    (name, query, url, headers.collect())
}

fn own_subscription(own: &WebhookSubscription) -> Subscription {
    (own.name.to_string(), own.query.to_string(), own.url.clone(), own.headers.clone())
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
        check_after(&[], query, (variables, refused), expected);
    }

    fn check_after(
        history: &[RecordedMigration],
        query: &str,
        (variables, refused): (&Json, Option<&GraphQLError>),
        expected: &Expect,
    ) {
        let model = definitions::read(DATAMODEL).unwrap();
        let served = Served {
            name: "blog",
            stage: "dev",
            id: "blog$dev",
            history,
            text: DATAMODEL,
            model: &model,
            secrets: &["a secret".into()],
            subscriptions: &[],
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
                r#"NotSupported The subscriptions of prisma.yml are not those of the server: start or reload it with this file (`--subscription-webhooks prisma.yml`). [Field("deploy")]"#
            ]],
        );
    }

    /// A history of these datamodels.
    fn history(datamodels: &[&str]) -> Vec<RecordedMigration> {
        let migrations = (1..).zip(datamodels).map(|(number, datamodel)| RecordedMigration {
            number,
            applied_at: format!("2020-01-0{number}T00:00:00.000Z"),
            datamodel: (*datamodel).to_owned(),
        });
        migrations.collect()
    }

    #[test]
    fn recorded_migrations_are_told_with_their_steps() {
        let migrations = history(&[
            "type User { id: ID! @id }",
            "type User { id: ID! @id age: Int @default(value: 3) role: Role posts: [Post!]! }
             type Post { id: ID! @id author: User @relation(link: INLINE) } enum Role { A B }
             type Note { id: ID! @id by: User @relation(name: \"By\", link: INLINE) }",
            "type Person @rename(oldName: \"User\") {
               id: ID! @id years: Float! @rename(oldName: \"age\") role: Role
               posts: [Post!]! @relation(name: \"Written\")
             }
             type Post @db(name: \"posts\") {
               id: ID! @id writer: Person @relation(name: \"Written\", link: INLINE)
             }
             type Note { id: ID! @id by: Person @relation(name: \"By\", link: INLINE) }
             enum Role { A C }",
            "type Person { id: ID! @id years: Float! } enum Kind { A }",
        ]);
        let none = json!({});
        let status = "{ migrationStatus(name: \"blog\", stage: \"dev\") {
            projectId revision status applied rolledBack errors startedAt finishedAt datamodel
        } }";
        check_after(
            &migrations[..1],
            status,
            (&none, None),
            &expect![[
                r#"{"migrationStatus":{"projectId":"blog$dev","revision":1,"status":"SUCCESS","applied":2,"rolledBack":0,"errors":[],"startedAt":"2020-01-01T00:00:00.000Z","finishedAt":"2020-01-01T00:00:00.000Z","datamodel":"type User { id: ID! @id }"}}"#
            ]],
        );
        check_after(
            &[],
            status,
            (&none, None),
            &expect![[
                r#"NotFound No migration of the service is recorded: its tables were made by another program. `thalweg migrate DATAMODEL --data DATABASE --adopt` records them. [Field("migrationStatus")]"#
            ]],
        );
        let list = "{ listMigrations(name: \"blog\", stage: \"dev\") { revision applied steps {
            type
            ... on CreateModel { name } ... on DeleteModel { name } ... on UpdateModel { name to: newName }
            ... on CreateEnum { name values } ... on DeleteEnum { name }
            ... on UpdateEnum { name now: values }
            ... on CreateField { model name typeName isRequired isList unique relation default enum }
            ... on DeleteField { model name }
            ... on UpdateField { model name newName of: typeName required: isRequired list: isList one: unique default }
            ... on CreateRelation { name leftModel rightModel } ... on DeleteRelation { name }
            ... on UpdateRelation { name newName }
        } } }";
        check_after(
            &migrations,
            list,
            (&none, None),
            &expect![[
                r#"{"listMigrations":[{"revision":1,"applied":2,"steps":[{"type":"CreateModel","name":"User"},{"type":"CreateField","model":"User","name":"id","typeName":"ID","isRequired":true,"isList":false,"unique":true,"relation":null,"default":null,"enum":null}]},{"revision":2,"applied":12,"steps":[{"type":"CreateEnum","name":"Role","values":["A","B"]},{"type":"CreateModel","name":"Post"},{"type":"CreateModel","name":"Note"},{"type":"CreateField","model":"User","name":"age","typeName":"Int","isRequired":false,"isList":false,"unique":false,"relation":null,"default":"3","enum":null},{"type":"CreateField","model":"User","name":"role","typeName":"Role","isRequired":false,"isList":false,"unique":false,"relation":null,"default":null,"enum":"Role"},{"type":"CreateField","model":"User","name":"posts","typeName":"Post","isRequired":false,"isList":true,"unique":false,"relation":"PostToUser","default":null,"enum":null},{"type":"CreateField","model":"Post","name":"id","typeName":"ID","isRequired":true,"isList":false,"unique":true,"relation":null,"default":null,"enum":null},{"type":"CreateField","model":"Post","name":"author","typeName":"User","isRequired":false,"isList":false,"unique":false,"relation":"PostToUser","default":null,"enum":null},{"type":"CreateField","model":"Note","name":"id","typeName":"ID","isRequired":true,"isList":false,"unique":true,"relation":null,"default":null,"enum":null},{"type":"CreateField","model":"Note","name":"by","typeName":"User","isRequired":false,"isList":false,"unique":false,"relation":"By","default":null,"enum":null},{"type":"CreateRelation","name":"PostToUser","leftModel":"Post","rightModel":"User"},{"type":"CreateRelation","name":"By","leftModel":"Note","rightModel":"User"}]},{"revision":3,"applied":7,"steps":[{"type":"DeleteField","model":"Post","name":"author"},{"type":"UpdateEnum","name":"Role","now":["A","C"]},{"type":"UpdateField","model":"User","name":"age","newName":"years","of":"Float","required":true,"list":null,"one":null,"default":null},{"type":"UpdateModel","name":"User","to":"Person"},{"type":"UpdateModel","name":"Post","to":"Post"},{"type":"UpdateRelation","name":"PostToUser","newName":"Written"},{"type":"CreateField","model":"Post","name":"writer","typeName":"Person","isRequired":false,"isList":false,"unique":false,"relation":"Written","default":null,"enum":null}]},{"revision":4,"applied":8,"steps":[{"type":"DeleteRelation","name":"Written"},{"type":"DeleteRelation","name":"By"},{"type":"DeleteField","model":"Person","name":"role"},{"type":"DeleteField","model":"Person","name":"posts"},{"type":"DeleteModel","name":"Post"},{"type":"DeleteModel","name":"Note"},{"type":"DeleteEnum","name":"Role"},{"type":"CreateEnum","name":"Kind","values":["A"]}]}]}"#
            ]],
        );
        check_after(&[], list, (&none, None), &expect![[r#"{"listMigrations":[]}"#]]);
        let other = "{ listMigrations(name: \"shop\", stage: \"dev\") { revision } }";
        check_after(
            &migrations,
            other,
            (&none, None),
            &expect![[
                r#"NotFound No service with name 'shop' and stage 'dev' found [Field("listMigrations")]"#
            ]],
        );
        let refused = GraphQLError::new(ErrorCode::Unauthenticated, "no");
        check_after(
            &migrations,
            status,
            (&none, Some(&refused)),
            &expect![[r#"Unauthenticated no [Field("migrationStatus")]"#]],
        );
        check_after(
            &history(&["type"]),
            status,
            (&none, None),
            &expect![[
                r#"NotSupported The datamodel of migration 1 is not valid any more: line 1, column 5: definitions: syntax error: expected a name: correct the syntax [Field("migrationStatus")]"#
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
