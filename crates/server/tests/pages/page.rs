//! A page of the manual, read as a list of steps.
//!
//! Markers are HTML comments on the line before a block, so that readers never see them:
//!
//! | marker | meaning |
//! |---|---|
//! | `<!-- check: REASON -->` | the command lines are parsed by the program, and not run |
//! | `<!-- skip: REASON -->` | nothing is done with the commands |
//! | `<!-- fails -->` | the commands have to fail |
//! | `<!-- file: NAME -->` | the block is written to a file |
//! | `<!-- query -->`, `<!-- query: HEADER -->` | the operation is sent to the server |
//! | `<!-- output -->` | the block is what the step above prints or answers; `…` stands for any text |
//! | `<!-- run: COMMAND -->` | a command that the page does not show |
//! | `<!-- replace: A => B -->` | replaces a placeholder in all commands and files below |
//! | `<!-- postgres -->` | the page has a PostgreSQL server, by the variables `PG*` |
//! | `<!-- npm -->` | the page has Chromium and the packages of `pages/packages`, by `$PACKAGES` |
//! | `<!-- example: NAME -->` | the commands run in a copy of the example project, beside its packages |
//! | `<!-- check all: REASON -->` | `check` for each block below that has no marker; `skip all` likewise |

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A page with its steps in order.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) path: PathBuf,
    pub(crate) steps: Vec<Step>,
    /// Commands within sentences and tables, with their lines: they are parsed.
    pub(crate) inline: Vec<(usize, String)>,
    pub(crate) needs_postgres: bool,
    pub(crate) needs_npm: bool,
    /// The example project in whose copy the commands run.
    pub(crate) example: Option<String>,
}

/// A step, with the line of its block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) line: usize,
    pub(crate) action: Action,
    /// What the page shows as its output.
    pub(crate) output: Option<Output>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Commands { text: String, fate: Fate },
    File { name: String, text: String },
    Query { operation: String, header: Option<String> },
    Hidden(String),
}

/// What is done with a block of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    Run,
    Fail,
    Check(String),
    Skip(String),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) is_json: bool,
}

/// Numbers of the blocks with commands.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    run: usize,
    queries: usize,
    outputs: usize,
    inline: usize,
    checked: BTreeMap<String, usize>,
    skipped: BTreeMap<String, usize>,
}

/// A page is malformed.
#[derive(Debug, thiserror::Error)]
#[error("{}:{line}: {sentence}", .path.display())]
pub(crate) struct PageError {
    path: PathBuf,
    line: usize,
    sentence: String,
}

/// A marker, before its block is read.
#[derive(Debug)]
enum Marker {
    Fate(Fate),
    File(String),
    Query(Option<String>),
    Output,
}

/// A fenced block.
struct Block {
    language: String,
    text: String,
}

