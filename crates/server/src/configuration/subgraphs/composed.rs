//! The file of subgraphs to compose: `supergraph.yaml`, in Rover's form, with the settings of each
//! subgraph; or the same keys in TOML, in the file of `--subgraphs`.
//!
//! <https://www.apollographql.com/docs/rover/commands/supergraphs>

use std::path::{Path, PathBuf};

use hyper::Uri;
use hyper::header::{HeaderName, HeaderValue};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::entry::SubgraphEntry;
use super::events::EventsEntry;
use super::source::SourceEntry;
use super::table::{Reader, Value};
use super::{Named, SubgraphsFile, yaml};
use crate::configuration::expand::Variable;
use crate::configuration::problem::{Problem, Refused};

/// A file of subgraphs to compose.
#[derive(Debug, Default)]
pub(crate) struct CompositionFile {
    pub(crate) subgraphs: Vec<SubgraphPlace>,
    /// The settings for requests to the subgraphs.
    settings: SubgraphsFile,
}

/// A subgraph and the place of its schema.
#[derive(Debug)]
pub(crate) struct SubgraphPlace {
    pub(crate) name: String,
    /// The address of requests to the subgraph; empty without one.
    pub(crate) routing_url: String,
    pub(crate) schema: SchemaPlace,
}

/// The place of a subgraph's schema.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum SchemaPlace {
    File(PathBuf),
    /// SDL in the file itself.
    Sdl(String),
    /// A running subgraph, which returns its SDL (`_service { sdl }`).
    Server {
        url: Uri,
        headers: Vec<(HeaderName, HeaderValue)>,
    },
    /// A source in this process.
    Source(Box<SourceEntry>),
}

/// The keys of the file.
const KEYS: [&str; 4] = ["federation_version", "subgraphs", "all", "providers"];

/// The keys of a subgraph that its settings do not have.
pub(super) const OF_SUBGRAPH: [&str; 2] = ["routing_url", "schema"];

const OF_SCHEMA: [&str; 6] =
    ["file", "sdl", "subgraph_url", "introspection_headers", "graphref", "subgraph"];

/// The last minor version of Federation whose rules are applied.
const LAST_MINOR: u32 = 15;

impl CompositionFile {
    /// Parses a file, and reports all problems at once.
    pub(crate) fn parse(
        file: &Path,
        text: &str,
        variable: &dyn Fn(&str) -> Variable,
    ) -> Result<Self, Refused> {
        let settings = SubgraphsFile { file: file.to_owned(), ..SubgraphsFile::default() };
        let mut read = Self { subgraphs: Vec::new(), settings };
        let is_toml = file.extension().is_some_and(|ending| ending == "toml");
        let (table, problems) = match is_toml {
            true => {
                let (table, errors) = DeTable::parse_recoverable(text);
                (table, errors.iter().map(|error| Problem::of_syntax(text, error)).collect())
            }
            false => match yaml::table(text) {
                Ok(table) => (table, Vec::new()),
                Err(problem) => (Spanned::new(0..0, DeTable::new()), vec![problem]),
            },
        };
        if !problems.is_empty() {
            return Err(Refused::sorted(file, problems));
        }
        let mut reader = Reader::new(text, variable);
        read.fill(&mut reader, &table);
        let problems: Vec<Problem> = reader.into_problems();
        match problems.is_empty() {
            true => Ok(read),
            false => Err(Refused::sorted(file, problems)),
        }
    }

    /// Moves the settings into those of the file of `--subgraphs`, whose sources are composed, too.
    pub(crate) fn add(&mut self, others: &mut SubgraphsFile) -> Result<(), Refused> {
        const BOTH: &str =
            "has settings in the file of subgraphs to compose, too: one place is wanted";
        let mut problems = Vec::new();
        for Named { name, position, entry } in &others.subgraphs {
            if self.settings.subgraphs.iter().any(|own| own.name == *name) {
                let message = format!("`{}` {BOTH}", name.escape_debug());
                problems.push(Problem { position: *position, message });
            } else if let Some(source) = &entry.source {
                match self.place(name) {
                    Some(_) => {
                        let message = format!(
                            "`{}` has a `source`, and a `schema` in the file of subgraphs to compose: \
                             a source has a schema",
                            name.escape_debug()
                        );
                        problems.push(Problem { position: *position, message });
                    }
                    None => self.subgraphs.push(SubgraphPlace::of_source(name, source)),
                }
            } else if let (Some(events), None) = (&entry.events, self.place(name)) {
                self.subgraphs.push(SubgraphPlace::of_events(name, events));
            }
        }
        match (self.settings.all_position, others.all_position) {
            (Some(_), Some(position)) => {
                problems.push(Problem { position, message: format!("`all` {BOTH}") });
            }
            (Some(_), None) => others.all = std::mem::take(&mut self.settings.all),
            (None, _) => {}
        }
        if !problems.is_empty() {
            return Err(Refused::sorted(&others.file, problems));
        }
        if others.file.as_os_str().is_empty() {
            others.file.clone_from(&self.settings.file);
        }
        others.subgraphs.append(&mut self.settings.subgraphs);
        others.providers.append(&mut self.settings.providers);
        Ok(())
    }

