//! The support tables of the dialects, made from the headers of the case files.
//!
//! The table of features is in `docs/<dialect>.md` between two marks, and every case with its
//! sentence in `docs/<dialect>-cases.md`: the documentation lists what is tested. `index` lists the
//! cases by feature, across dialects; `chart` draws the measured figures.

mod chart;
mod index;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- The support table: made by `cargo xtask docs` from the case files. -->";
const END: &str = "<!-- The end of the support table. -->";

/// The sources: their names in `# skip`, and their printed names.
const SOURCES: [(&str, &str); 2] = [("postgres", "PostgreSQL"), ("sqlite", "SQLite")];

/// The one that has graphs, and the dialect of these.
const GRAPHS: [(&str, &str); 1] = [("neo4j", "Neo4j")];

/// The gateway is no dialect, and has one kind of source: its cases are listed, and not part of the
/// tables.
const GATEWAY: &str = "gateway";

/// The sources that a dialect is served from, as cases and people call them.
fn sources(dialect: &str) -> &'static [(&'static str, &'static str)] {
    match dialect {
        "neo4j" => &GRAPHS,
        GATEWAY => &[],
        _ => &SOURCES,
    }
}

/// The documents could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DocsError {
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{}: the marks of the support table are missing:\n{BEGIN}\n{END}", .0.display())]
    Marks(PathBuf),
    #[error("{}: the summary lacks a row of the chart", .0.display())]
    Chart(PathBuf),
}

/// The header of a case file.
#[derive(Debug, PartialEq, Eq)]
struct Case {
    /// The behaviour.
    sentence: String,
    /// The file's path below the folder of the dialect.
    path: String,
    /// Skipped sources, with the reasons.
    skips: Vec<(String, String)>,
}

/// The cases of an area, by their paths.
type Areas = BTreeMap<String, Vec<Case>>;

/// Writes outdated files, and returns their names.
pub(crate) fn write(workspace: &Path) -> Result<Vec<PathBuf>, DocsError> {
    let stale = find_stale(workspace)?;
    for (path, text) in &stale {
        fs::write(path, text).map_err(|error| DocsError::File { path: path.clone(), error })?;
    }
    Ok(stale.into_iter().map(|(path, _)| path).collect())
}

/// Prints outdated documents; true if there are none.
pub(crate) fn print_stale(workspace: &Path) -> bool {
    match find_stale(workspace) {
        Ok(stale) => {
            for (path, _) in &stale {
                let path = path.display();
                println!("{path}: docs: differs from the case files; run `cargo xtask docs`.");
            }
            stale.is_empty()
        }
        Err(error) => {
            println!("docs: {error}");
            false
        }
    }
}

/// The outdated documents, with the text that they should have.
pub(crate) fn find_stale(workspace: &Path) -> Result<Vec<(PathBuf, String)>, DocsError> {
    let mut stale = Vec::new();
    let mut dialects = BTreeMap::new();
    for folder in subfolders(&workspace.join("fixtures/cases"))? {
        let Some(dialect) = folder.file_name().and_then(|name| name.to_str()) else { continue };
        let areas = read_areas(&folder)?;
        if dialect != GATEWAY {
            let page = workspace.join(format!("docs/{dialect}.md"));
            let old = read(&page)?;
            let new = replace_table(&old, &table(dialect, &areas))
                .ok_or_else(|| DocsError::Marks(page.clone()))?;
            if new != old {
                stale.push((page, new));
            }
        }
        let list = workspace.join(format!("docs/{dialect}-cases.md"));
        let text = cases(dialect, &areas);
        if fs::read_to_string(&list).ok().as_ref() != Some(&text) {
            stale.push((list, text));
        }
        dialects.insert(dialect.to_owned(), areas);
    }
    let (page, text) = (workspace.join("docs/cases.md"), index::print(&dialects));
    if fs::read_to_string(&page).ok().as_ref() != Some(&text) {
        stale.push((page, text));
    }
    let figures = workspace.join("docs/performance.md");
    let text = chart::draw(&read(&figures)?).ok_or(DocsError::Chart(figures))?;
    let page = workspace.join("docs/figures.svg");
    if fs::read_to_string(&page).ok().as_ref() != Some(&text) {
        stale.push((page, text));
    }
    Ok(stale)
}

