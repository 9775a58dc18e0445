//! Searches in texts by Dgraph's filters, on SQLite and PostgreSQL, with indexes and without, compared
//! with a plain evaluation of their own. The texts are the same in each run.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use testkit::random::Random;

use crate::changed_tables::{Database, Definitions, drop_virtual_indexes, numbers_of};
use crate::shop::block_on;

/// The indexes of `Plain` are dropped.
const TYPES: &str = "
    interface Text { id: ID!  body: String @search(by: [term, fulltext, regexp, ngram]) }
    type Note implements Text { tags: [String] @search(by: [term, regexp]) }
    type Plain {
        code: String! @id
        body: String @search(by: [term, fulltext, regexp, ngram])
    }
";

/// Words with their stems by Porter's program; none of stop words.
const WORDS: [(&str, &str); 31] = [
    ("map", "map"),
    ("Maps", "map"),
    ("mapped", "map"),
    ("mapping", "map"),
    ("possible", "possibl"),
    ("possibly", "possibl"),
    ("psychology", "psycholog"),
    ("psychological", "psycholog"),
    ("trekking", "trek"),
    ("trek", "trek"),
    ("École", "école"),
    ("ecole", "ecol"),
    ("e-mail", ""),
    ("foo_bar", "foo_bar"),
    ("can't", ""),
    ("o'clock", "o'clock"),
    ("example.com", "example.com"),
    ("https://example.com/a_b?c=1", ""),
    ("3.14", "3.14"),
    ("1,000", "1,000"),
    ("2nd", "2nd"),
    ("日本", ""),
    ("страна", "страна"),
    ("ΣΑΣ", "σας"),
    ("THE", ""),
    ("and", ""),
    ("is", ""),
    ("-", ""),
    ("..", ""),
    ("\u{1f600}", ""),
    ("\"quoted\"", "quot"),
];

const PATTERNS: [&str; 16] = [
    "/map/",
    "/MAP/i",
    "/^map/",
    "/map$/i",
    "/[[:alpha:]]+_[a-z]+/",
    r"/\d\.\d+/",
    r"/\bcan't\b/",
    "/(maps|trek(king)?) (map|the)/i",
    "/é|É/",
    "/école/i",
    r"/^\S+$/",
    r"/\p{Cyrillic}+ [^a-z]/",
    r"/a.{2,9}z?\?c=/",
    "/^$/",
    r"/\Q..\E/",
    "/(?:(?:a*)*)*b{2}/",
];

/// A text of random words.
fn text(random: &mut Random, most: usize) -> String {
    let words: Vec<&str> = (0..random.below(most + 1)).map(|_| random.one_of(&WORDS).0).collect();
    words.join([" ", " ", ", ", "\n"][random.below(4)])
}