    fn place(&self, name: &str) -> Option<&SubgraphPlace> {
        self.subgraphs.iter().find(|place| place.name == name)
    }

    fn fill(&mut self, reader: &mut Reader<'_>, table: &Spanned<DeTable<'_>>) {
        let start = table.span().start;
        let table = table.get_ref();
        for (name, value) in table {
            match &**name.get_ref() {
                "federation_version" => check_version(reader, value),
                "subgraphs" => self.fill_subgraphs(reader, value),
                "providers" => self.settings.fill_providers(reader, value),
                "all" => self.settings.fill_all(reader, name, value),
                _ => reader.unknown(name, "the file", &KEYS),
            }
        }
        if !table.contains_key("subgraphs") {
            reader.wrong(start, "`subgraphs` is missing: it maps names to their schemas".into());
        }
    }

    fn fill_subgraphs(&mut self, reader: &mut Reader<'_>, value: &Value<'_>) {
        let Some(subgraphs) = reader.table("subgraphs", value) else { return };
        for (name, value) in subgraphs {
            let position = reader.position(name.span().start);
            let name = name.get_ref().clone().into_owned();
            let Some(table) = reader.table(&name, value) else { continue };
            let mut settings = table.clone();
            let (routing_url, schema) = (settings.remove("routing_url"), settings.remove("schema"));
            let entry = SubgraphEntry::read_one(reader, &settings, &OF_SUBGRAPH);
            let place = place(
                reader,
                &name,
                value,
                [routing_url, schema],
                (entry.source.as_ref(), entry.events.as_ref()),
            );
            self.subgraphs.extend(place);
            if !settings.is_empty() {
                self.settings.subgraphs.push(Named { name, position, entry });
            }
        }
    }
}

impl SubgraphPlace {
    /// A subgraph of events: its schema is a file beside the working directory, as in the settings.
    fn of_events(name: &str, events: &EventsEntry) -> Self {
        let file = std::path::absolute(&events.sdl).unwrap_or_else(|_| events.sdl.clone());
        let schema = SchemaPlace::File(file);
        Self { name: name.to_owned(), routing_url: String::new(), schema }
    }

    fn of_source(name: &str, source: &SourceEntry) -> Self {
        let schema = SchemaPlace::Source(Box::new(source.clone()));
        Self { name: name.to_owned(), routing_url: String::new(), schema }
    }
}

impl std::fmt::Debug for SchemaPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(file) => f.debug_tuple("File").field(file).finish(),
            Self::Sdl(_) => f.write_str("Sdl"),
            // Headers may be secrets.
            Self::Server { url, .. } => {
                f.debug_tuple("Server").field(&redact::address(&url.to_string())).finish()
            }
            Self::Source(source) => f.debug_tuple("Source").field(source).finish(),
        }
    }
}

fn check_version(reader: &mut Reader<'_>, value: &Value<'_>) {
    const NAME: &str = "federation_version";
    let written = match value.get_ref() {
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        _ => match reader.string(NAME, value) {
            Some(text) => text,
            None => return,
        },
    };
    let version = written.trim_start_matches('=');
    let mut parts = version.split('.').map(str::parse::<u32>);
    let is_known = match (parts.next(), parts.next()) {
        (Some(Ok(2)), None) => true,
        (Some(Ok(2)), Some(Ok(minor))) => minor <= LAST_MINOR,
        _ => false,
    };
    if !is_known {
        let message = format!(
            "`{NAME}`: `{}` is not composed here; the rules of 2.{LAST_MINOR} are applied, which \
             compose subgraphs of Federation 1 and of 2.0 to 2.{LAST_MINOR}: leave it out or write `2`",
            written.escape_debug()
        );
        reader.wrong(value.span().start, message);
    }
}

