//! Comparison with other composers: `@apollo/composition` and `@theguild/federation-composition`.
//!
//! Needs Node.js and the packages of `tests/composers`, which `cargo xtask setup` installs. More
//! random subgraphs are those of `THALWEG_COMPOSITIONS=NUMBER` seeds from `THALWEG_COMPOSITION_SEED`;
//! `THALWEG_AUDIT` is a folder of subgraphs in files `SUITE/subgraphs.json`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use supergraph::composition::{Code, Composition, SubgraphSchema, compose};

use crate::case::{self, Codes, codes};
use crate::random;

/// If it is set, missing packages are a failure; `cargo xtask test` sets it.
const REQUIRE_VARIABLE: &str = "THALWEG_REQUIRE_CLIENTS";

/// Random compositions of a run without options.
const COUNT: u64 = 100;

/// Code of a composer that fails with an internal error.
const FAILED: &str = "FAILED";

/// A hint that Apollo's composer misses for fields that it has also seen with fewer subgraphs.
const MORE_HINTS: &str = "INCONSISTENT_RUNTIME_TYPES_FOR_SHAREABLE_RETURN";

/// Seeds of differences that `docs/composition.md` explains.
const KNOWN: [u64; 2] = [
    // A required field of a subgraph with a key that is not resolvable, which the object comes from.
    29, // A field with requirements in a subgraph with a key that is not resolvable.
    186,
];

/// Results of the other composers.
#[derive(Debug)]
struct Compared {
    ours: Composition,
    apollo: Peer,
    guild: Peer,
    /// Apollo's reading of our supergraph.
    given: Option<Peer>,
}

#[derive(Debug)]
struct Peer {
    errors: Codes,
    hints: Codes,
    /// Lines of the API schema; none if there are errors.
    api: Codes,
    /// Message of a failure of the composer itself.
    message: String,
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("peers/cases", cases),
        Trial::test("peers/random", random_subgraphs),
        Trial::test("peers/audit", audit),
    ]
}

/// The codes of the cases are those of the other composers.
fn cases() -> Result<(), Failed> {
    let files = case::find()?;
    let inputs: Vec<_> = files.iter().map(|file| file.case.subgraphs.clone()).collect();
    let Some(compared) = compare_all(&inputs)? else { return Ok(()) };
    let mut wrong = Vec::new();
    for (file, compared) in files.iter().zip(&compared) {
        let mut text = String::new();
        for (name, peer) in [("apollo", &compared.apollo), ("guild", &compared.guild)] {
            let what = format!("errors of {name}");
            text += &case::compare(&what, &file.case.errors_of(name), &peer.errors);
        }
        if file.case.errors.is_empty() && compared.apollo.errors.is_empty() {
            text += &case::compare("hints of apollo", &file.case.hints, &compared.apollo.hints);
            text += &compared.difference_of_api(&compared.apollo);
        }
        if !text.is_empty() {
            wrong.push(format!("{}\n{text}", file.name()));
        }
    }
    report(&wrong, inputs.len())
}

/// Random subgraphs have the errors, the hints and the API of Apollo's composer.
fn random_subgraphs() -> Result<(), Failed> {
    let number = |name: &str, default| {
        let text = env::var(name).ok();
        text.map_or(Ok(default), |text| text.parse::<u64>())
    };
    let first = number("THALWEG_COMPOSITION_SEED", 1)?;
    let count = number("THALWEG_COMPOSITIONS", COUNT)?;
    let mut wrong = Vec::new();
    let mut composed = 0;
    let mut errors: BTreeMap<String, usize> = BTreeMap::new();
    // Node.js gets portions, since each answer has whole schemas.
    for start in (first..first + count).step_by(500) {
        let seeds = start..(start + 500).min(first + count);
        let inputs: Vec<_> = seeds.clone().map(random::subgraphs).collect();
        let Some(compared) = compare_all(&inputs)? else { return Ok(()) };
        for ((seed, subgraphs), compared) in seeds.zip(&inputs).zip(&compared) {
            composed += usize::from(compared.apollo.errors.is_empty());
            for code in &compared.apollo.errors {
                *errors.entry(code.clone()).or_default() += 1;
            }
            let difference = compared.difference();
            if !difference.is_empty() && !KNOWN.contains(&seed) {
                let sdl: Vec<_> =
                    subgraphs.iter().map(|one| format!("{}\n{}", one.name, one.sdl)).collect();
                wrong.push(format!("seed {seed}\n{difference}{}", sdl.join("\n")));
            }
        }
    }
    println!("{composed} of {count} compose; errors of others: {errors:?}");
    report(&wrong, usize::try_from(count)?)
}

/// The suites of the audit of federated gateways compose to the same API.
fn audit() -> Result<(), Failed> {
    let Some(folder) = env::var_os("THALWEG_AUDIT") else { return Ok(()) };
    let mut suites = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.join("subgraphs.json").is_file() {
            suites.push(path);
        }
    }
    suites.sort();
    let inputs = suites.iter().map(|suite| read_subgraphs(&suite.join("subgraphs.json")));
    let inputs = inputs.collect::<Result<Vec<_>, Failed>>()?;
    let Some(compared) = compare_all(&inputs)? else { return Ok(()) };
    let mut wrong = Vec::new();
    for (suite, compared) in suites.iter().zip(&compared) {
        let difference = compared.difference();
        if !difference.is_empty() {
            let name = suite.file_name().unwrap_or_default().to_string_lossy();
            wrong.push(format!("{name}\n{difference}"));
        }
    }
    report(&wrong, inputs.len())
}

