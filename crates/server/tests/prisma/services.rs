//! Paths, secrets and tokens of a service.

use serde_json::{Value, json};
use testkit::tokens::Issuer;

use super::{Service, told};
use crate::program::{Folder, outcome, run};

const SECRET: &str = "a secret of more than thirty-two bytes";
const OTHER: &str = "another one of more than thirty-two bytes";

/// The errors of a refused token.
fn refused() -> Value {
    json!([[
        3015,
        "Your token is invalid. It might have expired or you might be using a token from a different \
         project."
    ]])
}

#[test]
fn a_service_is_at_its_path_and_no_other_is_there() {
    let check = |options: &[&str], path: &str, id: Option<&str>| {
        let service = Service::start(options);
        let expected = match id {
            None => json!({ "users": [] }),
            Some(id) => json!([[3016, format!("Project not found: '{id}'")]]),
        };
        assert_eq!(service.query(path, "", "{ users { id } }"), expected, "{options:?} {path}");
        assert_eq!(service.query("/graphql", "", "{ users { id } }"), json!({ "users": [] }));
    };
    check(&[], "/", None);
    check(&[], "/default/default", None);
    check(&[], "/blog/dev", Some("blog_dev"));
    let blog = ["--service", "blog/dev"];
    check(&blog, "/blog/dev", None);
    check(&blog, "/blog/dev/", None);
    check(&blog, "/", Some("default_default"));
    check(&blog, "/blog", Some("blog_default"));
    check(&blog, "/team/blog/dev", Some("team~blog_dev"));
    check(&blog, "/blog/import", Some("blog_default"));
    let service = Service::start(&blog);
    assert_eq!(service.post("/a/b/c/d", "", &json!({})).0, 404);
    assert_eq!(service.server.get("/blog/dev", "Accept: text/html\r\n").status, 200);
    assert_eq!(service.server.get("/blog/dev", "Accept: application/json\r\n").status, 404);
    let answer = service.server.get("/blog/dev?query=%7Busers%7Bid%7D%7D", "");
    assert_eq!((answer.status, &*answer.body), (200, "{\"data\":{\"users\":[]}}"));
}

#[test]
fn requests_need_a_token_that_a_secret_of_the_service_has_signed() {
    let secrets = format!("{SECRET}, {OTHER}");
    let service = Service::start(&["--service-secret", &secrets]);
    let ask = |header: &str| service.query("/", header, "{ users { id } }");
    let bearer = |token: &str| format!("Authorization: Bearer {token}\r\n");
    let issuer = Issuer::secret(SECRET);
    let answered = json!({ "users": [] });
    let claims = r#"{"data":{"service":"blog@dev","roles":["admin"]},"iat":1,"exp":99999999999}"#;
    assert_eq!(ask(&bearer(&issuer.token(claims))), answered);
    // Neither the service nor the roles count, as with Prisma, and the scheme may be missing.
    assert_eq!(ask(&bearer(&Issuer::secret(OTHER).token("{}"))), answered);
    assert_eq!(ask(&format!("Authorization: {}\r\n", issuer.token("{}"))), answered);
    assert_eq!(ask(&bearer(&issuer.token(r#"{"role":"nobody"}"#))), answered);
    assert_eq!(ask(""), refused());
    assert_eq!(ask("Authorization: Bearer \r\n"), refused());
    assert_eq!(ask("Authorization: Basic YTpi\r\n"), refused());
    assert_eq!(ask(&bearer("a.b.c")), refused());
    assert_eq!(ask(&bearer(&issuer.token(r#"{"exp":1}"#))), refused());
    assert_eq!(ask(&bearer(&issuer.token(r#"{"nbf":99999999999}"#))), refused());
    assert_eq!(ask(&bearer(&Issuer::secret("a third secret").token("{}"))), refused());
    let header = r#"{"alg":"HS512","typ":"JWT"}"#;
    assert_eq!(ask(&bearer(&issuer.sign(header, "{}"))), refused());
    // Another service is not found, whatever the token is.
    let other = service.query("/blog/dev", "", "{ users { id } }");
    assert_eq!(other, json!([[3016, "Project not found: 'blog_dev'"]]));
}

#[test]
fn the_schema_and_the_datamodel_are_read_with_the_token() {
    let service = Service::start(&["--service-secret", SECRET, "--service", "blog/dev"]);
    let token = format!("Authorization: Bearer {}\r\n", Issuer::secret(SECRET).token("{}"));
    // What `graphql get-schema` asks.
    let query = "{ __schema { queryType { name } mutationType { name } } }";
    let names = json!({ "queryType": { "name": "Query" }, "mutationType": { "name": "Mutation" } });
    assert_eq!(service.query("/blog/dev", &token, query), json!({ "__schema": names }));
    assert_eq!(service.query("/blog/dev", "", query), refused());
    for path in ["/blog/dev/_datamodel", "/graphql/_datamodel"] {
        let (status, text) = service.post(path, &token, &json!({}));
        assert_eq!((status, text), (200, json!(super::DATAMODEL)), "{path}");
        let (status, answer) = service.post(path, "", &json!({}));
        assert_eq!((status, told(&answer["errors"])), (200, refused()), "{path}");
    }
}

#[test]
fn clients_send_several_requests_in_one_body() {
    let service = Service::start(&[]);
    let query = json!({ "query": "{ users { id } }" });
    let answer = service.post("/", "", &json!([query, query]));
    let users = json!({ "data": { "users": [] } });
    assert_eq!(answer, (200, json!([users, users])));
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let folder = Folder::new();
    let file = folder.file("datamodel.prisma");
    std::fs::write(&file, super::DATAMODEL).unwrap();
    let data = folder.file("shop.db");
    let words = ["serve", file.to_str().unwrap(), "--data", data.to_str().unwrap()];
    let check = |options: &[&str], problem: &str| {
        let (code, _, error) = outcome(&run(&[&words[..], options].concat()));
        assert_eq!(code, Some(2), "{options:?}: {error}");
        assert!(error.contains(problem), "{options:?}: {error}");
    };
    let secret = ["--service-secret", SECRET];
    let problem = "`--require-token` has no effect beside `--service-secret`";
    check(&[&secret[..], &["--require-token"]].concat(), problem);
    check(&["--service-secret", ""], "a secret is empty");
    check(&["--service", "health"], "a path of the server's own");
    check(&["--service", "blog/export"], "Prisma keeps");
    let shop = ["serve", data.to_str().unwrap(), "--service", "blog"];
    let (code, _, error) = outcome(&run(&shop));
    assert_eq!(code, Some(2));
    assert!(error.contains("`--service` needs `--dialect prisma`"), "{error}");
}
