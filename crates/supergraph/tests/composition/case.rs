//! A case: subgraphs with the codes of their errors and hints.
//!
//! The header is a sentence, and `# apollo:` and `# guild:` with the codes of another composer where
//! they differ, with the `# reason:` if Apollo's differ. Sections are `subgraph NAME`; `errors` and
//! `hints`, which have the codes in order; and `findings`, what we report. `UPDATE_EXPECT=1` writes
//! `findings`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use libtest_mimic::Failed;
use supergraph::composition::{Composition, Finding, SubgraphSchema, compose};

/// The codes of findings.
pub(crate) type Codes = BTreeSet<String>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    header: String,
    pub(crate) subgraphs: Vec<SubgraphSchema>,
    pub(crate) errors: Codes,
    pub(crate) hints: Codes,
    findings: String,
}

#[derive(Clone, Debug)]
pub(crate) struct CaseFile {
    path: PathBuf,
    pub(crate) case: Case,
}

/// Returns all cases in the order of their names.
pub(crate) fn find() -> io::Result<Vec<CaseFile>> {
    let mut files = Vec::new();
    for folder in entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"))? {
        for path in entries(&folder)? {
            let case = Case::parse(&fs::read_to_string(&path)?);
            files.push(CaseFile { path, case });
        }
    }
    Ok(files)
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

impl CaseFile {
    /// Returns the name of the folder and of the file, without its extension.
    pub(crate) fn name(&self) -> String {
        let folder = self.path.parent().and_then(Path::file_name).unwrap_or_default();
        let file = self.path.file_stem().unwrap_or_default();
        format!("{}/{}", folder.to_string_lossy(), file.to_string_lossy())
    }

    /// Composes the subgraphs and compares the findings.
    pub(crate) fn check(&self) -> Result<(), Failed> {
        let composition = compose(&self.case.subgraphs);
        let errors = codes(&composition.errors);
        let mut wrong = compare("errors", &self.case.errors, &errors);
        if errors.is_empty() && self.case.errors.is_empty() {
            wrong += &compare("hints", &self.case.hints, &codes(&composition.hints));
        }
        if errors.is_empty() != composition.supergraph.is_some() {
            wrong += "there is either a supergraph or an error\n";
        }
        let findings = print(&composition);
        if !wrong.is_empty() {
            return Err(format!("{}\n{wrong}{findings}", self.path.display()).into());
        }
        if findings == self.case.findings {
            return Ok(());
        }
        if env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1") {
            fs::write(&self.path, Case { findings, ..self.case.clone() }.print())?;
            return Ok(());
        }
        let expected = &self.case.findings;
        Err(format!("{}\nexpected\n{expected}actual\n{findings}", self.path.display()).into())
    }
}

impl Case {
    fn parse(text: &str) -> Self {
        let mut case = Self::default();
        let mut sections = text.split("--- ");
        sections.next().unwrap_or_default().clone_into(&mut case.header);
        for section in sections {
            let (title, body) = section.split_once('\n').unwrap_or((section, ""));
            let codes = || body.lines().map(str::to_owned).collect();
            match title.split_once(' ') {
                Some(("subgraph", name)) => case.subgraphs.push(SubgraphSchema {
                    name: name.to_owned(),
                    url: format!("http://{name}"),
                    sdl: body.to_owned(),
                }),
                None if title == "errors" => case.errors = codes(),
                None if title == "hints" => case.hints = codes(),
                None if title == "findings" => body.clone_into(&mut case.findings),
                _ => panic!("there is no section `{title}`"),
            }
        }
        case
    }

    fn print(&self) -> String {
        let mut text = self.header.clone();
        for subgraph in &self.subgraphs {
            write!(text, "--- subgraph {}\n{}", subgraph.name, subgraph.sdl).unwrap();
        }
        for (title, codes) in [("errors", &self.errors), ("hints", &self.hints)] {
            if !codes.is_empty() {
                writeln!(text, "--- {title}").unwrap();
            }
            for code in codes {
                writeln!(text, "{code}").unwrap();
            }
        }
        if !self.findings.is_empty() {
            write!(text, "--- findings\n{}", self.findings).unwrap();
        }
        text
    }

    /// Returns the errors of another composer: those of its line in the header, or the case's.
    pub(crate) fn errors_of(&self, composer: &str) -> Codes {
        let line = format!("# {composer}: ");
        match self.header.lines().find_map(|known| known.strip_prefix(&line)) {
            Some("none") => Codes::new(),
            Some(codes) => codes.split(' ').map(str::to_owned).collect(),
            None => self.errors.clone(),
        }
    }
}

pub(crate) fn codes(findings: &[Finding]) -> Codes {
    findings.iter().map(|finding| finding.code.as_str().to_owned()).collect()
}

/// Returns a line for each set of codes that is in one set only.
pub(crate) fn compare(what: &str, expected: &Codes, actual: &Codes) -> String {
    let mut text = String::new();
    let mut list = |name, mut codes: Vec<&str>| {
        codes.sort_unstable();
        if !codes.is_empty() {
            writeln!(text, "{name} {what}: {}", codes.join(" ")).unwrap();
        }
    };
    list("missing", expected.difference(actual).map(String::as_str).collect());
    list("unexpected", actual.difference(expected).map(String::as_str).collect());
    text
}

/// Prints findings: the code, the coordinates and locations, the message, the remedy.
fn print(composition: &Composition) -> String {
    let mut text = String::new();
    for finding in composition.errors.iter().chain(&composition.hints) {
        let locations = finding.locations.iter().map(ToString::to_string);
        let words: Vec<String> = [finding.code.as_str().to_owned()]
            .into_iter()
            .chain(finding.coordinates.iter().cloned())
            .chain(locations)
            .collect();
        writeln!(text, "{}", words.join(" ")).unwrap();
        for line in finding.message.lines().chain(finding.remedy.iter().flat_map(|r| r.lines())) {
            writeln!(text, "  {line}").unwrap();
        }
    }
    text
}
