//! Text → [`Case`].

use std::path::{Path, PathBuf};

use super::file::{Case, Family, Fault, Header, Section, SectionKind, Skip, Step};
use super::json;
use super::property;

/// A file that is no case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {problem}", path.display())]
pub struct CaseError {
    pub path: PathBuf,
    /// From 1.
    pub line: usize,
    pub problem: String,
}

/// Reads the text of a case file; `path` is for errors only.
pub fn parse(path: &Path, text: &str) -> Result<Case, CaseError> {
    let fail = |(line, problem)| CaseError { path: path.to_owned(), line, problem };
    let header_lines = text.lines().take_while(|line| !line.starts_with("---")).count();
    let header = parse_header(text, header_lines).map_err(fail)?;
    let steps = parse_steps(text, header_lines).map_err(fail)?;
    for section in steps.iter().flat_map(|step| &step.sections) {
        check_section(section).map_err(fail)?;
    }
    check_steps(&steps).map_err(|problem| fail((header_lines + 1, problem)))?;
    let case = Case { header, steps };
    check_session(&case).map_err(|problem| fail((1, problem.to_owned())))?;
    Ok(case)
}

type Problem = (usize, String);

fn parse_header(text: &str, count: usize) -> Result<Header, Problem> {
    let mut lines = text.lines().take(count).zip(1..);
    let sentence = match lines.next() {
        Some((line, _)) => line.strip_prefix("# ").unwrap_or_default().trim(),
        None => "",
    };
    if !sentence.ends_with(['.', '?']) {
        return Err((1, "the first line is `# ` and a sentence that says the behaviour".into()));
    }
    let mut header = Header { sentence: sentence.to_owned(), ..Header::default() };
    for (line, number) in lines {
        if line.trim().is_empty() {
            continue;
        }
        let entry = line.strip_prefix("# ").and_then(|entry| entry.split_once(':'));
        let Some((key, value)) = entry else {
            return Err((number, format!("`{line}` is no header line, as `# database: shop` is")));
        };
        let value = value.trim();
        match key.trim() {
            "database" => value.clone_into(&mut header.database),
            "dialect" => value.clone_into(&mut header.dialect),
            "supergraph" => value.clone_into(&mut header.supergraph),
            "options" => value.clone_into(&mut header.options),
            "policies" => value.clone_into(&mut header.policies),
            "role" => value.clone_into(&mut header.role),
            "types" => {
                header.types = value.split(',').map(|name| name.trim().to_owned()).collect();
            }
            key if key.starts_with("fault ") => {
                let subgraph = key.trim_start_matches("fault ").trim().to_owned();
                header.faults.push(Fault { subgraph, what: value.to_owned() });
            }
            key => match key.strip_prefix("skip ").and_then(family) {
                Some(_) if value.is_empty() => {
                    return Err((number, "a skip says its reason".into()));
                }
                Some(family) => header.skips.push(Skip { family, reason: value.to_owned() }),
                None => {
                    return Err((
                        number,
                        format!(
                            "`{key}` is no header; there are database, dialect, supergraph, options, policies, role, types, fault SUBGRAPH, skip postgres, skip sqlite"
                        ),
                    ));
                }
            },
        }
    }
    for (name, value) in [("database", &header.database), ("dialect", &header.dialect)] {
        match (header.supergraph.is_empty(), value.is_empty()) {
            (true, true) => return Err((1, format!("the header has no `# {name}: …`"))),
            (false, false) => return Err((1, format!("a supergraph has no {name}"))),
            (true, false) | (false, true) => {}
        }
    }
    if header.supergraph.is_empty() && !header.faults.is_empty() {
        return Err((1, "a fault is one of a subgraph".into()));
    }
    Ok(header)
}

fn parse_steps(text: &str, skipped: usize) -> Result<Vec<Step>, Problem> {
    let mut steps = vec![Step::default()];
    for (number, line) in (1..).zip(text.lines()).skip(skipped) {
        let Some(heading) = line.strip_prefix("--- ") else {
            if let Some(section) = steps.last_mut().and_then(|step| step.sections.last_mut()) {
                section.text.push_str(line);
                section.text.push('\n');
            }
            continue;
        };
        let (kind, family) = parse_heading(heading).map_err(|text| (number, text))?;
        if matches!(kind, SectionKind::Then | SectionKind::State) {
            steps.push(Step::default());
        }
        let Some(step) = steps.last_mut() else { continue };
        if step.sections.iter().any(|other| other.kind == kind && other.family == family) {
            return Err((number, format!("there is a second `--- {heading}`")));
        }
        step.sections.push(Section { kind, family, text: String::new(), line: number });
    }
    for section in steps.iter_mut().flat_map(|step| &mut step.sections) {
        section.text.truncate(section.text.trim_end().len());
    }
    Ok(steps)
}

