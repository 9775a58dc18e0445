//! Completions and manual pages have what `--help` has.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod program;

use std::collections::BTreeSet;
use std::fs;

use crate::program::{Folder, outcome, run};

fn printed(arguments: &[&str]) -> String {
    let (code, output, error) = outcome(&run(arguments));
    assert_eq!((code, error.as_str()), (Some(0), ""), "{arguments:?}");
    output
}

/// The words of each command, those of `config schema` after those of `config`.
fn commands() -> Vec<Vec<String>> {
    let mut commands = inner(&[]);
    let mut idx = 0;
    while let Some(command) = commands.get(idx) {
        let inner = inner(command);
        idx += 1;
        commands.splice(idx..idx, inner);
    }
    let is_known = |words: &[&str]| commands.iter().any(|command| command == words);
    assert!(is_known(&["serve"]) && is_known(&["config"]), "{commands:?}");
    commands
}

/// The commands that the help of a command lists, without `help` itself.
fn inner(command: &[String]) -> Vec<Vec<String>> {
    let help = printed(&with(command, &["--help"]));
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter_map(|line| {
        // What is indented further goes on with the line above.
        let name = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?;
        name.split(' ').next()
    });
    let names = names.filter(|name| *name != "help");
    names.map(|name| [command, &[name.to_owned()]].concat()).collect()
}

fn with<'a>(command: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    command.iter().map(String::as_str).chain(more.iter().copied()).collect()
}

/// The long options that the help of a command lists.
fn options(command: &[String]) -> BTreeSet<String> {
    let help = printed(&with(command, &["--help"]));
    let words = help.lines().map(|line| {
        let line = line.trim();
        let long = line.strip_prefix("-h, ").or_else(|| line.strip_prefix("-V, ")).unwrap_or(line);
        long.split([' ', '[']).next().unwrap_or_default()
    });
    let options: BTreeSet<String> =
        words.filter(|word| word.starts_with("--")).map(str::to_owned).collect();
    assert!(options.contains("--log"), "{command:?}: {options:?}");
    options
}

/// The names of options in a text; a page may have its own letters right before them.
fn dashed(text: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words = text.split(|c| !is_name(c));
    words.filter_map(|word| word.find("--").map(|start| word[start..].to_owned())).collect()
}

/// What follows a text.
fn after<'a>(script: &'a str, text: &str) -> &'a str {
    let start = script.find(text).unwrap_or_else(|| panic!("no {text} in {script}"));
    &script[start + text.len()..]
}

fn until<'a>(script: &'a str, text: &str) -> &'a str {
    script.split(text).next().unwrap()
}

#[test]
fn every_command_has_a_manual_page_with_every_option() {
    let folder = Folder::new();
    let pages = folder.file("pages");
    assert_eq!(printed(&["man", pages.to_str().unwrap()]), "");
    let mut expected = BTreeSet::from(["thalweg.1".to_owned()]);
    for command in commands() {
        let name = format!("thalweg-{}.1", command.join("-"));
        let page = fs::read_to_string(pages.join(&name)).unwrap().replace("\\-", "-");
        let options = options(&command);
        assert!(dashed(&page).is_superset(&options), "{name}: {options:?}\n{page}");
        let version = format!("\"Thalweg {}\"", env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&version), "{page}");
        expected.insert(name);
    }
    let written = fs::read_dir(&pages).unwrap();
    let written = written.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(written.collect::<BTreeSet<String>>(), expected);
}

#[test]
fn shells_complete_every_option_of_every_command() {
    let [bash, zsh, fish] = ["bash", "zsh", "fish"].map(|shell| printed(&["completions", shell]));
    for command in commands() {
        let options = options(&command);
        let function: String =
            command.iter().flat_map(|word| ["__subcmd__", word.as_str()]).collect();
        let bash = until(after(&bash, &format!("\n        thalweg{function})")), ";;\n        th");
        assert!(dashed(bash).is_superset(&options), "bash, {command:?}: {options:?}\n{bash}");
        let within = |script, word| after(script, &format!("({word})\n_arguments"));
        let zsh = until(command.iter().fold(&*zsh, within), "\n;;\n");
        assert!(dashed(zsh).is_superset(&options), "zsh, {command:?}: {options:?}\n{zsh}");
        // A command that has others within it is completed as long as none of these is there.
        let conditions = match command.as_slice() {
            [outer, inner] => {
                ["", ""].map(|_| format!("{outer}; and __fish_seen_subcommand_from {inner}\""))
            }
            words => ["\"", "; and not "].map(|end| words.join(" ") + end),
        };
        let conditions =
            conditions.map(|end| "\"__fish_thalweg_using_subcommand ".to_owned() + &end);
        for option in options {
            let name = format!(" -l {} ", option.trim_start_matches('-'));
            let found = fish.lines().any(|line| {
                line.contains(&name) && conditions.iter().any(|condition| line.contains(condition))
            });
            assert!(found, "fish, {command:?}: {option}\n{fish}");
        }
    }
}

#[test]
fn the_manual_pages_need_a_folder_that_can_be_written() {
    let folder = Folder::new();
    let file = folder.file("file");
    fs::write(&file, "").unwrap();
    let (code, output, error) = outcome(&run(&["man", file.to_str().unwrap()]));
    assert_eq!((code, output.as_str()), (Some(1), ""));
    let expected = format!("error: cannot write the manual pages into {}: ", file.display());
    assert!(error.starts_with(&expected), "{error}");
}
