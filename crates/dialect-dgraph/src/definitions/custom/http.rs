//! `@custom(http:)`.

use std::sync::Arc;

use graphql::definitions::problem::{At, Problems, remedy};
use graphql::definitions::{DirectiveArgument, Literal, Template, parse_template};

use super::super::empty_arguments::blank;
use super::{Context, operation, url, variables};
use crate::model::CustomHttp;
use crate::resolvers;

const MEMBERS: &[&str] = &[
    "url",
    "method",
    "body",
    "graphql",
    "mode",
    // The name of `mode` in early versions: Dgraph accepts and ignores it.
    "operation",
    "forwardHeaders",
    "secretHeaders",
    "introspectionHeaders",
    "skipIntrospection",
];

const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE"];

/// The members of the argument.
#[derive(Clone, Copy, Debug)]
struct Members<'d> {
    /// The place of the argument.
    at: At<'d>,
    members: &'d [(Arc<str>, Literal)],
    /// Places of the texts in the members.
    texts: &'d [(usize, usize)],
}

impl<'d> Members<'d> {
    fn find(&self, name: &str) -> Option<&'d Literal> {
        let mut members = self.members.iter();
        let found = members.find(|(known, _)| &**known == name).map(|(_, value)| value);
        found.filter(|value| **value != Literal::Null)
    }

    /// The place of a member that is a text, else of the argument.
    fn at(&self, name: &str) -> At<'d> {
        let mut before = 0;
        for (known, value) in self.members {
            match value {
                Literal::String(_) if &**known == name => {
                    return self.texts.get(before).map_or(self.at, |place| self.at.moved(*place));
                }
                Literal::String(_) => before += 1,
                Literal::List(items) => {
                    let texts = items.iter().filter(|item| matches!(item, Literal::String(_)));
                    before += texts.count();
                }
                Literal::Null
                | Literal::Boolean(_)
                | Literal::Int(_)
                | Literal::Float(_)
                | Literal::Enum(_)
                | Literal::Object(_) => {}
            }
        }
        self.at
    }

    fn text(&self, name: &str, problems: &mut Problems) -> Option<&'d str> {
        match self.find(name)? {
            Literal::String(text) => Some(text),
            _ => {
                problems.refuse(self.at, format!("`{name}` is no text: write it in quotes"));
                None
            }
        }
    }

    /// A name, with or without quotes.
    fn name(&self, name: &str) -> Option<&'d str> {
        match self.find(name)? {
            Literal::String(text) | Literal::Enum(text) => Some(text),
            _ => Some(""),
        }
    }

    /// Names of headers, each `name` or `remote:local`.
    fn headers(&self, name: &str, problems: &mut Problems) -> Vec<Box<str>> {
        let Some(value) = self.find(name) else { return Vec::new() };
        let items = match value {
            Literal::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut headers: Vec<Box<str>> = Vec::new();
        for item in items {
            match item {
                Literal::String(text) if !text.is_empty() && text.matches(':').count() < 2 => {
                    headers.push((&**text).into());
                }
                _ => {
                    let message = format!(
                        "`{name}` has an entry that is no header: write \"Name\" or \
                         \"Remote-Name:Local-Name\""
                    );
                    problems.refuse(self.at, message);
                }
            }
        }
        headers
    }
}