fn parse_heading(heading: &str) -> Result<(SectionKind, Option<Family>), String> {
    let mut words = heading.split_whitespace();
    let name = words.next().unwrap_or_default();
    let kind = SectionKind::ALL.into_iter().find(|kind| kind.as_str() == name);
    let Some(kind) = kind else {
        let names = SectionKind::ALL.map(SectionKind::as_str).join(", ");
        return Err(format!("`{name}` is no section; there are {names}"));
    };
    let family = match words.next() {
        Some(word) => Some(family(word).ok_or(format!("`{word}` is no source"))?),
        None => None,
    };
    match (kind, family) {
        (SectionKind::Statement, None) => {
            Err("statements are `--- statement postgres` or `--- statement sqlite`".into())
        }
        (SectionKind::Statement | SectionKind::Property | SectionKind::Notes, _) | (_, None) => {
            Ok((kind, family))
        }
        (_, Some(_)) => Err(format!("`--- {name}` is one for all sources")),
    }
}

fn family(word: &str) -> Option<Family> {
    Family::ALL.into_iter().find(|family| family.as_str() == word)
}

fn check_section(section: &Section) -> Result<(), Problem> {
    match section.kind {
        SectionKind::Variables | SectionKind::Claims | SectionKind::Response => {
            // An empty section waits for `UPDATE_EXPECT=1`.
            if !section.text.is_empty() {
                json::compact(&section.text)
                    .map_err(|error| (section.line + error.line, error.problem.to_owned()))?;
            }
        }
        SectionKind::Property => {
            property::parse(&section.text)
                .map_err(|(line, problem)| (section.line + line, problem))?;
        }
        SectionKind::Request
        | SectionKind::Then
        | SectionKind::State
        | SectionKind::Operation
        | SectionKind::Schema
        | SectionKind::Ir
        | SectionKind::Plan
        | SectionKind::Sent
        | SectionKind::Statement
        | SectionKind::Notes => {}
    }
    Ok(())
}

fn check_steps(steps: &[Step]) -> Result<(), String> {
    let (first, further) = match steps.split_first() {
        Some((first, further)) => (&*first.sections, further),
        None => (&[][..], steps),
    };
    let has = |kind| first.iter().any(|section| section.kind == kind);
    let asks = has(SectionKind::Request);
    let shows = has(SectionKind::Schema) || has(SectionKind::Notes);
    match (asks, shows) {
        (true, false) | (false, true) => {}
        (false, false) => {
            return Err("there is no `--- request`, `--- schema` or `--- notes`".into());
        }
        (true, true) => return Err("a case is about a request, or about schema and notes".into()),
    }
    let of_requests = [
        SectionKind::Variables,
        SectionKind::Operation,
        SectionKind::Claims,
        SectionKind::Ir,
        SectionKind::Plan,
        SectionKind::Sent,
        SectionKind::Statement,
        SectionKind::Property,
        SectionKind::Response,
    ];
    if let Some(kind) = of_requests.into_iter().find(|kind| !asks && has(*kind)) {
        return Err(format!("`--- {}` needs a `--- request`", kind.as_str()));
    }
    for section in further.iter().flat_map(|step| &step.sections) {
        let kind = section.kind;
        if !asks && kind.is_document() {
            return Err(format!("`--- {}` needs a `--- request`", kind.as_str()));
        }
        // A second request is in a file of its own, or comes after the existing steps.
        if matches!(kind, SectionKind::Request | SectionKind::Schema | SectionKind::Notes) {
            return Err(format!("`--- {}` cannot come after `--- then`", kind.as_str()));
        }
    }
    let has = |step: &Step, kind| step.sections.iter().any(|section| section.kind == kind);
    if further.iter().any(|step| has(step, SectionKind::State) && has(step, SectionKind::Claims)) {
        return Err("`--- state` is asked without claims, and sees everything".into());
    }
    Ok(())
}

