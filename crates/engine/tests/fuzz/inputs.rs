//! From a tape of bytes to requests, and what must hold of them together.

use engine::Kind;
use graphql::{ErrorCode, GraphQLError, Request};

use super::grammar::document::{document, with_other_values};
use super::grammar::print::{Form, request};
use super::properties::{Attack, Outcome};
use super::seeds::Seed;
use super::target::Opened;
use super::{bytes, tokens};
use testkit::fuzz::Choices;

/// How requests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maker {
    /// Valid operations of the schema.
    Grammar,
    /// Seeds and valid operations, changed token by token.
    Tokens,
    /// Documents as they are, with other variables.
    Variables,
    /// Bodies and query strings, changed byte by byte.
    Bytes,
}

/// What requests are made of.
#[derive(Debug)]
pub(crate) struct Material<'m> {
    pub(crate) opened: &'m Opened,
    pub(crate) seeds: &'m [Seed],
}

impl Maker {
    pub(crate) const ALL: [Self; 4] = [Self::Grammar, Self::Tokens, Self::Variables, Self::Bytes];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Grammar => "grammar",
            Self::Tokens => "tokens",
            Self::Variables => "variables",
            Self::Bytes => "bytes",
        }
    }

    /// Makes the requests of one tape, sends them and says what does not hold.
    pub(crate) async fn run(
        self,
        material: &Material<'_>,
        attack: &Attack,
        tape: &[u8],
    ) -> Result<(), String> {
        let mut choices = Choices::new(tape);
        match self {
            Self::Grammar => grammar(material, attack, &mut choices).await,
            Self::Tokens => changed_tokens(material, attack, &mut choices).await,
            Self::Variables => changed_variables(material, attack, &mut choices).await,
            Self::Bytes => changed_bytes(material, attack, &mut choices).await,
        }
    }
}

async fn grammar(
    material: &Material<'_>,
    attack: &Attack,
    choices: &mut Choices<'_>,
) -> Result<(), String> {
    let schema = &material.opened.schema;
    let first = document(schema, choices);
    let inline = attack.send(&request(schema, &first.document, Form::Inline, choices)?).await?;
    if first.fit && !inline.codes.iter().all(may_follow_from_values) {
        return Err(format!("a valid operation is refused: {inline}"));
    }
    for form in [Form::Variables, Form::Parts, Form::Defaults] {
        let other = attack.send(&request(schema, &first.document, form, choices)?).await?;
        if first.fit {
            compare(&inline, &other, form)?;
        }
    }
    // The same text with other variables needs another plan, or has the same.
    let second = with_other_values(schema, &first.document, choices);
    let inline_second =
        attack.send(&request(schema, &second.document, Form::Inline, choices)?).await?;
    let cached = attack.send(&request(schema, &second.document, Form::Variables, choices)?).await?;
    if second.fit {
        compare(&inline_second, &cached, Form::Variables)?;
    }
    let back = attack.send(&request(schema, &first.document, Form::Variables, choices)?).await?;
    if first.fit {
        compare(&inline, &back, Form::Variables)?;
    }
    Ok(())
}

async fn changed_tokens(
    material: &Material<'_>,
    attack: &Attack,
    choices: &mut Choices<'_>,
) -> Result<(), String> {
    let (text, variables) = some_document(material, choices)?;
    let (other, _) = some_document(material, choices)?;
    let mut changed = tokens::tokens(&text);
    tokens::mutate(&mut changed, &tokens::tokens(&other), &material.opened.schema, choices);
    let variables = tokens::variables(&variables, choices);
    let query = serde_json::Value::from(changed.join(" ")).to_string();
    let body = ["{\"query\":", &query, ",\"variables\":", &variables, "}"].concat();
    let request = Request::from_json(body.as_bytes()).map_err(|error| error.message)?;
    attack.send(&request).await?;
    Ok(())
}

async fn changed_variables(
    material: &Material<'_>,
    attack: &Attack,
    choices: &mut Choices<'_>,
) -> Result<(), String> {
    let (text, variables) = some_document(material, choices)?;
    let variables = tokens::variables(&variables, choices);
    let mut variables = variables.into_bytes();
    if choices.below(2) == 0 {
        bytes::mutate(&mut variables, choices);
    }
    let query = serde_json::Value::from(text).to_string();
    let body = [b"{\"query\":", query.as_bytes(), b",\"variables\":", &variables, b"}"].concat();
    attack.last.replace(body.clone());
    send_if_readable(attack, Request::from_json(&body)).await
}

async fn changed_bytes(
    material: &Material<'_>,
    attack: &Attack,
    choices: &mut Choices<'_>,
) -> Result<(), String> {
    let (text, variables) = some_document(material, choices)?;
    let request = if choices.below(2) == 0 {
        let query = serde_json::Value::from(text).to_string();
        let body = ["{\"query\":", &query, ",\"variables\":", &variables, "}"].concat();
        let mut body = body.into_bytes();
        bytes::mutate(&mut body, choices);
        attack.last.replace(body.clone());
        Request::from_json(&body)
    } else {
        let mut query_string = bytes::query_string(&text, &variables);
        bytes::mutate(&mut query_string, choices);
        attack.last.replace(query_string.clone());
        Request::from_query_string(&String::from_utf8_lossy(&query_string))
    };
    send_if_readable(attack, request).await
}

async fn send_if_readable(
    attack: &Attack,
    request: Result<Request, GraphQLError>,
) -> Result<(), String> {
    match request {
        Ok(request) => attack.send(&request).await.map(drop),
        Err(error) if error.code == ErrorCode::BadUserInput && !error.message.is_empty() => Ok(()),
        Err(error) => Err(format!("a wrong error: {error:?}")),
    }
}

/// A seed, or a valid operation, with its variables as JSON text.
fn some_document(
    material: &Material<'_>,
    choices: &mut Choices<'_>,
) -> Result<(String, String), String> {
    if choices.below(2) == 0
        && let Some(seed) = choices.pick(material.seeds)
    {
        return Ok((seed.document.clone(), seed.variables.clone()));
    }
    let schema = &material.opened.schema;
    let made = document(schema, choices);
    let form = if choices.below(2) == 0 { Form::Inline } else { Form::Variables };
    let request = request(schema, &made.document, form, choices)?;
    let variables = serde_json::to_string(&request.variables).map_err(|error| error.to_string())?;
    Ok((request.query, variables))
}

/// What a valid operation may still be refused for: a value that its source cannot read, and
/// what the API refuses at once, such as a null operator.
fn may_follow_from_values(code: &ErrorCode) -> bool {
    matches!(code, ErrorCode::BadUserInput)
}

fn compare(inline: &Outcome, other: &Outcome, form: Form) -> Result<(), String> {
    let same = inline.kind == other.kind && inline.data == other.data;
    let same_codes = inline.codes.len() == other.codes.len() || inline.kind == Kind::RequestError;
    if same && same_codes {
        return Ok(());
    }
    Err(format!("inline and {form:?} differ:\n{inline}\n{other}"))
}
