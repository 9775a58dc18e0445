//! Reading the suites.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::{FILE, Query, QueryFile, Suite, SuiteFile};
use crate::race::failure::RaceError;

/// Every folder of `bench/suites`, by name.
pub(crate) fn load(bench: &Path) -> Result<Vec<Suite>, RaceError> {
    let mut folders = Vec::new();
    let all = bench.join("suites");
    let entries = fs::read_dir(&all).map_err(|error| RaceError::file(&all, &error))?;
    for entry in entries {
        let folder = entry?.path();
        if folder.is_dir() {
            folders.push(folder);
        }
    }
    folders.sort();
    folders.into_iter().map(load_suite).collect()
}

fn load_suite(folder: PathBuf) -> Result<Suite, RaceError> {
    let path = folder.join(FILE);
    let text = fs::read_to_string(&path).map_err(|error| RaceError::file(&path, &error))?;
    let file: SuiteFile = toml::from_str(&text).map_err(|error| RaceError::file(&path, &error))?;
    check(&file).map_err(|problem| RaceError::file(&path, &problem))?;
    let texts = match &file.texts_of {
        Some(other) => folder.with_file_name(other),
        None => folder.clone(),
    };
    let queries = file.queries.iter().map(|query| load_query(query, &file, &texts));
    let queries = queries.collect::<Result<_, _>>()?;
    let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Suite { id, folder, texts, file, queries })
}

fn check(file: &SuiteFile) -> Result<(), String> {
    if file.sources.is_empty() {
        return Err("`sources` names no kind of database".to_owned());
    }
    if file.queries.is_empty() {
        return Err("there are no `[[queries]]`".to_owned());
    }
    let mut ids = BTreeSet::new();
    for query in &file.queries {
        let id = &query.id;
        if !ids.insert(id) {
            return Err(format!("there are two queries `{id}`"));
        }
        let names = query.writes.iter().flat_map(|writes| [&writes.table, &writes.key]);
        for name in names {
            if !name.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '_') {
                return Err(format!("`{id}` writes `{name}`: letters and `_` only"));
            }
        }
        for (name, rule) in &query.variables {
            if let Some(problem) = rule.problem() {
                return Err(format!("the variable `{name}` of `{id}`: {problem}"));
            }
        }
    }
    Ok(())
}

/// Reads `queries/<text>.<dialect>.graphql`, for every dialect that is there.
fn load_query(query: &QueryFile, suite: &SuiteFile, texts: &Path) -> Result<Query, RaceError> {
    let folder = texts.join("queries");
    let mut found = BTreeMap::new();
    let entries = fs::read_dir(&folder).map_err(|error| RaceError::file(&folder, &error))?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let dialect = name
            .strip_suffix(".graphql")
            .and_then(|name| name.strip_prefix(query.text()))
            .and_then(|name| name.strip_prefix('.'));
        if let Some(dialect) = dialect {
            let text = fs::read_to_string(&path).map_err(|error| RaceError::file(&path, &error))?;
            found.insert(dialect.to_owned(), text);
        }
    }
    if !found.contains_key(&suite.dialect) {
        let path = folder.join(format!("{}.{}.graphql", query.text(), suite.dialect));
        return Err(RaceError::file(path, &"the suite has this query, but there is no such file"));
    }
    Ok(Query { file: query.clone(), texts: found })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "title = 'T'\nsources = ['sqlite']\ndialect = 'phrag'\n\
                        data = { generator = 'shop' }\n[[queries]]\nid = 'q'\ntitle = 'Q'\n";

    fn check(text: &str, expected: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        let suite = folder.path().join("suites/s");
        fs::create_dir_all(suite.join("queries")).expect("folders");
        fs::write(suite.join("queries/q.phrag.graphql"), "{ a }").expect("a query");
        fs::write(suite.join(FILE), text).expect("a suite");
        let told = match load(folder.path()) {
            Ok(suites) => suites.iter().map(|suite| suite.id.clone()).collect(),
            Err(error) => error.to_string(),
        };
        assert!(told.contains(expected), "{text}\nis told:\n{told}");
        let is_bad = expected != "s";
        assert_eq!(told.contains("suites/s/"), is_bad, "the file is not named:\n{told}");
    }

    #[test]
    fn a_folder_is_a_suite() {
        check(GOOD, "s");
        check(&format!("{GOOD}variables.id = {{ between = [1, 2] }}"), "s");
        check(&GOOD.replace("id = 'q'", "id = 'r'\ntext = 'q'"), "s");
    }

    #[test]
    fn what_makes_no_sense_is_told_with_its_file() {
        check(&format!("colour = 1\n{GOOD}"), "unknown field `colour`");
        check(&format!("{GOOD}speed = 1"), "unknown field `speed`");
        check(&GOOD.replace("sqlite", "oracle"), "unknown variant `oracle`");
        check(&GOOD.replace("'shop'", "'shoe'"), "unknown variant `shoe`");
        check(&GOOD.replace("['sqlite']", "[]"), "`sources` names no kind of database");
        check(&GOOD.replace("'phrag'", "'hasura'"), "q.hasura.graphql");
        check(&GOOD.replace("id = 'q'", "id = 'r'"), "r.phrag.graphql");
        check(&format!("{GOOD}variables.id = {{ between = [2, 1] }}"), "beyond the last");
        check(&format!("{GOOD}variables.id = {{ one_of = [] }}"), "nothing to choose from");
        check(&format!("{GOOD}variables.id = {{ any = 1 }}"), "unknown variant `any`");
        let writes =
            |table| format!("{GOOD}writes = {{ table = '{table}', key = 'id', after = 1 }}");
        check(&writes("a_b"), "s");
        check(&writes("a; b"), "letters and");
        check(&format!("{GOOD}[[queries]]\nid = 'q'\ntitle = 'Q'"), "two queries `q`");
        check("title =", "suite.toml");
    }

    #[test]
    fn the_suites_of_the_project_can_be_read() {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
        let suites = load(bench).unwrap_or_else(|error| panic!("{error}"));
        assert!(suites.iter().any(|suite| suite.id == "shop"));
    }
}