/// The words of a text.
fn words(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.to_lowercase().chars().collect();
    let mut words = vec![String::new()];
    for (place, letter) in letters.iter().enumerate() {
        let around = place.checked_sub(1).map(|before| letters[before]).zip(letters.get(place + 1));
        let between = |test: fn(&char) -> bool| {
            around.is_some_and(|(before, after)| test(&before) && test(after))
        };
        let belongs = match letter {
            '.' | '\'' => between(|own| own.is_alphabetic()) || between(|own| own.is_ascii_digit()),
            ':' => between(|own| own.is_alphabetic()),
            ',' => between(|own| own.is_ascii_digit()),
            letter => letter.is_alphanumeric() || *letter == '_',
        };
        let is_ideograph = ('\u{4e00}'..'\u{a000}').contains(letter);
        if !belongs || is_ideograph {
            words.push(String::new());
        }
        if belongs {
            words.last_mut().unwrap().push(*letter);
        }
        if is_ideograph {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn stems(text: &str) -> Vec<String> {
    let stem = |word: String| {
        if let "the" | "and" | "is" | "can't" | "a" = &*word {
            return None;
        }
        let known = WORDS.iter().find(|(own, _)| own.to_lowercase() == word);
        let quoted = ("quoted", "quot");
        let known = known.filter(|(_, stem)| !stem.is_empty());
        let known = known.or((word == quoted.0).then_some(&quoted));
        Some(known.map_or(word, |(_, stem)| (*stem).to_owned()))
    };
    words(text).into_iter().filter_map(stem).collect()
}

fn is_found(operator: &str, operand: &str, text: &str) -> bool {
    let (wanted, own) = match operator {
        "allofterms" | "anyofterms" if operand.is_empty() => return text.is_empty(),
        "allofterms" | "anyofterms" => (words(operand), words(text)),
        _ => (stems(operand), stems(text)),
    };
    let own_words: HashSet<&String> = own.iter().collect();
    match operator {
        "ngram" => {
            let length = wanted.len().min(3);
            length > 0
                && wanted.windows(length).any(|wanted| own.windows(length).any(|own| own == wanted))
        }
        operator if operator.starts_with("all") => {
            !wanted.is_empty() && wanted.iter().all(|word| own_words.contains(word))
        }
        _ => wanted.iter().any(|word| own_words.contains(word)),
    }
}

/// The indexes of texts of `Plain` are dropped.
const DEFINITIONS: Definitions = Definitions { name: "text", types: TYPES, change: drop_indexes };

impl Database {
    /// Adds texts by the numbers of their rows.
    fn fill(&self, texts: &[String]) {
        let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let mut sql = String::new();
        for (number, text) in texts.iter().enumerate() {
            let tags: Vec<String> = text.split('\n').map(str::to_owned).collect();
            let tags = match self.file {
                Some(_) => literal(&json!(tags).to_string()),
                None => {
                    let tags: Vec<String> = tags.iter().map(|tag| literal(tag)).collect();
                    format!("ARRAY[{}]", tags.join(","))
                }
            };
            let body = literal(text);
            let number = number + 1;
            write!(
                sql,
                "INSERT INTO \"Note\" (id, body, tags) VALUES ({number}, {body}, {tags});
                 INSERT INTO \"Plain\" (id, code, body) VALUES (1000 + {number}, '{number}', {body});"
            )
            .unwrap();
        }
        self.execute(&sql);
    }

    async fn ask(&self, query: &str, operand: &str) -> Value {
        self.answer(query, json!({ "operand": operand })).await
    }

    /// The notes that an operator finds.
    async fn ask_notes(&self, operator: &str, operand: &str) -> Vec<String> {
        let query = format!(
            "query ($operand: String) {{ queryNote(filter: {{body: {{{operator}: $operand}}}}) {{ id }} }}"
        );
        let answer = self.ask(&query, operand).await;
        let rows = answer["data"]["queryNote"].as_array().unwrap();
        rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The rows that an operator finds on each field, all of which must be the same but those of
    /// lists.
    async fn found(&self, operator: &str, operand: &str) -> (Vec<usize>, Vec<usize>) {
        let tags = match operator {
            "allofterms" | "anyofterms" | "regexp" => {
                format!("d: queryNote(filter: {{tags: {{{operator}: $operand}}}}) {{ id }}")
            }
            _ => String::new(),
        };
        let query = format!(
            "query ($operand: String) {{
                a: queryNote(filter: {{body: {{{operator}: $operand}}}}) {{ id }}
                b: queryText(filter: {{body: {{{operator}: $operand}}}}) {{ id }}
                c: queryPlain(filter: {{body: {{{operator}: $operand}}}}) {{ id: code }}
                {tags}
            }}"
        );
        let answer = self.ask(&query, operand).await;
        let numbers = |name: &str| {
            let rows = answer["data"][name].as_array();
            let rows =
                rows.unwrap_or_else(|| panic!("{} {operator} {operand}: {answer}", self.name));
            numbers_of(rows)
        };
        let found = numbers("a");
        assert_eq!(numbers("b"), found, "{} {operator} {operand:?}: interface", self.name);
        assert_eq!(numbers("c"), found, "{} {operator} {operand:?}: no index", self.name);
        let of_lists = if tags.is_empty() { Vec::new() } else { numbers("d") };
        (found, of_lists)
    }
}

fn drop_indexes(database: &Database) {
    match &database.file {
        Some(file) => drop_virtual_indexes(file, "Plain"),
        None => database.execute(
            "DROP INDEX \"Plain_body_words\"; DROP INDEX \"Plain_body_stems\";
             DROP INDEX \"Plain_body_trigrams\";",
        ),
    }
}

#[test]
fn searches_find_the_same_texts_on_all_sources() {
    let mut random = Random::new(24);
    let texts: Vec<String> = (0..200).map(|_| text(&mut random, 6)).collect();
    let operands: Vec<String> = (0..40).map(|_| text(&mut random, 4)).collect();
    block_on(async {
        for database in Database::all(DEFINITIONS, "random").await {
            database.fill(&texts);
            for operator in ["allofterms", "anyofterms", "alloftext", "anyoftext", "ngram"] {
                for operand in &operands {
                    let numbers = |test: &dyn Fn(&str) -> bool| -> Vec<usize> {
                        (1..=texts.len()).filter(|number| test(&texts[number - 1])).collect()
                    };
                    let expect = numbers(&|text| is_found(operator, operand, text));
                    let (found, of_lists) = database.found(operator, operand).await;
                    assert_eq!(found, expect, "{} {operator} {operand:?}", database.name);
                    if operator.ends_with("terms") {
                        let expect = numbers(&|text| {
                            text.split('\n').any(|tag| is_found(operator, operand, tag))
                        });
                        assert_eq!(of_lists, expect, "{} {operand:?}: lists", database.name);
                    }
                }
            }
        }
    });
}

#[test]
fn changes_find_their_rows_by_words() {
    block_on(async {
        let texts = ["Maps of towns", "a town", "map\nnothing"].map(str::to_owned);
        for database in Database::all(DEFINITIONS, "changes").await {
            database.fill(&texts);
            let update = "mutation ($operand: String) {
                updateNote(input: {
                    filter: {body: {anyofterms: $operand}}, set: {body: \"mapped cities\"}
                }) { numUids }
            }";
            let answer = database.ask(update, "towns").await;
            assert_eq!(answer["data"]["updateNote"]["numUids"], 1, "{answer}");
            assert_eq!(database.ask_notes("alloftext", "city map").await, ["0x1"]);
            let delete = "mutation ($operand: String) {
                deleteNote(filter: {not: {tags: {anyofterms: $operand}}}) { numUids }
            }";
            let answer = database.ask(delete, "map maps").await;
            assert_eq!(answer["data"]["deleteNote"]["numUids"], 1, "{answer}");
            assert_eq!(database.ask_notes("anyoftext", "town map").await, ["0x1", "0x3"]);
        }
    });
}

#[test]
fn searches_of_postgres_use_its_indexes() {
    block_on(async {
        let mut random = Random::new(3);
        let texts: Vec<String> = (0..200).map(|_| text(&mut random, 6)).collect();
        for database in Database::all(DEFINITIONS, "plans").await {
            let Some((server, name)) = &database.server else { continue };
            database.fill(&texts);
            server.execute(name, "ANALYZE").unwrap();
            for (condition, index) in [
                ("thalweg.terms(body) @> ARRAY['1,000']", "Note_body_words"),
                ("thalweg.stems(body) && ARRAY['trek']", "Note_body_stems"),
            ] {
                let explain = format!("EXPLAIN SELECT id FROM \"Note\" WHERE {condition}");
                let plan = format!("{:?}", server.query(name, &explain).unwrap());
                assert!(plan.contains(index), "{plan}");
            }
        }
    });
}

#[test]
fn expressions_match_the_same_texts_on_all_sources() {
    let mut random = Random::new(7);
    let texts: Vec<String> = (0..200).map(|_| text(&mut random, 6)).collect();
    block_on(async {
        let databases = Database::all(DEFINITIONS, "expressions").await;
        let mut first: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for database in &databases {
            database.fill(&texts);
            let mut all = Vec::new();
            for pattern in PATTERNS {
                all.push(database.found("regexp", pattern).await);
            }
            if first.is_empty() {
                first = all;
            } else {
                for (pattern, (own, expect)) in PATTERNS.iter().zip(all.iter().zip(&first)) {
                    assert_eq!(own, expect, "{} {pattern}", database.name);
                }
            }
        }
        let number =
            |pattern: &str| first[PATTERNS.iter().position(|own| *own == pattern).unwrap()].0.len();
        let contain = |part: &str| texts.iter().filter(|text| text.contains(part)).count();
        assert_eq!(number("/map/"), contain("map"));
        assert_eq!(number("/^$/"), texts.iter().filter(|text| text.is_empty()).count());
        assert_eq!(number(r"/\Q..\E/"), contain(".."));
    });
}

#[test]
fn invalid_expressions_are_errors_of_the_request() {
    block_on(async {
        for database in Database::all(DEFINITIONS, "invalid").await {
            for (pattern, message) in [
                ("map", "it must stand between slashes"),
                ("/a(/", "unclosed group"),
                ("/a/x", "the only flag is `i`"),
                (r"/(a)\1/", "`\\1` is unknown"),
                ("/((a{100}){100}){100}/", "it is too large"),
            ] {
                let query = "query ($operand: String) {
                    queryNote(filter: {body: {regexp: $operand}}) { id }
                }";
                let answer = database.ask(query, pattern).await;
                let error = &answer["errors"][0];
                let text = error["message"].as_str().unwrap();
                assert!(text.contains(message), "{} {pattern}: {answer}", database.name);
                assert_eq!(error["extensions"]["code"], "BAD_USER_INPUT", "{answer}");
            }
        }
    });
}