fn place(
    reader: &mut Reader<'_>,
    name: &str,
    whole: &Value<'_>,
    [routing_url, schema]: [Option<Value<'_>>; 2],
    (source, events): (Option<&SourceEntry>, Option<&EventsEntry>),
) -> Option<SubgraphPlace> {
    let routing = routing_url.as_ref().map(|value| reader.string("routing_url", value));
    if let Some(source) = source {
        for (key, value) in OF_SUBGRAPH.iter().zip([&routing_url, &schema]) {
            if let Some(value) = value {
                let message = format!(
                    "`{key}` has no place beside `source`, which has a schema and is called without HTTP"
                );
                reader.wrong(value.span().start, message);
            }
        }
        return Some(SubgraphPlace::of_source(name, source));
    }
    let Some(schema) = schema else {
        if let Some(events) = events {
            return Some(SubgraphPlace::of_events(name, events));
        }
        let message =
            format!("the subgraph `{}` has neither `schema` nor `source`", name.escape_debug());
        reader.wrong(whole.span().start, message);
        return None;
    };
    let schema = schema_place(reader, &schema)?;
    let routing_url = match (routing, &schema) {
        (Some(url), _) => url?,
        (None, SchemaPlace::Server { url, .. }) => url.to_string(),
        (None, SchemaPlace::File(_) | SchemaPlace::Sdl(_) | SchemaPlace::Source(_)) => {
            String::new()
        }
    };
    Some(SubgraphPlace { name: name.to_owned(), routing_url, schema })
}

fn schema_place(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<SchemaPlace> {
    let table = reader.table("schema", value)?;
    let mut found = None;
    let mut headers = Vec::new();
    let mut is_of_server = None;
    for (key, value) in table {
        let name = &**key.get_ref();
        let place = match name {
            "file" => reader.string(name, value).map(|file| SchemaPlace::File(file.into())),
            // SDL may have dollars; it has no variables.
            "sdl" => match value.get_ref() {
                DeValue::String(sdl) => Some(SchemaPlace::Sdl(sdl.clone().into_owned())),
                _ => reader.string(name, value).map(SchemaPlace::Sdl),
            },
            "subgraph_url" => server(reader, name, value),
            "introspection_headers" => {
                is_of_server = Some(value.span().start);
                headers = read_headers(reader, name, value);
                continue;
            }
            "graphref" | "subgraph" => {
                let message = format!(
                    "`{name}`: schemas are not fetched from a registry; write the schema to a file \
                     (`rover subgraph fetch`) and name it with `file`"
                );
                reader.wrong(key.span().start, message);
                return None;
            }
            _ => {
                reader.unknown(key, "`schema`", &OF_SCHEMA);
                continue;
            }
        };
        if found.is_some() {
            let message = "`schema`: one of `file`, `sdl` and `subgraph_url` is wanted".to_owned();
            reader.wrong(key.span().start, message);
            return None;
        }
        found = Some(place?);
    }
    match (&mut found, is_of_server) {
        (Some(SchemaPlace::Server { headers: place, .. }), _) => *place = headers,
        (_, Some(offset)) => {
            reader.wrong(offset, "`introspection_headers` needs `subgraph_url`".into());
        }
        (None, None) => {
            let message = "`schema`: one of `file`, `sdl` and `subgraph_url` is wanted".to_owned();
            reader.wrong(value.span().start, message);
        }
        (Some(_), None) => {}
    }
    found
}

fn server(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<SchemaPlace> {
    let text = reader.string(name, value)?;
    // As trusted as the requests that the gateway sends to it, which may be unencrypted, too.
    let is_address = |url: &Uri| matches!(url.scheme_str(), Some("http" | "https"));
    match text.trim().parse::<Uri>().ok().filter(is_address) {
        Some(url) => Some(SchemaPlace::Server { url, headers: Vec::new() }),
        None => {
            let message = "an address is wanted, such as `https://host.example/graphql`";
            reader.wrong(value.span().start, format!("`{name}`: {message}"));
            None
        }
    }
}

fn read_headers(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Value<'_>,
) -> Vec<(HeaderName, HeaderValue)> {
    let mut headers = Vec::new();
    for (key, value) in reader.table(name, value).into_iter().flatten() {
        let Ok(header) = key.get_ref().parse::<HeaderName>() else {
            reader.wrong(key.span().start, format!("`{name}`: a name of a header is wanted"));
            continue;
        };
        let Some(text) = reader.string(name, value) else { continue };
        match HeaderValue::from_str(&text) {
            Ok(mut text) => {
                text.set_sensitive(true);
                headers.push((header, text));
            }
            Err(_) => {
                let message = format!("`{name}`: the value of `{header}` is no value of a header");
                reader.wrong(value.span().start, message);
            }
        }
    }
    headers
}
