//! Movies, people, who acted in what, who directed it and what somebody says of it: a graph in the
//! shape of Neo4j's own sample, with names of our own making.
//!
//! No two movies have the same title and no two people the same name, so that whoever sorts by them
//! has one answer.

use testkit::neo4j::{Graph, GraphError, Value};

use crate::race::random::Random;

const INDEXES: &str = include_str!("movies/indexes.cypher");
const MOVIES: &str = include_str!("movies/movies.cypher");
const PEOPLE: &str = include_str!("movies/people.cypher");
const ACTED_IN: &str = include_str!("movies/acted_in.cypher");
const DIRECTED: &str = include_str!("movies/directed.cypher");
const REVIEWED: &str = include_str!("movies/reviewed.cypher");

/// Rows of a statement.
const ROWS_A_STATEMENT: usize = 1_000;

const FIRST_YEAR: u64 = 1975;
const YEARS: u64 = 45;

const QUALITIES: [&str; 10] = [
    "Silent", "Last", "Golden", "Broken", "Distant", "Hidden", "Electric", "Quiet", "Burning",
    "Lost",
];
const THINGS: [&str; 10] = [
    "River", "City", "Letter", "Garden", "Signal", "Winter", "Harbour", "Mirror", "Orchard",
    "Train",
];
const FIRST_NAMES: [&str; 10] =
    ["Ada", "Bruno", "Clara", "Dario", "Edith", "Felix", "Greta", "Hugo", "Irene", "Jonas"];
const LAST_NAMES: [&str; 10] = [
    "Abel", "Berger", "Castro", "Dvorak", "Eklund", "Fontaine", "Garcia", "Hansen", "Ito", "Jansen",
];

/// Sizes of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    movies: u64,
    people: u64,
    /// Roles in all movies together.
    roles: u64,
    reviews: u64,
}

/// As large as Neo4j's own sample.
pub(super) const SAMPLE: Size = Size { movies: 38, people: 133, roles: 172, reviews: 9 };
/// As large as a catalogue in use.
pub(super) const MANY: Size = Size { movies: 4_000, people: 6_000, roles: 24_000, reviews: 4_000 };

/// A statement, and the rows that it is run for.
type Part = (&'static str, Vec<Value>);

/// Makes the graph; indexes are there before it is asked anything.
pub(super) fn fill(size: Size, graph: &Graph) -> Result<(), GraphError> {
    graph.run(INDEXES)?;
    for (statement, rows) in parts(size) {
        for rows in rows.chunks(ROWS_A_STATEMENT) {
            graph.run_with(statement, map([("rows", Value::List(rows.to_vec()))]))?;
        }
    }
    graph.run("CALL db.awaitIndexes(300)").map(drop)
}

fn parts(size: Size) -> Vec<Part> {
    let mut random = Random::new(5);
    let movies = (1..=size.movies).map(|id| {
        let title = name(&QUALITIES, &THINGS, id);
        let tagline = ["What the ", &title.to_lowercase(), " has kept from us"].concat();
        map([
            ("id", text(&id.to_string())),
            ("title", text(&title)),
            ("tagline", text(&tagline)),
            ("released", number(FIRST_YEAR + random.below(YEARS))),
        ])
    });
    let movies = movies.collect();
    let people = (1..=size.people).map(|id| {
        let born = number(FIRST_YEAR - 55 + random.below(YEARS));
        map([
            ("id", text(&id.to_string())),
            ("name", text(&name(&FIRST_NAMES, &LAST_NAMES, id))),
            ("born", born),
        ])
    });
    let people = people.collect();
    // Each movie has somebody, and some people are in many of them.
    let roles = pairs(size, size.roles, &mut random).into_iter().map(|(movie, person)| {
        let role = name(&LAST_NAMES, &QUALITIES, movie + person);
        let roles = ("roles", Value::List(vec![text(&role)]));
        map([("movie", id_of(movie)), ("person", id_of(person)), roles])
    });
    let roles = roles.collect();
    let directed = pairs(size, size.movies, &mut random);
    let directed = directed
        .into_iter()
        .map(|(movie, person)| map([("movie", id_of(movie)), ("person", id_of(person))]));
    let directed = directed.collect();
    let reviewed = pairs(size, size.reviews, &mut random).into_iter().map(|(movie, person)| {
        let rating = ("rating", number(40 + random.below(60)));
        map([
            ("movie", id_of(movie)),
            ("person", id_of(person)),
            rating,
            ("summary", text("One to see again.")),
        ])
    });
    let reviewed = reviewed.collect();
    vec![
        (MOVIES, movies),
        (PEOPLE, people),
        (ACTED_IN, roles),
        (DIRECTED, directed),
        (REVIEWED, reviewed),
    ]
}

/// A movie and a person so many times, none twice; the smaller of two draws makes some people more
/// often chosen than others.
fn pairs(size: Size, count: u64, random: &mut Random) -> Vec<(u64, u64)> {
    let mut pairs = Vec::new();
    let mut seen = std::collections::HashSet::new();
    while (pairs.len() as u64) < count {
        let movie = 1 + pairs.len() as u64 % size.movies;
        let person = 1 + random.below(size.people).min(random.below(size.people));
        if seen.insert((movie, person)) {
            pairs.push((movie, person));
        }
    }
    pairs
}

/// Another one for each number: two words, and how often both have been used.
fn name(first: &[&str; 10], last: &[&str; 10], number: u64) -> String {
    let word = |words: &[&str; 10], place: u64| words[(place % 10) as usize].to_owned();
    let mut name = word(first, number) + " " + &word(last, number / 10);
    if number >= 100 {
        name = name + " " + &(number / 100 + 1).to_string();
    }
    name
}

fn id_of(id: u64) -> Value {
    text(&id.to_string())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn number(number: u64) -> Value {
    Value::Integer(number.try_into().unwrap_or(i64::MAX))
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Map(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_and_titles_are_unique_and_the_same_each_time() {
        for size in [SAMPLE, MANY] {
            let parts = parts(size);
            assert_eq!(parts, super::parts(size));
            let counts: Vec<u64> = parts.iter().map(|(_, rows)| rows.len() as u64).collect();
            assert_eq!(counts, [size.movies, size.people, size.roles, size.movies, size.reviews]);
            for ((_, rows), key) in parts.iter().zip(["title", "name"]) {
                let names: HashSet<Option<&str>> =
                    rows.iter().map(|row| row.get(key).and_then(Value::text)).collect();
                assert_eq!(names.len(), rows.len(), "{key}");
            }
        }
    }
}
