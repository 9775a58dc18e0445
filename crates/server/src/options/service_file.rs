//! `prisma.yml`, the file of a service of Prisma 1: its subscriptions with webhooks.
//!
//! Values may refer to variables, as Prisma's commands read them: `${env:NAME}` is one of the
//! environment, `${self:custom.url}` another value of the file.

use std::path::Path;
use std::sync::Arc;

use engine::WebhookSubscription;
use saphyr::{LoadableYamlNode, Yaml};

use crate::failure::Failure;

/// The end of a query's text that is the name of a file.
const QUERY_FILE: &str = ".graphql";

/// The most references that follow each other.
const DEEPEST: usize = 16;

type Environment<'e> = &'e dyn Fn(&str) -> Option<String>;

/// A file that is read.
struct ServiceFile<'f> {
    path: &'f Path,
    document: Yaml<'f>,
    environment: Environment<'f>,
}

/// Reads the subscriptions of a file. All mistakes are found in one run.
pub(super) fn webhooks(
    path: &Path,
    environment: Environment<'_>,
) -> Result<Vec<WebhookSubscription>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let file = path.display();
        Failure::Usage(format!("`--subscription-webhooks`: {file} cannot be read: {error}"))
    })?;
    let read = read(path, &text, environment);
    read.map_err(|mistakes| {
        let mistakes = mistakes.iter().map(|mistake| format!("{}: {mistake}", path.display()));
        Failure::Usage(mistakes.collect::<Vec<_>>().join("\nerror: "))
    })
}

fn read(
    path: &Path,
    text: &str,
    environment: Environment<'_>,
) -> Result<Vec<WebhookSubscription>, Vec<String>> {
    let documents = Yaml::load_from_str(text).map_err(|error| {
        let (line, column) = (error.marker().line(), error.marker().col() + 1);
        vec![format!("line {line}, column {column}: {}", error.info())]
    })?;
    let Some(document) = documents.into_iter().next() else {
        return Err(vec!["the file is empty: `subscriptions` is wanted".into()]);
    };
    let file = ServiceFile { path, document, environment };
    let subscriptions = file.document.as_mapping_get("subscriptions").and_then(Yaml::as_mapping);
    let Some(subscriptions) = subscriptions.filter(|own| !own.is_empty()) else {
        return Err(vec!["`subscriptions` has no subscription: leave the option out".into()]);
    };
    let (mut found, mut mistakes) = (Vec::new(), Vec::new());
    for (name, subscription) in subscriptions {
        let Some(name) = name.as_str() else {
            mistakes.push("subscriptions: a name is a text".into());
            continue;
        };
        match file.subscription(name, subscription) {
            Ok(subscription) => found.push(subscription),
            Err(mistake) => mistakes.push(format!("subscriptions.{name}: {mistake}")),
        }
    }
    match mistakes.is_empty() {
        true => Ok(found),
        false => Err(mistakes),
    }
}

