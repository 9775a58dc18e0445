//! The example projects, whose READMEs are pages, and the packages that their tests share.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The READMEs of the projects.
pub(crate) fn pages(root: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(root.join("examples")).unwrap();
    let pages = folders.map(|entry| entry.unwrap().path().join("README.md"));
    pages.filter(|page| page.exists()).collect()
}

/// Run by name: this program has no test harness. What `npm install` may take for a project is what its
/// test runs with.
pub(crate) fn versions() -> Result<(), String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let shared = dependencies(&tests.join("example-packages/package.json"))?;
    let shared = shared.first().ok_or("there are no shared packages")?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = pages(&root).into_iter().map(|page| page.with_file_name("package.json"));
    for file in files.filter(|file| file.exists()) {
        for (name, version) in dependencies(&file)?.iter().flatten() {
            let installed = shared.get(name).and_then(Value::as_str).unwrap_or("no version");
            if version.as_str() != Some(&format!("^{installed}")) {
                let file = file.display();
                return Err(format!("{file}: {name} is {version}, and the tests have {installed}"));
            }
        }
    }
    let requirements = |path: &Path| {
        fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let frozen = requirements(&tests.join("python-packages/requirements.txt"))?;
    let own = requirements(&root.join("examples/python/requirements.txt"))?;
    match own.lines().find(|wanted| !frozen.lines().any(|frozen| frozen == *wanted)) {
        Some(wanted) => Err(format!("the tests of Python do not have {wanted}")),
        None => Ok(()),
    }
}

type Dependencies = serde_json::Map<String, Value>;

/// The dependencies of a `package.json`, and those of its development.
fn dependencies(file: &Path) -> Result<Vec<Dependencies>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let read: Value =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let lists = ["dependencies", "devDependencies"].into_iter();
    Ok(lists.filter_map(|list| read.get(list)?.as_object().cloned()).collect())
}
