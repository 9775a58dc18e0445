//! Reader of the schema of an event-driven subgraph.

use std::fmt;
use std::sync::Arc;

use graphql::definitions::{
    Composite, Definitions, Directive, FieldDefinition, Literal, TypeBody, TypeDefinition,
};
use graphql::parse_definitions;
use graphql::schema::{FieldId, Schema, TypeId, TypeKind};
use supergraph::{SubgraphId, Supergraph};

use super::filter::Filter;
use super::template::{ArgumentPath, Template};
use super::{Action, Consumer, EventField, EventSubgraph, Provider, ProviderKind};

/// An error in the schema of an event-driven subgraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventProblem {
    /// From 1; `None` if it is about the whole document.
    pub line: Option<usize>,
    pub message: String,
}

impl fmt::Display for EventProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// A root operation type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    Query,
    Mutation,
    Subscription,
}

const ROOTS: [(Root, &str, &str); 3] = [
    (Root::Query, "query", "Query"),
    (Root::Mutation, "mutation", "Mutation"),
    (Root::Subscription, "subscription", "Subscription"),
];

const FILTER: &str = "openfed__subscriptionFilter";
const PUBLISH_RESULT: &str = "edfs__PublishResult";
/// The default of `consumerInactiveThreshold`.
const INACTIVE_THRESHOLD: u32 = 30;
/// The default of `providerId`.
const DEFAULT_PROVIDER: &str = "default";

/// Reads the schema of a subgraph, and compares it with the supergraph. Returns all problems.
pub fn read(
    supergraph: &Supergraph,
    subgraph: SubgraphId,
    text: &str,
) -> Result<EventSubgraph, Vec<EventProblem>> {
    let definitions = parse_definitions(text).map_err(|errors| {
        let problems = errors.into_iter().map(|error| EventProblem {
            line: error.locations.first().map(|at| at.line as usize),
            message: error.message,
        });
        problems.collect::<Vec<_>>()
    })?;
    let mut reader =
        Reader { supergraph, subgraph, read: EventSubgraph::default(), problems: Vec::new() };
    for (root, operation, default) in ROOTS {
        let name = root_name(&definitions, operation, default);
        let fields = fields_of(&definitions, name);
        for field in &fields {
            reader.field(root, field);
        }
        reader.check_root(root, &fields);
    }
    reader.check_keys();
    match reader.problems.is_empty() {
        true => Ok(reader.read),
        false => {
            reader.problems.sort_by_key(|problem| problem.line);
            Err(reader.problems)
        }
    }
}

fn root_name<'d>(definitions: &'d Definitions, operation: &str, default: &'d str) -> &'d str {
    let mut operations = definitions.schemas.iter().flat_map(|schema| &schema.operations);
    let found = operations.find(|(known, _)| *known == operation);
    found.map_or(default, |(_, named)| &*named.name)
}

/// The fields of an object type and its extensions.
fn fields_of<'d>(definitions: &'d Definitions, name: &str) -> Vec<&'d FieldDefinition> {
    let types = definitions.types.iter().filter(|definition| *definition.name == *name);
    let composite = |definition: &'d TypeDefinition| match &definition.body {
        TypeBody::Object(Composite { fields, .. }) => fields.as_slice(),
        TypeBody::Scalar
        | TypeBody::Interface(_)
        | TypeBody::Union(_)
        | TypeBody::Enum(_)
        | TypeBody::InputObject(_) => &[],
    };
    types.flat_map(composite).collect()
}

struct Reader<'r> {
    supergraph: &'r Supergraph,
    subgraph: SubgraphId,
    read: EventSubgraph,
    problems: Vec<EventProblem>,
}