impl ServiceFile<'_> {
    fn subscription(&self, name: &str, own: &Yaml<'_>) -> Result<WebhookSubscription, String> {
        check_keys(own, &["query", "webhook"])?;
        let query = self.text(own.as_mapping_get("query"), "query")?;
        let query = match query.trim_end().ends_with(QUERY_FILE) {
            true => self.query_file(query.trim())?,
            false => query,
        };
        let webhook = own.as_mapping_get("webhook");
        let (url, headers) = match webhook {
            Some(webhook) if webhook.as_mapping().is_some() => {
                check_keys(webhook, &["url", "headers"])?;
                let url = self.text(webhook.as_mapping_get("url"), "webhook.url")?;
                (url, self.headers(webhook.as_mapping_get("headers"))?)
            }
            webhook => (self.text(webhook, "webhook")?, Vec::new()),
        };
        Ok(WebhookSubscription { name: name.into(), query: Arc::from(query), url, headers })
    }

    fn headers(&self, headers: Option<&Yaml<'_>>) -> Result<Vec<(String, String)>, String> {
        let Some(headers) = headers.filter(|own| !own.is_null()) else { return Ok(Vec::new()) };
        let headers =
            headers.as_mapping().ok_or("webhook.headers: names with values are wanted")?;
        let header = |(name, value): (&Yaml<'_>, &Yaml<'_>)| {
            let name = name.as_str().ok_or("webhook.headers: a name is a text")?;
            let value = self.text(Some(value), &format!("webhook.headers.{name}"))?;
            Ok((name.to_owned(), value))
        };
        headers.iter().map(header).collect()
    }

    fn query_file(&self, name: &str) -> Result<String, String> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let path = folder.join(name);
        std::fs::read_to_string(&path)
            .map_err(|error| format!("query: {} cannot be read: {error}", path.display()))
    }

    /// A text with the values of its references.
    fn text(&self, value: Option<&Yaml<'_>>, place: &str) -> Result<String, String> {
        let text = value.and_then(scalar).ok_or_else(|| format!("{place}: a text is wanted"))?;
        let filled = self.filled(&text, 0).map_err(|mistake| format!("{place}: {mistake}"))?;
        match filled.is_empty() {
            true => Err(format!("{place}: the text is empty")),
            false => Ok(filled),
        }
    }

    fn filled(&self, text: &str, depth: usize) -> Result<String, String> {
        if depth > DEEPEST {
            return Err(format!("{text:?}: references go round in a circle"));
        }
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once("${") {
            filled.push_str(before);
            let (reference, after) =
                after.split_once('}').ok_or_else(|| format!("{text:?} has ${{ without }}"))?;
            filled.push_str(&self.referred(reference.trim(), depth)?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn referred(&self, reference: &str, depth: usize) -> Result<String, String> {
        if let Some(name) = reference.strip_prefix("env:") {
            return (self.environment)(name)
                .ok_or_else(|| format!("the environment variable {name} is not set"));
        }
        let Some(path) = reference.strip_prefix("self:") else {
            return Err(format!(
                "${{{reference}}}: only ${{env:NAME}} and ${{self:custom.name}} are read"
            ));
        };
        let mut value = Some(&self.document);
        for key in path.split('.') {
            value = value.and_then(|value| value.as_mapping_get(key));
        }
        let text = value
            .and_then(scalar)
            .ok_or_else(|| format!("${{{reference}}}: the file has no text or number at {path}"))?;
        self.filled(&text, depth + 1)
    }
}

/// A text, or a number as it is written.
fn scalar(value: &Yaml<'_>) -> Option<String> {
    let number = || value.as_integer().map(|number| number.to_string());
    value.as_str().map(str::to_owned).or_else(number)
}

fn check_keys(value: &Yaml<'_>, known: &[&str]) -> Result<(), String> {
    let Some(mapping) = value.as_mapping() else {
        return Err(format!("{} are wanted", known.join(" and ")));
    };
    let other = mapping.keys().find(|key| key.as_str().is_none_or(|key| !known.contains(&key)));
    match other {
        Some(key) => {
            let key = key.as_str().unwrap_or("a key that is no text");
            Err(format!("{key} is unknown: the keys are {}", known.join(" and ")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "s3cret".to_owned())
    }

    /// The query, the address and the headers of a webhook.
    type WebhookText<'t> = (&'t str, &'t str, &'t [(&'t str, &'t str)]);

    fn check(text: &str, expected: Result<WebhookText<'_>, &str>) {
        let found = read(Path::new("prisma.yml"), text, &environment);
        match (found, expected) {
            (Ok(found), Ok((query, url, headers))) => {
                let headers = headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
                let one = &found[0];
                let expected = (query, url, headers.collect::<Vec<_>>());
                assert_eq!((&*one.query, &*one.url, one.headers.clone()), expected);
            }
            (Err(mistakes), Err(expected)) => assert_eq!(mistakes.join("\n"), expected),
            (found, expected) => panic!("{found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn a_webhook_has_an_address_and_headers_with_values_of_references() {
        let text = "
endpoint: http://localhost:4466
subscriptions:
  welcome:
    query: 'subscription { user { node { id } } }'
    webhook:
      url: https://${self:custom.host}/welcome?port=${self:custom.port}
      headers:
        Authorization: Bearer ${env:TOKEN}
custom:
  host: ${self:custom.other}
  other: hooks.example
  port: 80
";
        let headers: &[_] = &[("Authorization", "Bearer s3cret")];
        let query = "subscription { user { node { id } } }";
        check(text, Ok((query, "https://hooks.example/welcome?port=80", headers)));
        let short = "subscriptions: { a: { query: q, webhook: 'http://h/a' } }";
        check(short, Ok(("q", "http://h/a", &[])));
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        check("", Err("the file is empty: `subscriptions` is wanted"));
        check("a: 1", Err("`subscriptions` has no subscription: leave the option out"));
        check(
            "a: [",
            Err("line 2, column 1: while parsing a node, did not find expected node content"),
        );
        check(
            "subscriptions: { a: { query: q }, b: { query: q, webhook: { url: u, header: h } } }",
            Err("subscriptions.a: webhook: a text is wanted\n\
                 subscriptions.b: header is unknown: the keys are url and headers"),
        );
        let of = |url: &str| {
            format!("subscriptions: {{ a: {{ query: q, webhook: '{url}' }} }}\nx: '${{self:x}}'")
        };
        check(
            &of("${env:NO}"),
            Err("subscriptions.a: webhook: the environment variable NO is not set"),
        );
        check(
            &of("${opt:stage}"),
            Err(
                "subscriptions.a: webhook: ${opt:stage}: only ${env:NAME} and ${self:custom.name} are read",
            ),
        );
        check(
            &of("${self:y.z}"),
            Err("subscriptions.a: webhook: ${self:y.z}: the file has no text or number at y.z"),
        );
        check(
            &of("${self:x}"),
            Err("subscriptions.a: webhook: \"${self:x}\": references go round in a circle"),
        );
        check(
            &of("${env:TOKEN"),
            Err("subscriptions.a: webhook: \"${env:TOKEN\" has ${ without }"),
        );
        check(
            "subscriptions: { a: { query: no/such.graphql, webhook: u } }",
            Err(
                "subscriptions.a: query: no/such.graphql cannot be read: No such file or directory (os error 2)",
            ),
        );
    }
}