fn read_subgraphs(file: &Path) -> Result<Vec<SubgraphSchema>, Failed> {
    let list: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    let list = list.as_array().ok_or("the subgraphs are no list")?;
    let subgraphs = list.iter().map(|one| SubgraphSchema {
        name: text(one, "name"),
        url: text(one, "url"),
        sdl: text(one, "sdl"),
    });
    Ok(subgraphs.collect())
}

fn report(wrong: &[String], all: usize) -> Result<(), Failed> {
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} of {all} differ\n\n{}", wrong.join("\n")).into()),
    }
}

impl Compared {
    /// Differences from Apollo's composer, unless it fails itself. It stops between stages; we report
    /// the errors of later stages too, which must be those of the other composer, and with an error of
    /// GraphQL those of Federation.
    fn difference(&self) -> String {
        if self.apollo.errors.contains(FAILED) {
            return String::new();
        }
        let (apollo, guild) = (&self.apollo.errors, &self.guild.errors);
        let mut errors = codes(&self.ours.errors);
        let is_invalid = apollo.contains(Code::InvalidGraphql.as_str());
        if !apollo.is_empty() {
            let is_later = |code: &String| is_invalid || guild.contains(code);
            errors.retain(|code| apollo.contains(code) || !is_later(code));
        }
        let mut text = case::compare("errors", apollo, &errors);
        if text.is_empty() && errors.is_empty() {
            let mut hints = codes(&self.ours.hints);
            hints.retain(|code| self.apollo.hints.contains(code) || code != MORE_HINTS);
            text += &case::compare("hints", &self.apollo.hints, &hints);
            text += &self.difference_of_api(&self.apollo);
        }
        if !text.is_empty() && guild != apollo {
            let guild: Vec<_> = guild.iter().map(String::as_str).collect();
            text += &format!("the other composer: {}\n", guild.join(" "));
        }
        text
    }

    fn difference_of_api(&self, peer: &Peer) -> String {
        match &self.given {
            None => "there is no supergraph\n".to_owned(),
            Some(given) if !given.message.is_empty() => {
                format!("the supergraph is refused: {}\n", given.message)
            }
            Some(given) => case::compare("lines of the API", &peer.api, &given.api),
        }
    }
}

/// Composes each list of subgraphs by all composers; `None` where the packages are missing and may be.
fn compare_all(inputs: &[Vec<SubgraphSchema>]) -> Result<Option<Vec<Compared>>, Failed> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/composers");
    let Some(packages) = packages(&tests)? else { return Ok(None) };
    let ours: Vec<_> = inputs.iter().map(|subgraphs| compose(subgraphs)).collect();
    let request = inputs.iter().zip(&ours).map(|(subgraphs, ours)| {
        let subgraphs = subgraphs.iter().map(|one| {
            let SubgraphSchema { name, url, sdl } = one;
            json!({ "name": name, "url": url, "sdl": sdl })
        });
        json!({ "subgraphs": subgraphs.collect::<Vec<_>>(), "supergraph": ours.supergraph })
    });
    let request = Value::from(request.collect::<Vec<_>>()).to_string();
    let mut node = Command::new("node");
    node.arg(tests.join("compose.mjs")).arg(packages);
    let mut node = node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    // Node.js reads all of its input before it writes.
    node.stdin.take().ok_or("there is no input")?.write_all(request.as_bytes())?;
    let output = node.wait_with_output()?;
    let results: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    let compared = ours.into_iter().zip(&results).map(|(ours, result)| Compared {
        ours,
        apollo: peer(&result["apollo"]),
        guild: peer(&result["guild"]),
        given: result["given"].is_object().then(|| peer(&result["given"])),
    });
    Ok(Some(compared.collect()))
}

fn peer(value: &Value) -> Peer {
    let list = |key: &str| {
        let items = value[key].as_array().into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    Peer {
        errors: list("errors"),
        hints: list("hints"),
        api: list("api"),
        message: value["message"].as_str().unwrap_or_default().to_owned(),
    }
}

/// Returns the folder of the installed packages, if they are those of the lock file.
fn packages(tests: &Path) -> Result<Option<PathBuf>, Failed> {
    let lock = fs::read_to_string(tests.join("package-lock.json"))?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/composers");
    let installed = fs::read_to_string(folder.join("installed.json"));
    if installed.is_ok_and(|installed| installed == lock) {
        return Ok(Some(folder.canonicalize()?));
    }
    let missing =
        "the folder target/composers of npm packages is missing; `cargo xtask setup` installs it";
    if env::var_os(REQUIRE_VARIABLE).is_some() {
        return Err(missing.into());
    }
    eprintln!("not run: {missing}");
    Ok(None)
}
