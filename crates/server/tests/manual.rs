//! Completions and manual pages have what `--help-all` has.

use std::collections::BTreeSet;
use std::fs;

use crate::program::{Folder, outcome, run};

fn printed(arguments: &[&str]) -> String {
    let (code, output, error) = outcome(&run(arguments));
    assert_eq!((code, error.as_str()), (Some(0), ""), "{arguments:?}");
    output
}

/// The commands that `--help` lists, without `help` itself.
fn commands() -> Vec<String> {
    let commands = listed(&["--help"]);
    assert!(commands.contains(&"serve".to_owned()), "{commands:?}");
    commands
}

/// The commands that a help text lists, without `help` itself.
fn listed(words: &[&str]) -> Vec<String> {
    let help = printed(words);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter_map(|line| {
        // What is indented further goes on with the line above.
        let name = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?;
        name.split(' ').next()
    });
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The long options that the help of a command lists.
fn options(command: &str) -> BTreeSet<String> {
    let words: Vec<&str> = command.split(' ').chain(["--help-all"]).collect();
    let help = printed(&words);
    let words = help.lines().map(|line| {
        let line = line.trim();
        let long = line.strip_prefix("-h, ").or_else(|| line.strip_prefix("-V, ")).unwrap_or(line);
        long.split([' ', '[']).next().unwrap_or_default()
    });
    let options: BTreeSet<String> =
        words.filter(|word| word.starts_with("--")).map(str::to_owned).collect();
    assert!(options.contains("--log"), "{command}: {options:?}");
    options
}

/// The names of options in a text; a page may have its own letters right before them.
fn dashed(text: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words = text.split(|c| !is_name(c));
    words.filter_map(|word| word.find("--").map(|start| word[start..].to_owned())).collect()
}

/// The part of a script from the line that contains `from` to the one that contains `to`.
fn part<'a>(script: &'a str, from: &str, to: &str) -> &'a str {
    let start = script.find(from).unwrap_or_else(|| panic!("no {from} in {script}"));
    let rest = &script[start..];
    &rest[..rest.find(to).unwrap_or(rest.len())]
}

#[test]
fn every_command_has_a_manual_page_with_every_option() {
    let folder = Folder::new();
    let pages = folder.file("pages");
    assert_eq!(printed(&["man", pages.to_str().unwrap()]), "");
    let mut expected = BTreeSet::from(["thalweg.1".to_owned()]);
    let inner = commands().into_iter().flat_map(|command| {
        let inner = listed(&[&command, "--help"]).into_iter();
        inner.map(|inner| format!("{command} {inner}")).chain([command.clone()]).collect::<Vec<_>>()
    });
    for command in inner {
        let name = format!("thalweg-{}.1", command.replace(' ', "-"));
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
        let name = command.replace('-', "__subcmd__");
        let bash = part(&bash, &format!("\n        thalweg__subcmd__{name})"), ";;\n        th");
        assert!(dashed(bash).is_superset(&options), "bash, {command}: {options:?}\n{bash}");
        let zsh = part(&zsh, &format!("({command})\n_arguments"), "\n;;\n");
        assert!(dashed(zsh).is_superset(&options), "zsh, {command}: {options:?}\n{zsh}");
        // Where a command has commands of its own, the condition goes on.
        let condition = format!("\"__fish_thalweg_using_subcommand {command}");
        let conditions = ["\"", ";"].map(|end| [&condition, end].concat());
        for option in options {
            let name = format!(" -l {} ", option.trim_start_matches('-'));
            let is_meant = |line: &str| conditions.iter().any(|start| line.contains(start));
            let found = fish.lines().any(|line| is_meant(line) && line.contains(&name));
            assert!(found, "fish, {command}: {option}\n{fish}");
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
