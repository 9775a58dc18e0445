//! All that is in a graph, as text.

use std::collections::{BTreeMap, BTreeSet};

use testkit::neo4j::{Graph, GraphError, Value};

use super::made;

/// Every node and every relationship, with its ends in the place of their unknown identities.
const STATEMENT: &str = "MATCH (n) RETURN labels(n) AS kind, properties(n) AS one, null AS source, null AS target
    UNION ALL
    MATCH (a)-[r]->(b) RETURN [type(r)] AS kind, properties(r) AS one, properties(a) AS source, properties(b) AS target";

/// Nodes by their labels and relationships by their type, sorted.
pub(super) type Dump = BTreeMap<String, Vec<String>>;

/// Reads the whole graph.
pub(super) fn read(graph: &Graph) -> Result<Dump, GraphError> {
    let mut dump = Dump::new();
    for record in graph.run(STATEMENT)? {
        let mut parts = record.into_iter().map(known);
        let kind = parts.next().unwrap_or(Value::Null).to_string();
        let text: Vec<String> =
            parts.filter(|part| *part != Value::Null).map(|part| part.to_string()).collect();
        dump.entry(kind).or_default().push(text.join(" of "));
    }
    dump.values_mut().for_each(|lines| lines.sort());
    Ok(dump)
}

/// Each kind that differs, with what only one of two has.
pub(super) fn compare(theirs: &Dump, ours: &Dump) -> Vec<(String, String, String)> {
    let kinds: BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
    let mut found = Vec::new();
    for kind in kinds {
        let lines = |dump: &Dump| dump.get(kind).cloned().unwrap_or_default();
        let (their_lines, our_lines) = (lines(theirs), lines(ours));
        if their_lines != our_lines {
            let (theirs, ours) =
                (lacking(&their_lines, &our_lines), lacking(&our_lines, &their_lines));
            found.push((kind.clone(), theirs, ours));
        }
    }
    found
}

/// Members that the one has oftener than the other.
fn lacking(these: &[String], those: &[String]) -> String {
    let mut rest = those.to_vec();
    let mut only = Vec::new();
    for line in these {
        match rest.iter().position(|other| other == line) {
            Some(index) => drop(rest.swap_remove(index)),
            None => only.push(line.as_str()),
        }
    }
    only.join(" ")
}

/// The value without what is made anew each time.
fn known(value: Value) -> Value {
    match value {
        Value::Text(text) if made::is_id(&text) => Value::from(made::ID),
        Value::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|(key, value)| {
                    let is_time = made::TIMES.contains(&key.as_str());
                    (key, if is_time { Value::from("a time") } else { known(value) })
                })
                .collect(),
        ),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_one_has_is_told_as_often_as_it_has_it() {
        let dump = |lines: &[&str]| {
            let lines = lines.iter().map(|line| (*line).to_owned()).collect();
            Dump::from([("[\"A\"]".to_owned(), lines)])
        };
        assert_eq!(compare(&dump(&["x", "y"]), &dump(&["x", "y"])), []);
        let found = compare(&dump(&["x", "x", "y"]), &dump(&["x", "z"]));
        assert_eq!(found, [("[\"A\"]".to_owned(), "x y".to_owned(), "z".to_owned())]);
    }

    #[test]
    fn what_is_made_anew_is_the_same_each_time() {
        let map = |id: &str, time| {
            known(Value::Map(vec![
                ("id".to_owned(), id.into()),
                ("createdAt".to_owned(), Value::Structure(b'I', vec![Value::Integer(time)])),
                ("name".to_owned(), "x".into()),
            ]))
        };
        let one = map("7f0e1d2c-0000-4abc-8def-0123456789ab", 1);
        assert_eq!(one, map("00000000-0000-4000-8000-000000000000", 2));
        assert_eq!(one.to_string(), r#"{createdAt: "a time", id: "a random id", name: "x"}"#);
    }
}