impl Page {
    pub(crate) fn read(path: &Path) -> Result<Self, PageError> {
        let text = fs::read_to_string(path).map_err(|error| PageError {
            path: path.to_owned(),
            line: 0,
            sentence: error.to_string(),
        })?;
        Self::parse(path, &text)
    }

    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, PageError> {
        let mut page = Self {
            path: path.to_owned(),
            steps: Vec::new(),
            inline: Vec::new(),
            needs_postgres: false,
            needs_npm: false,
            example: None,
        };
        let fail = |line, sentence: String| PageError { path: path.to_owned(), line, sentence };
        let mut replacements: Vec<(String, String)> = Vec::new();
        let mut all = None;
        let mut pending: Option<Marker> = None;
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        while let Some((number, line)) = lines.next() {
            if let Some(comment) = comment(line) {
                let (word, rest) = match comment.split_once(':') {
                    Some((word, rest)) => (word.trim(), rest.trim()),
                    None => (comment, ""),
                };
                let marker = match (word, rest) {
                    ("check", reason) => Marker::Fate(Fate::Check(reason.to_owned())),
                    ("skip", reason) => Marker::Fate(Fate::Skip(reason.to_owned())),
                    ("fails", "") => Marker::Fate(Fate::Fail),
                    ("file", name) => Marker::File(name.to_owned()),
                    ("query", header) => {
                        Marker::Query((!header.is_empty()).then(|| header.to_owned()))
                    }
                    ("output", "") => Marker::Output,
                    ("run", command) => {
                        let command = replace(command, &replacements);
                        page.push(number, Action::Hidden(command));
                        continue;
                    }
                    ("replace", rest) => {
                        let Some((from, to)) = rest.split_once(" => ") else {
                            return Err(fail(number, "`replace` wants `A => B`".to_owned()));
                        };
                        replacements.push((from.to_owned(), to.to_owned()));
                        continue;
                    }
                    ("postgres", "") => {
                        page.needs_postgres = true;
                        continue;
                    }
                    ("npm", "") => {
                        page.needs_npm = true;
                        continue;
                    }
                    ("example", name) => {
                        page.example = Some(name.to_owned());
                        page.push(number, Action::Hidden(format!("example {name}")));
                        continue;
                    }
                    ("check all", reason) => {
                        all = Some(Fate::Check(reason.to_owned()));
                        continue;
                    }
                    ("skip all", reason) => {
                        all = Some(Fate::Skip(reason.to_owned()));
                        continue;
                    }
                    _ => continue,
                };
                if let Marker::Fate(Fate::Check(reason) | Fate::Skip(reason)) = &marker
                    && reason.is_empty()
                {
                    return Err(fail(number, format!("`{word}` wants a reason")));
                }
                if pending.is_some() {
                    return Err(fail(number, "the marker above has no block".to_owned()));
                }
                pending = Some(marker);
                continue;
            }
            let Some(language) = line.trim_start().strip_prefix("```") else {
                page.inline.extend(inline_commands(line).map(|command| (number, command)));
                if pending.is_some() && !line.trim().is_empty() {
                    return Err(fail(number, "the marker above has no block".to_owned()));
                }
                continue;
            };
            let indent = line.len() - line.trim_start().len();
            let language = language.split([' ', ',']).next().unwrap_or_default().to_owned();
            let mut text = String::new();
            loop {
                let Some((_, line)) = lines.next() else {
                    return Err(fail(number, "the block has no end".to_owned()));
                };
                if line.trim() == "```" {
                    break;
                }
                text.push_str(line.get(indent..).unwrap_or_default());
                text.push('\n');
            }
            let block = Block { language, text: replace(&text, &replacements) };
            page.add(number, pending.take(), block, all.as_ref())
                .map_err(|sentence| fail(number, sentence))?;
        }
        Ok(page)
    }

    fn push(&mut self, line: usize, action: Action) {
        self.steps.push(Step { line, action, output: None });
    }

    fn add(
        &mut self,
        line: usize,
        marker: Option<Marker>,
        block: Block,
        all: Option<&Fate>,
    ) -> Result<(), String> {
        let Block { language, text } = block;
        match marker {
            Some(Marker::File(name)) => self.push(line, Action::File { name, text }),
            Some(Marker::Query(header)) => {
                self.push(line, Action::Query { operation: text, header });
            }
            Some(Marker::Output) => {
                let is_json = language == "json";
                let step = self.steps.last_mut().filter(|step| match &step.action {
                    Action::Commands { fate: Fate::Run | Fate::Fail, .. } => true,
                    Action::Query { .. } | Action::Hidden(_) => true,
                    Action::Commands { .. } | Action::File { .. } => false,
                });
                let step = step.ok_or("no step above has an output")?;
                if step.output.replace(Output { line, text, is_json }).is_some() {
                    return Err("the step above has an output already".to_owned());
                }
            }
            Some(Marker::Fate(fate)) => self.push(line, Action::Commands { text, fate }),
            None if language == "sh" => {
                let fate = all.cloned().unwrap_or(Fate::Run);
                self.push(line, Action::Commands { text, fate });
            }
            None => {}
        }
        Ok(())
    }

    /// Whether anything is to be done.
    pub(crate) fn has_steps(&self) -> bool {
        let is_file = |step: &Step| matches!(step.action, Action::File { .. });
        !self.inline.is_empty() || !self.steps.iter().all(is_file)
    }
}