pub(super) fn read(
    context: Context<'_, '_>,
    argument: &DirectiveArgument,
    problems: &mut Problems,
) -> Option<CustomHttp> {
    let at = context.at.argument(argument);
    let Literal::Object(members) = &argument.value else {
        let message = "`http` is no object: write `http: {url: \"https://…\", method: GET}`";
        problems.refuse(at, message);
        return None;
    };
    let members = Members { at, members, texts: &argument.strings };
    for (name, _) in members.members {
        if !MEMBERS.contains(&&**name) {
            let remedy = remedy(name, MEMBERS.iter().copied(), "remove it");
            problems.refuse(at, format!("`http` has no member `{name}`: {remedy}"));
        }
    }
    let is_batch = is_batch(context, members, problems);
    let url = url(context, members, is_batch, problems);
    let method = method(members, problems);
    let http = CustomHttp {
        url: url.unwrap_or_default().into(),
        method: method.unwrap_or_default().into(),
        body: members.text("body", problems).map(Into::into),
        graphql: members.text("graphql", problems).map(|text| blank(text).into()),
        is_batch,
        forward_headers: members.headers("forwardHeaders", problems),
        secret_headers: members.headers("secretHeaders", problems),
        introspection_headers: members.headers("introspectionHeaders", problems),
        skip_introspection: skip_introspection(members, problems),
    };
    check_templates(context, members, &http, problems);
    check_headers(context, at, &http, problems);
    if url.is_some()
        && let Err(mistake) = resolvers::check(&http, context.owner.secrets)
    {
        problems.refuse(at, format!("{mistake}: correct it"));
    }
    url.and(method).map(|_| http)
}

fn is_batch(context: Context<'_, '_>, members: Members<'_>, problems: &mut Problems) -> bool {
    let Some(mode) = members.name("mode") else { return false };
    if context.owner.kind.is_root() {
        let message = "`mode` applies to fields of types: remove it";
        problems.refuse(members.at, message);
    }
    if !matches!(mode, "BATCH" | "SINGLE") {
        problems
            .refuse(members.at("mode"), format!("`mode` is no `{mode}`: write BATCH or SINGLE"));
    }
    mode == "BATCH"
}

fn url<'d>(
    context: Context<'_, 'd>,
    members: Members<'d>,
    is_batch: bool,
    problems: &mut Problems,
) -> Option<&'d str> {
    let at = members.at("url");
    let url = members.text("url", problems);
    let Some(variables) = url.and_then(url::variables) else {
        let message = "`http` has no valid `url`: write `url: \"https://example.com/path\"`";
        problems.refuse(at, message);
        return None;
    };
    url::check(context, at, &variables, problems);
    if !variables.is_empty() && is_batch {
        let message = "`url` of a batch has variables: move them to `body`";
        problems.refuse(at, message);
    }
    if !variables.is_empty() && members.find("graphql").is_some() {
        let message = "`url` has variables besides `graphql`: move them to `graphql`";
        problems.refuse(at, message);
    }
    url
}

fn method<'d>(members: Members<'d>, problems: &mut Problems) -> Option<&'d str> {
    let method = members.name("method").filter(|method| METHODS.contains(method));
    if method.is_none() {
        let message = "`http` has no valid `method`: write GET, POST, PUT, PATCH or DELETE";
        problems.refuse(members.at("method"), message);
    }
    method
}

fn skip_introspection(members: Members<'_>, problems: &mut Problems) -> bool {
    match members.find("skipIntrospection") {
        None | Some(Literal::Boolean(false)) => false,
        Some(Literal::Boolean(true)) => true,
        Some(Literal::String(text)) if matches!(&**text, "true" | "false") => &**text == "true",
        Some(_) => {
            let message = "`skipIntrospection` is no boolean: write true or false";
            problems.refuse(members.at, message);
            false
        }
    }
}

