//! Properties of a request's statements.

use super::outcome::{Answered, Statement};

/// One line of a property section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Property {
    /// `statements: 2`
    Statements(usize),
    /// `rounds: 1`: how often the source is waited for.
    Rounds(usize),
    /// `requests: 4` and `waves: 2`: of the gateway, whose statements are requests to subgraphs.
    Requests(usize),
    Waves(usize),
    /// `cost: 12`: the gateway's estimate.
    Cost(u64),
    /// `sent reviews: once`: the number of requests to a subgraph.
    Sent {
        subgraph: String,
        times: usize,
    },
    /// `table album: once`: how often all statements together name it.
    Table {
        name: String,
        times: usize,
    },
    /// `says DISTINCT` and `lacks DISTINCT`: words of the statements.
    Says(String),
    Lacks(String),
}

/// Reads a section; an error has its line, from 1.
pub(super) fn parse(text: &str) -> Result<Vec<Property>, (usize, String)> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| parse_line(line).map_err(|error| (number, error))).collect()
}

fn parse_line(line: &str) -> Result<Property, String> {
    let Some((subject, value)) = line.split_once(':') else {
        return Err(format!("`{line}` is no property, as `statements: 1` is"));
    };
    let value = value.trim();
    let number = |value: &str| value.parse().map_err(|_| format!("`{value}` is no number"));
    match subject.split_once(' ') {
        None if subject == "statements" => Ok(Property::Statements(number(value)?)),
        None if subject == "rounds" => Ok(Property::Rounds(number(value)?)),
        None if subject == "requests" => Ok(Property::Requests(number(value)?)),
        None if subject == "waves" => Ok(Property::Waves(number(value)?)),
        None if subject == "cost" => {
            value.parse().map(Property::Cost).map_err(|_| format!("`{value}` is no number"))
        }
        Some(("sent", subgraph)) => {
            Ok(Property::Sent { subgraph: subgraph.trim().to_owned(), times: times(value)? })
        }
        None if subject == "says" => Ok(Property::Says(value.to_owned())),
        None if subject == "lacks" => Ok(Property::Lacks(value.to_owned())),
        Some(("table", name)) => {
            Ok(Property::Table { name: name.trim().to_owned(), times: times(value)? })
        }
        _ => Err(format!(
            "`{subject}` is no property; there are statements, rounds, requests, waves, cost, sent, table, says, lacks"
        )),
    }
}

fn times(text: &str) -> Result<usize, String> {
    let number = match text {
        "never" => Some(0),
        "once" => Some(1),
        "twice" => Some(2),
        _ => text.strip_suffix(" times").and_then(|number| number.parse().ok()),
    };
    number.ok_or(format!("`{text}` is no number of times: use once, twice, never, `3 times`"))
}

/// The line with the measured value: equal to that of the property if it holds.
pub(super) fn measured(property: &Property, answered: &Answered) -> String {
    let statements = &answered.statements[..];
    let says = |words: &str| statements.iter().any(|statement| statement.text.contains(words));
    let property = match property {
        Property::Statements(_) => Property::Statements(statements.len()),
        Property::Rounds(_) => Property::Rounds(rounds(statements)),
        Property::Requests(_) => Property::Requests(statements.len()),
        Property::Waves(_) => Property::Waves(rounds(statements)),
        Property::Cost(_) => Property::Cost(answered.cost),
        Property::Sent { subgraph, .. } => {
            let names = statements.iter().map(|one| one.text.split(' ').next());
            let times = names.filter(|name| *name == Some(subgraph)).count();
            Property::Sent { subgraph: subgraph.clone(), times }
        }
        Property::Table { name, .. } => {
            Property::Table { name: name.clone(), times: count_table(name, statements) }
        }
        Property::Says(words) | Property::Lacks(words) if says(words) => {
            Property::Says(words.clone())
        }
        Property::Says(words) | Property::Lacks(words) => Property::Lacks(words.clone()),
    };
    print(&property)
}

fn rounds(statements: &[Statement]) -> usize {
    statements.iter().map(|statement| statement.round).max().unwrap_or(0).into()
}

pub(super) fn print(property: &Property) -> String {
    let often = |times: &usize| match times {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        times => format!("{times} times"),
    };
    match property {
        Property::Statements(number) => format!("statements: {number}"),
        Property::Rounds(number) => format!("rounds: {number}"),
        Property::Requests(number) => format!("requests: {number}"),
        Property::Waves(number) => format!("waves: {number}"),
        Property::Cost(number) => format!("cost: {number}"),
        Property::Sent { subgraph, times } => format!("sent {subgraph}: {}", often(times)),
        Property::Table { name, times } => format!("table {name}: {}", often(times)),
        Property::Says(words) => format!("says: {words}"),
        Property::Lacks(words) => format!("lacks: {words}"),
    }
}

/// A table is named after FROM or JOIN, quoted or not, with or without its schema.
fn count_table(name: &str, statements: &[Statement]) -> usize {
    let texts = statements.iter().map(|statement| &statement.text);
    texts.map(|text| tables(text).filter(|table| *table == name).count()).sum()
}

fn tables(text: &str) -> impl Iterator<Item = &str> {
    let mut words = text.split_whitespace();
    std::iter::from_fn(move || {
        words.find(|word| matches!(*word, "FROM" | "JOIN"))?;
        let word = words.next()?.trim_end_matches([',', ')']);
        Some(word.rsplit('.').next().unwrap_or(word).trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let statements = vec![
            Statement { round: 1, text: r#"SELECT a FROM "public"."album" AS t0"#.into() },
            Statement {
                round: 2,
                text: r#"SELECT a FROM (SELECT b FROM "album") JOIN "artist" ON true"#.into(),
            },
        ];
        let answered = Answered { statements, cost: 7, ..Answered::default() };
        let property = parse_line(line).expect("a property");
        assert_eq!(print(&property), line);
        assert_eq!(measured(&property, &answered), expected);
    }

    #[test]
    fn what_holds_is_measured() {
        check("statements: 1", "statements: 2");
        check("requests: 1", "requests: 2");
        check("waves: 1", "waves: 2");
        check("cost: 12", "cost: 7");
        check("sent SELECT: once", "sent SELECT: twice");
        check("rounds: 2", "rounds: 2");
        check("table album: once", "table album: twice");
        check("table artist: once", "table artist: once");
        check("table track: 4 times", "table track: never");
        check("says: ON true", "says: ON true");
        check("lacks: ON true", "says: ON true");
    }
}
