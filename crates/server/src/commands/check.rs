//! `thalweg check`: problems of a configuration file, and findings about a database, grouped by kind,
//! each with its remedy; or the changes between two schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

use catalog::{Note, NoteKind};
use engine::OpenError;

use crate::commands::prepare::find_problems;
use crate::commands::{
    FOR_DATABASES, Inspected, block_on, changes, gateway, inspect, print, reads,
};
use crate::configuration::{Invocation, redacted};
use crate::failure::Failure;
use crate::options::{
    ApiOptions, Arguments, ChangesOptions, CheckOptions, Command, SubgraphOptions, refuse_group,
};

/// The refusal of an option of APIs for a comparison of schemas.
const FOR_SERVERS: &str = "an API, and two schemas are compared: leave it out";

/// The refusal of an option of a comparison without a second schema.
const FOR_CHANGES: &str = "a comparison of two schemas: write `thalweg check OLD NEW`";

pub(crate) fn run(options: &CheckOptions, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let CheckOptions { api: options, changes, subgraphs } = options;
    // Options of the file are those of servers.
    let given = invocation.given_without_file();
    if let (Some(old), Some(new)) = (&options.source, &changes.new) {
        refuse_group::<ApiOptions>(&given, FOR_SERVERS)?;
        refuse_group::<SubgraphOptions>(&given, FOR_SERVERS)?;
        return changes::run(old, new, changes);
    }
    refuse_group::<ChangesOptions>(&given, FOR_CHANGES)?;
    if let Some(file) = &invocation.file {
        let problems = problems(options, invocation);
        if !problems.is_empty() {
            for problem in problems {
                // If the error stream is closed, only the exit code remains.
                drop(writeln!(io::stderr(), "error: {}", redacted(&problem)));
            }
            return Ok(ExitCode::FAILURE);
        }
        print(&format!("Nothing wrong in {}.\n", file.display()))?;
        if options.source.is_none() && invocation.names_supergraph() {
            return Ok(ExitCode::SUCCESS);
        }
        if options.source.is_none() {
            print("It names no source, and neither does the command, so no database was read.\n")?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    if let Some(place) = options.supergraph(&subgraphs.registry)? {
        refuse_group::<ApiOptions>(&options.given, FOR_DATABASES)?;
        let (supergraph, _) = gateway::look(&place, subgraphs)?;
        let names: Vec<&str> = supergraph.services().map(|one| &*one.name).collect();
        print(&format!("Nothing wrong in {place}. Its subgraphs: {}.\n", names.join(", ")))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Inspected { engine, emptiness, events, .. } = block_on(inspect(options))?;
    let mut groups: BTreeMap<NoteKind, Vec<&Note>> = BTreeMap::new();
    for note in engine.notes() {
        groups.entry(note.kind).or_default().push(note);
    }
    if let Some(emptiness) = &emptiness {
        // Findings explain why there is nothing, if there are any.
        match groups.is_empty() {
            true => print(&format!("{}.\n", capitalized(&emptiness.to_string())))?,
            false => print("There is nothing to serve.\n\n")?,
        }
    }
    if emptiness.is_none() || !groups.is_empty() {
        print(&report(&groups))?;
    }
    if let Some(reads) = engine.reads() {
        print(&["\nQueries are answered by replicas\n", &reads::report(&reads)].concat())?;
    }
    if let Some(problem) = events {
        return Err(problem);
    }
    // Only with a collision is it unclear which part of the database a name refers to.
    match groups.contains_key(&NoteKind::Collision) || emptiness.is_some() {
        true => Ok(ExitCode::FAILURE),
        false => Ok(ExitCode::SUCCESS),
    }
}

/// Problems that keep a server from starting with the file, except those of the database or a socket.
fn problems(options: &ApiOptions, invocation: &Invocation) -> Vec<String> {
    // Everything else can be checked without a source.
    let source = options.source.as_deref().unwrap_or("sqlite:none");
    let is_gateway = options.source.is_none() && invocation.names_supergraph();
    let read = match is_gateway {
        true => invocation.as_gateway(),
        false => invocation.as_server(source),
    };
    let found = match read {
        Ok(Arguments { command: Command::Serve(options), .. }) => find_problems(&options),
        Ok(Arguments { command: Command::Gateway(options), .. }) => {
            gateway::find_problems(&options)
        }
        Ok(_) => Vec::new(),
        Err(error) => vec![error.into()],
    };
    let mut problems = invocation.unreadable_files();
    for failure in &found {
        let (place, problem) = placed(failure, invocation);
        // For a file that cannot be read, one problem is enough.
        if place.is_empty() || !problems.iter().any(|known| known.starts_with(&place)) {
            problems.push([place, problem].concat());
        }
    }
    problems
}

/// `thalweg.toml:3:5: ` and the message, if the file sets the option.
fn placed(failure: &Failure, invocation: &Invocation) -> (String, String) {
    let text = failure.to_string();
    let problem = text.trim_start_matches("error: ").to_owned();
    let place = match failure {
        // The message about an address does not name its option.
        Failure::Open(OpenError::Address(_)) => invocation.place_of("--source"),
        _ => invocation.place_of(&problem),
    };
    (place.map(|place| place + ": ").unwrap_or_default(), problem)
}

fn capitalized(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn report(groups: &BTreeMap<NoteKind, Vec<&Note>>) -> String {
    if groups.is_empty() {
        return "Nothing found.\n".to_owned();
    }
    let mut text = String::new();
    for (kind, notes) in groups {
        line(&mut text, format_args!("{} ({})", heading(*kind), notes.len()));
        match kind {
            NoteKind::UnindexedRelationship => list_statements(&mut text, notes),
            NoteKind::Collision
            | NoteKind::LeftOut
            | NoteKind::UnmappedType
            | NoteKind::Declaration
            | NoteKind::Partitioned
            | NoteKind::NodeId
            | NoteKind::Unserved
            | NoteKind::Inconsistent
            | NoteKind::Uninherited
            | NoteKind::UnknownName
            | NoteKind::Distributed => list(&mut text, notes),
        }
        text.push('\n');
    }
    let counts = groups.iter().map(|(kind, notes)| kind.count(notes.len()));
    line(&mut text, format_args!("Found: {}.", counts.collect::<Vec<_>>().join(", ")));
    text
}

fn list(text: &mut String, notes: &[&Note]) {
    for Note { subject, message, remedy, .. } in notes {
        line(text, format_args!("  {subject}: {message}"));
        line(text, format_args!("    Remedy: {remedy}"));
    }
}

/// Prints the common remedy once, and then each statement once.
fn list_statements(text: &mut String, notes: &[&Note]) {
    line(text, format_args!("  Each step back along them reads a whole table. Remedy:"));
    let mut known = BTreeSet::new();
    for Note { remedy, .. } in notes {
        if known.insert(remedy) {
            line(text, format_args!("{remedy}"));
        }
    }
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let written = writeln!(text, "{content}");
    debug_assert!(written.is_ok(), "a line was not written");
}

fn heading(kind: NoteKind) -> &'static str {
    match kind {
        NoteKind::Collision => "Two things claim one name",
        NoteKind::LeftOut => "Left out of the API",
        NoteKind::UnmappedType => "Served as text, their type being unknown",
        NoteKind::Declaration => "Declared, and without effect",
        NoteKind::Partitioned => "Partitioned tables",
        NoteKind::NodeId => "Node ids that are not those of PostGraphile",
        NoteKind::Unserved => "Configured, and without effect",
        NoteKind::Inconsistent => "Configured, and left out: it does not fit the database",
        NoteKind::Uninherited => "Not inherited by a role: its parents have different permissions",
        NoteKind::UnknownName => "Collations and functions that this process does not have",
        NoteKind::UnindexedRelationship => "Foreign keys without an index",
        NoteKind::Distributed => "Asked of all servers of the database",
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn note(kind: NoteKind, subject: &str) -> Note {
        Note {
            kind,
            subject: subject.into(),
            message: "It is so.".into(),
            remedy: "Do this.".into(),
        }
    }

    fn check(notes: &[Note], expected: &Expect) {
        let mut groups: BTreeMap<NoteKind, Vec<&Note>> = BTreeMap::new();
        for note in notes {
            groups.entry(note.kind).or_default().push(note);
        }
        expected.assert_eq(&report(&groups));
    }

    #[test]
    fn findings_are_grouped_and_counted() {
        let index = |subject, remedy: &str| Note {
            remedy: remedy.into(),
            ..note(NoteKind::UnindexedRelationship, subject)
        };
        let notes = [
            index("public.post (author_id)", "CREATE INDEX a;"),
            note(NoteKind::Collision, "public.a_b"),
            index("public.post (editor_id)", "CREATE INDEX b;"),
            // A second foreign key of the same column.
            index("public.post (author_id)", "CREATE INDEX a;"),
        ];
        check(
            &notes,
            &expect![[r"
                Two things claim one name (1)
                  public.a_b: It is so.
                    Remedy: Do this.

                Foreign keys without an index (3)
                  Each step back along them reads a whole table. Remedy:
                CREATE INDEX a;
                CREATE INDEX b;

                Found: 1 collision, 3 unindexed foreign keys.
            "]],
        );
    }

    #[test]
    fn counts_are_words_of_their_number() {
        let kinds = [
            NoteKind::Collision,
            NoteKind::LeftOut,
            NoteKind::UnmappedType,
            NoteKind::Declaration,
            NoteKind::Partitioned,
            NoteKind::NodeId,
            NoteKind::Unserved,
            NoteKind::Inconsistent,
            NoteKind::Uninherited,
            NoteKind::UnknownName,
            NoteKind::UnindexedRelationship,
            NoteKind::Distributed,
        ];
        let last_line = |number: usize| {
            let mut groups: BTreeMap<NoteKind, Vec<&Note>> = BTreeMap::new();
            let notes = kinds.map(|kind| note(kind, "a"));
            for note in &notes {
                groups.insert(note.kind, vec![note; number]);
            }
            report(&groups).lines().last().unwrap_or_default().to_owned()
        };
        let expect = expect![
            "Found: 1 collision, 1 left out, 1 unmapped type, 1 declaration without effect, 1 partitioned table, 1 node id of its own, 1 part without effect, 1 inconsistent part, 1 permission not inherited, 1 unknown name, 1 unindexed foreign key, 1 step to all servers."
        ];
        expect.assert_eq(&last_line(1));
        let expect = expect![
            "Found: 2 collisions, 2 left out, 2 unmapped types, 2 declarations without effect, 2 partitioned tables, 2 node ids of their own, 2 parts without effect, 2 inconsistent parts, 2 permissions not inherited, 2 unknown names, 2 unindexed foreign keys, 2 steps to all servers."
        ];
        expect.assert_eq(&last_line(2));
    }

    #[test]
    fn an_empty_result_is_reported_too() {
        check(&[], &expect!["Nothing found.\n"]);
    }
}
