//! Policies of a service: whatever would pass them by is refused.

use serde_json::json;

use super::{DATAMODEL, Service};
use crate::program::{Folder, outcome, run};

const POLICIES: &str = r#"
default_role = "visitor"
[rules.users]
entity = "User"
read = { rows = { email = { eq = "ada@example.com" } }, columns = "*" }
insert = { columns = "*" }
[roles.visitor]
rules = ["users"]
"#;

fn policies(folder: &Folder) -> String {
    let file = folder.file("policies.toml");
    std::fs::write(&file, POLICIES).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn events_and_imports_are_not_for_roles_with_rules() {
    let folder = Folder::new();
    let service = Service::start(&["--policies", &policies(&folder)]);
    for email in ["ada@example.com", "ben@example.com"] {
        let query = format!("mutation {{ createUser(data: {{ email: \"{email}\" }}) {{ id }} }}");
        service.query("/", "", &query);
    }
    let seen = service.query("/", "", "{ users { email } }");
    assert_eq!(seen, json!({ "users": [{ "email": "ada@example.com" }] }));
    let subscription = json!({ "query": "subscription { user { previousValues { email } } }" });
    let (_, answer) = service.post("/graphql", "Accept: text/event-stream\r\n", &subscription);
    let answer = answer.to_string();
    assert!(answer.contains("PERMISSION_DENIED") && answer.contains("former values"), "{answer}");
    let user = json!({ "_typeName": "User", "id": "u", "email": "cy@example.com" });
    let import = json!({ "valueType": "nodes", "values": [user] });
    let (status, answer) = service.post("/import", "", &import);
    let code = &answer["errors"][0]["extensions"]["code"];
    assert_eq!((status, code), (403, &json!("PERMISSION_DENIED")), "{answer}");
    let reset = json!({ "query": "mutation { resetData }" });
    let (status, answer) = service.post("/private", "", &reset);
    let code = &answer["errors"][0]["extensions"]["code"];
    assert_eq!((status, code), (403, &json!("PERMISSION_DENIED")), "{answer}");
    let seen = service.query("/", "", "{ users { email } }");
    assert_eq!(seen, json!({ "users": [{ "email": "ada@example.com" }] }));
}

#[test]
fn statements_of_clients_are_refused_beside_policies() {
    let folder = Folder::new();
    let file = folder.file("datamodel.prisma");
    std::fs::write(&file, DATAMODEL).unwrap();
    let data = folder.file("shop.db");
    let words = ["serve", file.to_str().unwrap(), "--data", data.to_str().unwrap()];
    let policies = policies(&folder);
    let options = ["--raw-access", "--policies", &policies];
    let (code, _, error) = outcome(&run(&[&words[..], &options].concat()));
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("whatever `--policies` allow: leave one of both out"), "{error}");
}