impl Counts {
    pub(crate) fn add(&mut self, page: &Page) {
        self.inline += page.inline.len();
        for step in &page.steps {
            self.outputs += usize::from(step.output.is_some());
            match &step.action {
                Action::Commands { fate: Fate::Run | Fate::Fail, .. } => self.run += 1,
                Action::Commands { fate: Fate::Check(reason), .. } => {
                    *self.checked.entry(reason.clone()).or_default() += 1;
                }
                Action::Commands { fate: Fate::Skip(reason), .. } => {
                    *self.skipped.entry(reason.clone()).or_default() += 1;
                }
                Action::Query { .. } => self.queries += 1,
                Action::File { .. } | Action::Hidden(_) => {}
            }
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, queries, outputs, inline, checked, skipped } = self;
        let sum = |reasons: &BTreeMap<String, usize>| reasons.values().sum::<usize>();
        let (parsed, not_run) = (sum(checked), sum(skipped));
        writeln!(
            formatter,
            "pages: {run} blocks of commands run, {queries} operations sent, {outputs} outputs compared, \
             {parsed} blocks and {inline} commands in sentences parsed only, {not_run} blocks skipped"
        )?;
        for (word, reasons) in [("parsed", checked), ("skipped", skipped)] {
            for (reason, count) in reasons {
                writeln!(formatter, "  {word} {count}: {reason}")?;
            }
        }
        Ok(())
    }
}

/// The commands of the program in spans of code, without those that have a placeholder as a value.
fn inline_commands(line: &str) -> impl Iterator<Item = String> {
    let spans = line.split('`').skip(1).step_by(2);
    let commands = spans.filter(|span| span.starts_with("thalweg ")).map(|span| {
        // In tables the bar is escaped.
        span.replace("\\|", "|")
    });
    commands.filter(|command| {
        let is_placeholder = |word: &str| {
            let is_source = word.ends_with("://…") || word == "SOURCE";
            !is_source && (word.contains('…') || matches!(word, "COMMAND" | "SHELL"))
        };
        !command.split_whitespace().any(is_placeholder)
    })
}

/// The text of an HTML comment that is alone on its line.
fn comment(line: &str) -> Option<&str> {
    Some(line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim())
}

fn replace(text: &str, replacements: &[(String, String)]) -> String {
    replacements.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Run by name: this program has no test harness.
pub(crate) mod tests {
    use super::{Action, Fate, Output, Page, Path, Step};

    pub(crate) fn markers() -> Result<(), String> {
        let page = |text: &str| Page::parse(Path::new("a.md"), text);
        let text = "<!-- replace: HOST => localhost -->\n1. Run `thalweg check \\| cat` or `thalweg serve …`:\n\n   ```sh\n   psql HOST\n   ```\n\
                    <!-- output -->\n```text\nok\n```\n<!-- check: slow -->\n```sh\nmake\n```\n";
        let read = page(text).map_err(|error| error.to_string())?;
        if read.inline != [(2, "thalweg check | cat".to_owned())] {
            return Err(format!("{:?}", read.inline));
        }
        let commands = |text: &str, fate| Action::Commands { text: text.to_owned(), fate };
        let output = Some(Output { line: 8, text: "ok\n".to_owned(), is_json: false });
        let expected = [
            Step { line: 4, action: commands("psql localhost\n", Fate::Run), output },
            Step {
                line: 12,
                action: commands("make\n", Fate::Check("slow".to_owned())),
                output: None,
            },
        ];
        if read.steps != expected {
            return Err(format!("{:#?}", read.steps));
        }
        for (text, sentence) in [
            ("<!-- skip: -->\n```sh\nx\n```", "a.md:1: `skip` wants a reason"),
            ("<!-- fails -->\ntext", "a.md:2: the marker above has no block"),
            ("<!-- output -->\n```\nx\n```", "a.md:2: no step above has an output"),
            ("```sh\nx", "a.md:1: the block has no end"),
        ] {
            match page(text) {
                Err(error) if error.to_string() == sentence => {}
                other => return Err(format!("{text}: {other:?}")),
            }
        }
        Ok(())
    }
}