impl Reader<'_> {
    fn problem(&mut self, line: usize, message: impl Into<String>) {
        self.problems.push(EventProblem { line: Some(line), message: message.into() });
    }

    fn root_type(&self, root: Root) -> Option<TypeId> {
        let schema = &self.supergraph.schema;
        match root {
            Root::Query => schema.query,
            Root::Mutation => schema.mutation,
            Root::Subscription => schema.subscription,
        }
    }

    /// Reads a root field. A field that the supergraph does not have is not called.
    fn field(&mut self, root: Root, field: &FieldDefinition) {
        let events = field.directives.iter().filter(|one| one.name.starts_with("edfs__"));
        let events: Vec<&Directive> = events.collect();
        let [directive] = events.as_slice() else {
            let message = match events.is_empty() {
                // Fields of federation itself, such as `_entities`.
                true if field.name.starts_with('_') => return,
                true => format!("the field `{}` has no event directive", field.name),
                false => format!("the field `{}` has several event directives", field.name),
            };
            return self.problem(field.line, message);
        };
        let action = action(root, directive);
        let filter = self.filter(root, field);
        let ((kind, action), filter) = match (action, filter) {
            (Ok(action), Ok(filter)) => (action, filter),
            (Err(message), Ok(_) | Err(_)) => return self.problem(directive.line, message),
            (Ok(_), Err((line, message))) => return self.problem(line, message),
        };
        if root == Root::Mutation && field.r#type.to_string() != [PUBLISH_RESULT, "!"].concat() {
            let message =
                format!("the field `{}` is not of the type `{PUBLISH_RESULT}!`", field.name);
            return self.problem(field.line, message);
        }
        let id = text(directive, "providerId").unwrap_or(DEFAULT_PROVIDER).into();
        let root = self.root_type(root);
        let found = root.and_then(|root| self.supergraph.find_field(root, &field.name));
        let Some(found) = found else { return };
        self.check_arguments(directive.line, found, &action, filter.as_ref());
        let provider = Provider { kind, id };
        self.read.fields.insert(found, EventField { provider, action, filter });
    }

    fn filter(
        &self,
        root: Root,
        field: &FieldDefinition,
    ) -> Result<Option<Filter>, (usize, String)> {
        let Some(directive) = field.directives.iter().find(|one| *one.name == *FILTER) else {
            return Ok(None);
        };
        let line = directive.line;
        if root != Root::Subscription {
            return Err((line, format!("`@{FILTER}` is for fields of subscriptions")));
        }
        let [argument] = directive.arguments.as_slice() else {
            return Err((line, format!("`@{FILTER}` has the argument `condition`")));
        };
        let filter = match &*argument.name {
            "condition" => Filter::read(&argument.value),
            _ => Err("it has the argument `condition`".to_owned()),
        };
        filter.map(Some).map_err(|message| (line, format!("`@{FILTER}`: {message}")))
    }

    /// Checks that the arguments of templates exist. Those of topics are scalars, those of filters may
    /// be lists.
    fn check_arguments(
        &mut self,
        line: usize,
        field: FieldId,
        action: &Action,
        filter: Option<&Filter>,
    ) {
        let schema = &self.supergraph.schema;
        let templates = match action {
            Action::Request(topic) | Action::Publish(topic) => std::slice::from_ref(topic),
            Action::Subscribe { topics, .. } => topics.as_slice(),
        };
        let mut wrong = Vec::new();
        for path in templates.iter().flat_map(Template::arguments) {
            wrong.extend(check_argument(schema, field, path, false).err());
        }
        if let Some(filter) = filter {
            filter.visit_arguments(&mut |path| {
                wrong.extend(check_argument(schema, field, path, true).err());
            });
        }
        wrong.into_iter().for_each(|message| self.problem(line, message));
    }

    /// Checks that all root fields of the subgraph have a directive.
    fn check_root(&mut self, root: Root, fields: &[&FieldDefinition]) {
        let Some(id) = self.root_type(root) else { return };
        let (supergraph, subgraph) = (self.supergraph, self.subgraph);
        let TypeKind::Object { fields: own, .. } = &supergraph.schema[id].kind else { return };
        for own in own.iter().filter(|own| supergraph.field_in(**own, subgraph).is_some()) {
            let name = &supergraph.schema[*own].name;
            if !fields.iter().any(|field| field.name == *name) {
                let coordinate = [&*supergraph.schema[id].name, ".", name].concat();
                let message = format!("the schema of events has no field `{coordinate}`");
                self.problems.push(EventProblem { line: None, message });
            }
        }
    }

    /// Checks that the gateway requests no entities: they have no resolver.
    fn check_keys(&mut self) {
        let (supergraph, subgraph) = (self.supergraph, self.subgraph);
        for (id, definition) in supergraph.schema.types() {
            let Some(own) = supergraph.type_in(id, subgraph) else { continue };
            if own.keys.iter().any(|key| key.is_resolvable) {
                let message = format!(
                    "a key of the type `{}` needs `resolvable: false` in a subgraph of events",
                    definition.name
                );
                self.problems.push(EventProblem { line: None, message });
            }
        }
    }
}

/// Reads an event directive.
fn action(root: Root, directive: &Directive) -> Result<(ProviderKind, Action), String> {
    use ProviderKind::{Nats, Redis};
    let name = &*directive.name;
    let topics = |argument: &'static str, kind| {
        let topics = texts(directive, argument)?.into_iter();
        topics.map(|text| template(text, kind, true)).collect::<Result<Vec<_>, String>>()
    };
    let topic = |argument: &'static str, kind| {
        let written = text(directive, argument);
        let written = written.ok_or_else(|| format!("`@{name}` has the argument `{argument}`"))?;
        template(written, kind, false)
    };
    let (wanted, known, read): (_, &[&str], (ProviderKind, Action)) = match name {
        "edfs__natsRequest" => {
            (Root::Query, &["subject"], (Nats, Action::Request(topic("subject", Nats)?)))
        }
        "edfs__natsPublish" => {
            (Root::Mutation, &["subject"], (Nats, Action::Publish(topic("subject", Nats)?)))
        }
        "edfs__natsSubscribe" => {
            let topics = topics("subjects", Nats)?;
            let consumer = consumer(directive)?;
            let known = &["subjects", "streamConfiguration"];
            (Root::Subscription, known, (Nats, Action::Subscribe { topics, consumer }))
        }
        "edfs__redisPublish" => {
            (Root::Mutation, &["channel"], (Redis, Action::Publish(topic("channel", Redis)?)))
        }
        "edfs__redisSubscribe" => {
            let topics = topics("channels", Redis)?;
            let subscribe = Action::Subscribe { topics, consumer: None };
            (Root::Subscription, &["channels"], (Redis, subscribe))
        }
        "edfs__kafkaPublish" | "edfs__kafkaSubscribe" => {
            return Err(format!("`@{name}`: Kafka is not supported"));
        }
        _ => return Err(format!("the directive `@{name}` is unknown")),
    };
    if wanted != root {
        return Err(format!("`@{name}` is not for fields of this root type"));
    }
    for argument in &directive.arguments {
        let is_text = matches!(argument.value, Literal::String(_));
        match &*argument.name {
            "providerId" if is_text => {}
            other if known.contains(&other) => {}
            other => return Err(format!("`@{name}` has no argument `{other}` of this type")),
        }
    }
    Ok(read)
}