fn replace_table(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

/// One row per area.
fn table(dialect: &str, areas: &Areas) -> String {
    let sources = sources(dialect);
    let mut text = String::from("| area | cases |");
    for (_, name) in sources {
        let _ = write!(text, " {name} |");
    }
    let rule = "---|".repeat(sources.len());
    let _ = writeln!(text, " exceptions by source |\n|---|---|{rule}---|");
    for (area, cases) in areas {
        let _ = write!(text, "| [{area}]({dialect}-cases.md#{area}) | {} |", cases.len());
        let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (word, name) in sources {
            let skipped = cases.iter().filter_map(|case| case.reason(word));
            skipped.for_each(|reason| *reasons.entry((name, reason)).or_default() += 1);
            let held = cases.iter().filter(|case| case.reason(word).is_none()).count();
            let _ = write!(text, " {held} |");
        }
        let reasons: Vec<String> = reasons
            .iter()
            .map(|((name, reason), count)| match count {
                1 => format!("{name}: {reason}"),
                _ => format!("{name}: {reason} ({count})"),
            })
            .collect();
        let _ = writeln!(text, " {} |", reasons.join("; "));
    }
    text
}

/// Every case with its sentence.
fn cases(dialect: &str, areas: &Areas) -> String {
    let mut text = match dialect {
        GATEWAY => "# Cases of the gateway\n\n\
             Each row is a tested behaviour, with a link to its case file.\n\
             A case has a supergraph, a request, the requests to subgraphs, and the response.\n\
             `cargo xtask docs` generates this page from the case files.\n"
            .to_owned(),
        dialect => format!(
            "# Cases of the dialect `{dialect}`\n\n\
             Each row is a tested behaviour, with a link to its case file.\n\
             A case has a request and its response, which is the same on every source.\n\
             The column of a source has `yes`, or the reason why the case does not apply to it.\n\
             `cargo xtask docs` generates this page from the case files.\n"
        ),
    };
    for (area, cases) in areas {
        let _ = write!(text, "\n## {area}\n\n| behaviour |");
        let sources = sources(dialect);
        for (_, name) in sources {
            let _ = write!(text, " {name} |");
        }
        let _ = writeln!(text, "\n|---|{}", "---|".repeat(sources.len()));
        for case in cases {
            let link = format!("../fixtures/cases/{dialect}/{}", case.path);
            let _ = write!(text, "| [{}]({link}) |", escape(&case.sentence));
            for (word, _) in sources {
                let _ = write!(text, " {} |", case.reason(word).unwrap_or("yes"));
            }
            text.push('\n');
        }
    }
    text
}

impl Case {
    /// The reason for skipping a source, if it is skipped.
    fn reason(&self, word: &str) -> Option<&str> {
        self.skips.iter().find(|(own, _)| own == word).map(|(_, reason)| reason.as_str())
    }
}

fn read_areas(folder: &Path) -> Result<Areas, DocsError> {
    let mut areas = Areas::new();
    for area in subfolders(folder)? {
        let Some(name) = area.file_name().and_then(|name| name.to_str()) else { continue };
        let mut cases = Vec::new();
        for path in entries(&area)? {
            let Some(file) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if file.ends_with(".case") {
                cases.push(parse(&format!("{name}/{file}"), &read(&path)?));
            }
        }
        if !cases.is_empty() {
            areas.insert(name.to_owned(), cases);
        }
    }
    Ok(areas)
}

/// Only the header is parsed; the runner of the cases validates it.
fn parse(path: &str, text: &str) -> Case {
    let header = text.lines().take_while(|line| line.starts_with('#'));
    let mut lines = header.map(|line| line.trim_start_matches('#').trim());
    let sentence = lines.next().unwrap_or_default().trim_end_matches('.').to_owned();
    let skips = lines
        .filter_map(|line| line.strip_prefix("skip ")?.split_once(':'))
        .map(|(source, reason)| (source.trim().to_owned(), escape(reason.trim())))
        .collect();
    Case { sentence, path: path.to_owned(), skips }
}

/// Escapes characters that would end a cell or a link.
fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('[', "\\[").replace(']', "\\]")
}

fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, DocsError> {
    Ok(entries(folder)?.into_iter().filter(|path| path.is_dir()).collect())
}

/// Sorted, since folders list in any order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, DocsError> {
    let fail = |error| DocsError::File { path: folder.to_owned(), error };
    let entries = fs::read_dir(folder).map_err(fail)?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(fail)?;
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<String, DocsError> {
    fs::read_to_string(path).map_err(|error| DocsError::File { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn areas() -> Areas {
        let case =
            "# A | b [c].\n# database: shop\n# skip sqlite: no arrays\n--- request\n# skip x: y";
        let other = parse("page/all.case", "# All rows.\n--- request\n");
        let cases = vec![parse("page/first.case", case), other];
        Areas::from([("page".to_owned(), cases)])
    }

    #[test]
    fn the_header_alone_is_read() {
        let case = &areas()["page"][0];
        assert_eq!(case.sentence, "A | b [c]");
        assert_eq!(case.skips, [("sqlite".to_owned(), "no arrays".to_owned())]);
    }

    #[test]
    fn areas_are_counted_by_source() {
        let expected = "| area | cases | PostgreSQL | SQLite | exceptions by source |\n\
                        |---|---|---|---|---|\n\
                        | [page](d-cases.md#page) | 2 | 2 | 1 | SQLite: no arrays |\n";
        assert_eq!(table("d", &areas()), expected);
        let listed = cases("d", &areas());
        assert!(listed.contains(
            "| [A \\| b \\[c\\]](../fixtures/cases/d/page/first.case) | yes | no arrays |\n"
        ));
    }

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let page = format!("a\n{BEGIN}\nold\n{END}\nb");
        assert_eq!(replace_table(&page, "new\n"), Some(format!("a\n{BEGIN}\nnew\n{END}\nb")));
        assert_eq!(replace_table("a", "new\n"), None);
    }
}