/// Sessions need policies, rules of type definitions, or else PostgreSQL.
fn check_session(case: &Case) -> Result<(), &'static str> {
    let is_told = !case.header.policies.is_empty()
        || case.is_of_gateway()
        || case.header.dialect.starts_with("neo4j")
        || case.header.dialect.starts_with("dgraph")
        || case.header.has_metadata()
        || case.find_skip(Family::Sqlite).is_some();
    match case.has_session() && !is_told {
        true => Err("a role and claims need `# policies: …`, or `# skip sqlite: …`"),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "# It works.\n# database: shop\n# dialect: phrag\n";

    fn check(text: &str, expected: &str) {
        let error = parse(Path::new("a.case"), text).expect_err("no case");
        assert_eq!(error.to_string(), expected, "{text}");
    }

    #[test]
    fn a_case_is_read_with_all_it_says() {
        let text = "# It works.\n# database: shop\n# dialect: phrag\n\
                    # skip sqlite: there are no arrays\n\
                    --- request\n{ a }\n\n--- property postgres\nstatements: 1\n\n";
        let section =
            |kind, family, text: &str, line| Section { kind, family, text: text.into(), line };
        let skip = Skip { family: Family::Sqlite, reason: "there are no arrays".into() };
        let expected = Case {
            header: Header {
                sentence: "It works.".into(),
                database: "shop".into(),
                supergraph: String::new(),
                faults: Vec::new(),
                dialect: "phrag".into(),
                options: String::new(),
                policies: String::new(),
                role: String::new(),
                skips: vec![skip],
                types: Vec::new(),
            },
            steps: vec![Step {
                sections: vec![
                    section(SectionKind::Request, None, "{ a }", 5),
                    section(SectionKind::Property, Some(Family::Postgres), "statements: 1", 8),
                ],
            }],
        };
        assert_eq!(parse(Path::new("a.case"), text), Ok(expected));
    }

    #[test]
    fn requests_that_come_after_have_answers_of_their_own() {
        let text = format!(
            "{HEADER}# options: show-constraints\n--- request\nmutation {{ a }}\n--- response\n\
             {{}}\n--- then\n{{ b }}\n--- response\n[]\n--- state\n{{ c }}\n"
        );
        let case = parse(Path::new("a.case"), &text).expect("a case");
        assert_eq!(case.header.options, "show-constraints");
        let steps: Vec<Vec<_>> = case
            .steps
            .iter()
            .map(|step| step.sections.iter().map(|one| (one.kind.as_str(), &*one.text)).collect())
            .collect();
        assert_eq!(
            steps,
            [
                vec![("request", "mutation { a }"), ("response", "{}")],
                vec![("then", "{ b }"), ("response", "[]")],
                vec![("state", "{ c }")],
            ]
        );
        assert_eq!(super::super::print::print(&case), text);
        check(
            &format!("{HEADER}--- schema\n--- then\n{{ a }}\n"),
            "a.case:4: `--- then` needs a `--- request`",
        );
        check(
            &format!("{HEADER}--- request\n{{ a }}\n--- then\n{{ a }}\n--- request\n{{ b }}\n"),
            "a.case:4: `--- request` cannot come after `--- then`",
        );
    }

    #[test]
    fn errors_name_file_and_line() {
        check(
            "# No sentence\n",
            "a.case:1: the first line is `# ` and a sentence that says the behaviour",
        );
        check("# It works.\n# database: shop\n", "a.case:1: the header has no `# dialect: …`");
        check(
            "# It works.\n# databse: shop\n",
            "a.case:2: `databse` is no header; there are database, dialect, supergraph, options, policies, role, types, fault SUBGRAPH, skip postgres, skip sqlite",
        );
        check("# It works.\n# skip sqlite:\n", "a.case:2: a skip says its reason");
        check(
            &format!("{HEADER}--- answer\n"),
            "a.case:4: `answer` is no section; there are request, then, state, variables, operation, claims, schema, ir, plan, sent, statement, property, response, notes",
        );
        check(
            &format!("{HEADER}--- request\n{{a}}\n--- ir sqlite\n"),
            "a.case:6: `--- ir` is one for all sources",
        );
        check(
            &format!("{HEADER}--- request\n{{a}}\n--- request\n"),
            "a.case:6: there is a second `--- request`",
        );
        check(
            &format!("{HEADER}--- request\n{{a}}\n--- response\n{{\n]\n"),
            "a.case:8: a key was expected",
        );
        check(
            &format!("{HEADER}--- request\n{{a}}\n--- property\ntable album: often\n"),
            "a.case:7: `often` is no number of times: use once, twice, never, `3 times`",
        );
        check(
            &format!("{HEADER}# role: a\n--- request\n{{a}}\n"),
            "a.case:1: a role and claims need `# policies: …`, or `# skip sqlite: …`",
        );
        check(
            &format!("{HEADER}--- request\n{{a}}\n--- claims\n{{}}\n"),
            "a.case:1: a role and claims need `# policies: …`, or `# skip sqlite: …`",
        );
        check(
            &format!("{HEADER}--- request\n{{a}}\n--- state\n{{a}}\n--- claims\n{{}}\n"),
            "a.case:4: `--- state` is asked without claims, and sees everything",
        );
        check(
            &format!("{HEADER}--- ir\n"),
            "a.case:4: there is no `--- request`, `--- schema` or `--- notes`",
        );
    }
}