fn consumer(directive: &Directive) -> Result<Option<Consumer>, String> {
    let found = directive.arguments.iter().find(|one| &*one.name == "streamConfiguration");
    let Some(found) = found else { return Ok(None) };
    let members = match &found.value {
        Literal::Null => return Ok(None),
        Literal::Object(members) => members,
        _ => return Err("`streamConfiguration` is an object".to_owned()),
    };
    let (mut stream, mut name, mut threshold) = (None, None, INACTIVE_THRESHOLD);
    for (member, value) in members {
        match (&**member, value) {
            ("streamName", Literal::String(text)) if is_name(text) => stream = Some(text.clone()),
            ("consumerName", Literal::String(text)) if is_name(text) => name = Some(text.clone()),
            ("consumerInactiveThreshold", Literal::Int(digits)) => {
                // Cosmo never deletes the consumer for a number below 1.
                threshold = digits.parse().unwrap_or_default();
            }
            (other, _) => {
                return Err(format!("`streamConfiguration`: `{other}` cannot be used"));
            }
        }
    }
    match (stream, name) {
        (Some(stream), Some(name)) => {
            Ok(Some(Consumer { stream, name, inactive_threshold: threshold }))
        }
        (_, _) => Err("`streamConfiguration` has `streamName` and `consumerName`".to_owned()),
    }
}

/// Whether a text is a name of a stream or consumer: part of subjects of NATS.
fn is_name(text: &str) -> bool {
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    !text.is_empty() && text.chars().all(is_fit)
}

/// Parses a topic. `may_match` allows wildcards, for subscriptions.
fn template(text: &str, kind: ProviderKind, may_match: bool) -> Result<Template, String> {
    let template = Template::parse(text).map_err(|error| format!("`{text}`: {error}"))?;
    if text.trim().is_empty() {
        return Err("a topic is empty".to_owned());
    }
    if kind == ProviderKind::Nats {
        let is_wrong =
            |letter: char| letter.is_whitespace() || (!may_match && matches!(letter, '*' | '>'));
        if template.texts().any(|text| text.contains(is_wrong)) {
            return Err(format!("`{text}` is no subject"));
        }
    }
    Ok(template)
}

fn check_argument(
    schema: &Schema,
    field: FieldId,
    ArgumentPath(names): &ArgumentPath,
    may_be_list: bool,
) -> Result<(), String> {
    let path = names.join(".");
    let mut input = None;
    for name in names {
        input = match input {
            None => schema.find_argument(field, name),
            Some(above) => {
                let above: &graphql::schema::InputDefinition = &schema[above];
                match above.r#type.is_list() {
                    true => None,
                    false => schema.find_input_field(above.r#type.base, name),
                }
            }
        };
        if input.is_none() {
            return Err(format!("the field has no argument `{path}`"));
        }
    }
    let Some(input) = input else { return Err("a template has no argument".to_owned()) };
    let r#type = schema[input].r#type;
    let is_leaf = matches!(schema[r#type.base].kind, TypeKind::Scalar | TypeKind::Enum { .. });
    match is_leaf && (may_be_list || !r#type.is_list()) {
        true => Ok(()),
        false => Err(format!("the argument `{path}` is no scalar")),
    }
}

fn text<'d>(directive: &'d Directive, name: &str) -> Option<&'d str> {
    let argument = directive.arguments.iter().find(|argument| *argument.name == *name)?;
    match &argument.value {
        Literal::String(text) => Some(text),
        _ => None,
    }
}

fn texts<'d>(directive: &'d Directive, name: &str) -> Result<Vec<&'d Arc<str>>, String> {
    let argument = directive.arguments.iter().find(|argument| *argument.name == *name);
    let items = match argument.map(|argument| &argument.value) {
        Some(Literal::List(items)) if !items.is_empty() => items.as_slice(),
        Some(one @ Literal::String(_)) => std::slice::from_ref(one),
        _ => &[],
    };
    let texts = items.iter().map(|item| match item {
        Literal::String(text) => Some(text),
        _ => None,
    });
    match texts.collect::<Option<Vec<_>>>() {
        Some(texts) if !texts.is_empty() => Ok(texts),
        _ => Err(format!("`@{}` has the argument `{name}`, a list of strings", directive.name)),
    }
}
