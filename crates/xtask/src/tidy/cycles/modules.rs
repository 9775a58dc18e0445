//! The modules of a crate, and the paths that each of them names.

use std::collections::BTreeMap;

use crate::tidy::paths::{self, Named};
use crate::tidy::source::Source;

/// Re-exports are followed so many times, then the path is left unresolved.
const MOST_STEPS: usize = 16;

/// Modules of one crate by their paths without `crate`; the root's path is empty.
#[derive(Debug, Default)]
pub(super) struct Modules<'s> {
    modules: BTreeMap<String, Module<'s>>,
}

/// A module with a file of its own.
#[derive(Debug)]
struct Module<'s> {
    file: &'s str,
    named: Vec<Named>,
    /// Indices of `named` by the names of imports.
    imports: BTreeMap<String, usize>,
}

/// A use of one module by another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reference<'s> {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) file: &'s str,
    /// Counted from 1.
    pub(super) line: usize,
}

impl<'s> Modules<'s> {
    /// Collects the modules of the files below `folder`, without tests and additional programs.
    pub(super) fn of(folder: &str, sources: &'s [Source]) -> Modules<'s> {
        let mut found = Modules::default();
        let mut tests = Vec::new();
        for source in sources.iter().filter(|source| !source.is_test_file()) {
            let Some(path) = source.path.strip_prefix(folder).and_then(module_path) else {
                continue;
            };
            tests.extend(test_modules(source).map(|name| join(&path, name)));
            let named = paths::named(source);
            let imports = named.iter().enumerate();
            let imports =
                imports.filter_map(|(idx, one)| Some((one.import.clone()?, idx))).collect();
            found.modules.insert(path, Module { file: &source.path, named, imports });
        }
        found.modules.retain(|path, _| !tests.iter().any(|test| paths::is_below(path, test)));
        found
    }

    /// Whether a module has modules of its own.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        let prefix = format!("{path}::");
        let mut after = self.modules.range(prefix.clone()..);
        after.next().is_some_and(|(other, _)| other.starts_with(&prefix))
    }

    /// All uses of one module by another.
    pub(super) fn references(&self) -> Vec<Reference<'s>> {
        let mut references = Vec::new();
        for (from, module) in &self.modules {
            for named in &module.named {
                if let Some(to) = self.resolve(from, &named.path, MOST_STEPS)
                    && to != *from
                {
                    let (from, line) = (from.clone(), named.line + 1);
                    references.push(Reference { from, to, file: module.file, line });
                }
            }
        }
        references
    }

    /// Returns the module that holds the item of a path; `None` if it is in another crate.
    fn resolve(&self, from: &str, path: &str, steps: usize) -> Option<String> {
        let mut names = path.split("::").peekable();
        let mut current = from.to_owned();
        match *names.peek()? {
            "crate" => current.clear(),
            "self" | "super" => {}
            // A module or an import of the file.
            _ => return self.descend(from, names, steps).filter(|to| to != from),
        }
        while let Some(name) = names.next_if(|name| matches!(*name, "crate" | "self" | "super")) {
            if name == "super" {
                current = parent(&current)?.to_owned();
            }
        }
        self.descend(&current, names, steps)
    }

    fn descend<'p>(
        &self,
        from: &str,
        names: impl Iterator<Item = &'p str>,
        steps: usize,
    ) -> Option<String> {
        let steps = steps.checked_sub(1)?;
        let mut current = from.to_owned();
        let mut names = names;
        while let Some(name) = names.next() {
            let below = join(&current, name);
            if self.modules.contains_key(&below) {
                current = below;
                continue;
            }
            let module = self.modules.get(&current)?;
            let import = module.imports.get(name).and_then(|idx| module.named.get(*idx));
            if let Some(import) = import {
                let rest = names.map(|name| format!("::{name}"));
                let path = import.path.clone() + &rest.collect::<String>();
                // What another crate has is a name of the module that imports it.
                return Some(self.resolve(&current, &path, steps).unwrap_or(current));
            }
            break;
        }
        Some(current)
    }
}

/// The module above another.
pub(super) fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once("::") {
        Some((parent, _)) => Some(parent),
        None => (!path.is_empty()).then_some(""),
    }
}

/// The path of a module below another.
pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") }
}

/// `a/b.rs` and `a/b/mod.rs` are `a::b`; programs of the folder `bin` are no modules.
fn module_path(file: &str) -> Option<String> {
    let path = file.strip_suffix(".rs")?;
    let path = match path {
        "lib" | "main" => "",
        _ => path.strip_suffix("/mod").unwrap_or(path),
    };
    (!path.starts_with("bin/")).then(|| path.replace('/', "::"))
}

/// Names of modules with files of their own that only tests have.
fn test_modules(source: &Source) -> impl Iterator<Item = &str> {
    let lines = source.lines.iter().filter(|line| line.is_test);
    lines.filter_map(|line| {
        line.code.trim().strip_suffix(';')?.rsplit_once("mod ").map(|(_, name)| name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expected: &[(&str, &str, usize)]) {
        let sources: Vec<_> = files
            .iter()
            .map(|(path, text)| Source::parse(&format!("crates/ir/src/{path}.rs"), text))
            .collect();
        let references = Modules::of("crates/ir/src/", &sources).references();
        let found: Vec<_> = references
            .iter()
            .map(|found| (found.from.as_str(), found.to.as_str(), found.line))
            .collect();
        assert_eq!(found, expected, "{files:?}");
    }

    #[test]
    fn paths_of_every_form_are_resolved() {
        check(
            &[
                ("lib", "mod a;\nmod c;"),
                ("a", "mod b;\nlet d = b::D;\nlet e = self::b::E;"),
                (
                    "a/b",
                    "use super::super::c::F;\nuse crate::{\n    c::{self, G},\n};\nuse super::H;",
                ),
                ("c", "let i = crate::a::b::I;\nlet j = std::fs::read();"),
            ],
            &[
                ("a", "a::b", 2),
                ("a", "a::b", 3),
                ("a::b", "c", 1),
                ("a::b", "c", 2),
                ("a::b", "c", 2),
                ("a::b", "a", 5),
                ("c", "a::b", 1),
            ],
        );
    }

    #[test]
    fn imports_and_re_exports_lead_to_the_definition() {
        check(
            &[
                ("lib", "mod a;\nmod c;\npub use a::{b::D, E};"),
                ("a", "mod b;\nstruct E;"),
                ("a/b", "pub struct D;"),
                ("c", "use crate::{a as f, D};\nlet e = f::b::g();"),
            ],
            &[("", "a::b", 3), ("", "a", 3), ("c", "a", 1), ("c", "a::b", 1), ("c", "a::b", 2)],
        );
    }

    #[test]
    fn names_of_other_crates_belong_to_the_module_that_imports_them() {
        check(
            &[("lib", "mod a;\nmod b;"), ("a", "pub use other::C;"), ("b", "use crate::a::C;")],
            &[("b", "a", 1)],
        );
    }

    #[test]
    fn imports_that_name_each_other_end() {
        check(&[("lib", "mod a;"), ("a", "use b::c;\nuse c::b;")], &[]);
    }

    #[test]
    fn tests_and_programs_are_no_modules() {
        check(
            &[
                ("lib", "mod a;\nmod b;\n#[cfg(test)]\nmod made;"),
                ("a", "#[cfg(test)]\nmod tests {\n    use crate::b::C;\n}"),
                ("b", ""),
                ("made", "use crate::b::C;"),
                ("a/tests", "use crate::b::C;"),
                ("bin/d", "use crate::b::C;"),
            ],
            &[],
        );
    }
}