fn check_templates(
    context: Context<'_, '_>,
    members: Members<'_>,
    http: &CustomHttp,
    problems: &mut Problems,
) {
    if let Some(graphql) = &http.graphql {
        let at = members.at("graphql");
        if &*http.method != "POST" {
            problems.refuse(at, "`graphql` needs the method POST: write `method: POST`");
        }
        match (http.is_batch, http.body.is_some()) {
            (false, true) => {
                let message = "`body` and `graphql` exclude each other: remove one of both";
                problems.refuse(at, message);
            }
            (true, false) => {
                let message = "`graphql` of a batch needs `body` for the input of a row: add it";
                problems.refuse(at, message);
            }
            (true, true) | (false, false) => {}
        }
        operation::check(context, at, graphql, http.is_batch, problems);
    }
    let Some(body) = &http.body else { return };
    let at = members.at("body");
    let template = match parse_template(body) {
        Ok(template) => template,
        // A blank body is none.
        Err(_) if body.trim().is_empty() && context.owner.kind.is_root() => return,
        Err(error) => {
            let message = format!("`body` is malformed: {}: correct it", error.message.trim_end());
            problems.refuse(at, message);
            return;
        }
    };
    if let (Some(name), true) = (enum_value(&template), http.graphql.is_none()) {
        let message =
            format!("`body` has the unknown value `{name}`: write \"{name}\" or `${name}`");
        problems.refuse(at, message);
    }
    let mut names: Vec<&str> = Vec::new();
    template.visit_variables(&mut |name| names.push(name));
    if http.is_batch || http.graphql.is_none() {
        variables::check(context, at, "`body`", &names, problems);
    }
}

/// The first value in a template that is a name, which JSON does not have.
///
/// Recursion is bounded by the parser's limit.
fn enum_value(template: &Template) -> Option<&str> {
    match template {
        Template::Leaf(Literal::Enum(name)) => Some(name),
        Template::Leaf(_) | Template::Variable(_) => None,
        Template::List(items) => items.iter().find_map(enum_value),
        Template::Object(members) => members.iter().find_map(|(_, value)| enum_value(value)),
    }
}

fn check_headers(context: Context<'_, '_>, at: At<'_>, http: &CustomHttp, problems: &mut Problems) {
    for header in &http.secret_headers {
        let remote = remote_name(header);
        if http.forward_headers.iter().any(|forwarded| remote_name(forwarded) == remote) {
            let message = format!(
                "the header `{remote}` is in `forwardHeaders` and `secretHeaders`: remove one"
            );
            problems.refuse(at, message);
        }
    }
    if http.graphql.is_none() || http.skip_introspection {
        return;
    }
    for header in &http.introspection_headers {
        let secret = header.split_once(':').map_or(&**header, |(_, secret)| secret);
        if !context.owner.secrets.iter().any(|(name, _)| **name == *secret) {
            let message = format!(
                "the secret `{secret}` of `introspectionHeaders` is not defined: add the comment \
                 `# Dgraph.Secret {secret} \"value\"`"
            );
            problems.refuse(at, message);
        }
    }
}

fn remote_name(header: &str) -> &str {
    header.split_once(':').map_or(header, |(remote, _)| remote)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::super::tests::{check, refused};

    /// A root field with these members of `http`, and a field of a type with those.
    fn fields(root: &str, field: &str) -> String {
        let field = match field {
            "" => String::new(),
            members => format!("c: String @custom(http: {{{members}}})"),
        };
        let root = match root {
            "" => String::new(),
            members => {
                format!(
                    "type Query {{\n q(id: ID!, name: String): A @custom(http: {{{members}}})\n}}"
                )
            }
        };
        format!("type A {{\n id: ID!\n name: String\n other: A\n{field}\n}}\n{root}")
    }

    #[test]
    fn requests_are_as_they_are_written() {
        let text = fields(
            "url: \"https://a.example/$id?n=$name\", method: \"PUT\", body: \"{ id: $id }\", \
             forwardHeaders: [\"X\", \"Y:Z\"], secretHeaders: [\"S:T\"]",
            "url: \"https://a.example\", method: POST, mode: BATCH, body: \"{ id: $id }\", \
             graphql: \"query($in: [In]) { field(in: $in) }\", skipIntrospection: true",
        );
        let custom = |model: &crate::model::Model| {
            (model.queries[0].custom.clone(), model.types[0].fields[3].custom.clone())
        };
        check(
            &text,
            custom,
            &expect![[r#"
            (
                Some(
                    Http(
                        CustomHttp {
                            url: "https://a.example/$id?n=$name",
                            method: "PUT",
                            body: Some(
                                "{ id: $id }",
                            ),
                            graphql: None,
                            is_batch: false,
                            forward_headers: [
                                "X",
                                "Y:Z",
                            ],
                            secret_headers: [
                                "S:T",
                            ],
                            introspection_headers: [],
                            skip_introspection: false,
                        },
                    ),
                ),
                Some(
                    Http(
                        CustomHttp {
                            url: "https://a.example",
                            method: "POST",
                            body: Some(
                                "{ id: $id }",
                            ),
                            graphql: Some(
                                "query($in: [In]) { field(in: $in) }",
                            ),
                            is_batch: true,
                            forward_headers: [],
                            secret_headers: [],
                            introspection_headers: [],
                            skip_introspection: true,
                        },
                    ),
                ),
            )
        "#]],
        );
    }

    #[test]
    fn members_are_checked() {
        let text = fields(
            "url: \"123\", method: \"GETS\", mode: SINGLE, bodyy: \"\"",
            "method: 5, mode: MANY, body: 3, forwardHeaders: [\"a:b:c\", 1]",
        );
        refused(
            &text,
            &expect![[r#"
                line 5, column 19: A.c: `mode` is no `MANY`: write BATCH or SINGLE
                line 5, column 19: A.c: `http` has no valid `url`: write `url: "https://example.com/path"`
                line 5, column 19: A.c: `http` has no valid `method`: write GET, POST, PUT, PATCH or DELETE
                line 5, column 19: A.c: `body` is no text: write it in quotes
                line 5, column 19: A.c: `forwardHeaders` has an entry that is no header: write "Name" or "Remote-Name:Local-Name"
                line 8, column 38: Query.q: `http` has no member `bodyy`: did you mean body or mode?
                line 8, column 38: Query.q: `mode` applies to fields of types: remove it
                line 8, column 50: Query.q: `http` has no valid `url`: write `url: "https://example.com/path"`
                line 8, column 65: Query.q: `http` has no valid `method`: write GET, POST, PUT, PATCH or DELETE
            "#]],
        );
    }

    #[test]
    fn variables_of_urls_and_bodies_are_known() {
        let text = fields(
            "url: \"https://a.example/$name/$none\", method: GET, body: \"{ a: $b, c: d }\"",
            "url: \"https://a.example/$name?a=$none\", method: GET, \
             body: \"{ a: $none, b: $other, c: $c }\"",
        );
        refused(
            &text,
            &expect![[r#"
                line 5, column 31: A.c: the path of `url` uses `$name`, which may be null: give the field the type `String!`
                line 5, column 31: A.c: `url` uses `$none`, but there is no such field: declare it
                line 5, column 85: A.c: `body` uses `$none`, but the type has no such field: declare it
                line 5, column 85: A.c: `body` uses `$other`, which is no scalar: use scalars
                line 5, column 85: A.c: `body` uses `$c`, which is a custom field itself: use stored fields
                line 5, column 85: A.c: `body` does not use the key of the type: use a field of type ID or with `@id`
                line 8, column 50: Query.q: the path of `url` uses `$name`, which may be null: give the argument the type `String!`
                line 8, column 50: Query.q: `url` uses `$none`, but there is no such argument: declare it
                line 8, column 102: Query.q: `body` has the unknown value `d`: write "d" or `$d`
                line 8, column 102: Query.q: `body` uses `$b`, but the field has no such argument: declare it
            "#]],
        );
        refused(
            &fields("url: \"https://a.example\", method: GET, body: \"{ a: }\"", ""),
            &expect![[r#"
                line 8, column 90: Query.q: `body` is malformed: syntax error: expected a valid Value: correct it
            "#]],
        );
    }

    #[test]
    fn operations_have_one_field() {
        for (graphql, expected) in [
            (
                " ",
                &expect![[r#"
                    line 8, column 94: Query.q: `graphql` has 0 operations: write exactly one
                "#]],
            ),
            (
                "query { a() b }",
                &expect![[r#"
                line 8, column 94: Query.q: `graphql` has not exactly one field: write one
            "#]],
            ),
            (
                "query { a } garbage",
                &expect![[r#"
                    line 8, column 94: Query.q: `graphql` is malformed: syntax error: expected definition: correct it
                "#]],
            ),
            (
                "query { a } query { a }",
                &expect![[r#"
                    line 8, column 94: Query.q: `graphql` has 2 operations: write exactly one
                "#]],
            ),
            (
                "subscription S($id: ID!) @d { a: b(id: $id) @e { c } }",
                &expect![[r#"
                    line 8, column 94: Query.q: `graphql` is a subscription: write a query or a mutation
                    line 8, column 94: Query.q: `graphql` has an operation with a name: remove the name
                    line 8, column 94: Query.q: `graphql` has an operation with directives: remove them
                    line 8, column 94: Query.q: `graphql` has a field with an alias: remove the alias
                    line 8, column 94: Query.q: `graphql` has a field with directives: remove them
                    line 8, column 94: Query.q: `graphql` has a field with a selection set: remove it, requests have their own
                "#]],
            ),
            (
                "query { a b }",
                &expect![[r#"
                    line 8, column 94: Query.q: `graphql` has not exactly one field: write one
                "#]],
            ),
            (
                "query($none: ID!) { a(b: $none, c: [{ d: $other }]) }",
                &expect![[r#"
                    line 8, column 94: Query.q: `graphql` uses `$other`, but does not define it: write `query($other: …)`
                    line 8, column 94: Query.q: `graphql` uses `$none`, but the field has no such argument: declare it
                "#]],
            ),
        ] {
            let root = format!("url: \"https://a.example\", method: POST, graphql: \"{graphql}\"");
            refused(&fields(&root, ""), expected);
        }
    }

    #[test]
    fn operations_of_fields_use_the_key() {
        let single = "url: \"https://a.example/?a=$id\", method: GET, \
                      graphql: \"query($name: String) { a(b: $name) }\", body: \"{}\"";
        refused(
            &fields("", single),
            &expect![[r#"
                line 5, column 31: A.c: `url` has variables besides `graphql`: move them to `graphql`
                line 5, column 81: A.c: `graphql` needs the method POST: write `method: POST`
                line 5, column 81: A.c: `body` and `graphql` exclude each other: remove one of both
                line 5, column 81: A.c: `graphql` does not use the key of the type: use a field of type ID or with `@id`
            "#]],
        );
        let batch = "url: \"https://a.example/?a=$id\", method: POST, mode: BATCH, \
                     graphql: \"query { a(b: {c: $id}) }\"";
        refused(
            &fields("", batch),
            &expect![[r#"
                line 5, column 31: A.c: `url` of a batch has variables: move them to `body`
                line 5, column 31: A.c: `url` has variables besides `graphql`: move them to `graphql`
                line 5, column 95: A.c: `graphql` of a batch needs `body` for the input of a row: add it
                line 5, column 95: A.c: `graphql` of a batch has one argument, a variable for all rows: write `query($input: [Input!]!) { field(input: $input) }`
            "#]],
        );
    }

    #[test]
    fn headers_come_from_one_source() {
        let text = fields(
            "url: \"https://a.example\", method: POST, graphql: \"query { a }\", \
             forwardHeaders: [\"A\"], secretHeaders: [\"A:B\"], introspectionHeaders: [\"C:D\", \"E\"]",
            "",
        );
        refused(
            &[&text, "\n# Dgraph.Secret E \"f\""].concat(),
            &expect![[r#"
            line 8, column 38: Query.q: the header `A` is in `forwardHeaders` and `secretHeaders`: remove one
            line 8, column 38: Query.q: the secret `D` of `introspectionHeaders` is not defined: add the comment `# Dgraph.Secret D "value"`
        "#]],
        );
    }
}
