//! The files of Prisma's tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::scala::{self, Statement, Template, TemplateKind};

/// Folders of the repository whose tests are about an API.
const FOLDERS: [&str; 4] = [
    "server/servers/api/src/test",
    "server/servers/subscriptions/src/test",
    "server/servers/deploy/src/test",
    "server/integration-tests/integration-tests-mysql/src/test",
];

/// Parts of the test framework, whose place this program takes.
const FRAMEWORK: [&str; 8] = [
    "ApiSpecBase",
    "ConnectorAwareTest",
    "DataModelValidationSpecBase",
    "DeploySpecBase",
    "GraphQLSchemaMatchers",
    "IntegrationBaseSpec",
    "StringMatchers",
    "TestDataModels",
];

/// A class of tests.
#[derive(Debug)]
pub(crate) struct Spec {
    /// Its file, from the repository's root.
    pub(crate) path: String,
    pub(crate) template: Rc<Template>,
}

#[derive(Debug, Default)]
pub(crate) struct Corpus {
    pub(crate) specs: Vec<Spec>,
    /// Files that cannot be read, and why.
    pub(crate) unread: Vec<(String, String)>,
    templates: BTreeMap<String, Rc<Template>>,
}

impl Corpus {
    /// Reads the tests of a copy of the repository.
    pub(crate) fn read(repository: &Path) -> std::io::Result<Self> {
        let mut corpus = Self::default();
        for folder in FOLDERS {
            let folder = repository.join(folder);
            if !folder.is_dir() {
                continue;
            }
            let mut files = Vec::new();
            visit(&folder, &mut files)?;
            for file in files {
                let path = file.strip_prefix(repository).unwrap_or(&file).display().to_string();
                match scala::parse(&fs::read_to_string(&file)?) {
                    Ok(statements) => corpus.add(&path, statements),
                    Err(error) => corpus.unread.push((path, error)),
                }
            }
        }
        Ok(corpus)
    }

    /// Adds the definitions of a file.
    pub(crate) fn add(&mut self, path: &str, statements: Vec<Statement>) {
        for statement in statements {
            let Statement::Template(template) = statement else { continue };
            if FRAMEWORK.contains(&&*template.name) {
                continue;
            }
            self.templates.entry(template.name.clone()).or_insert_with(|| template.clone());
            if template.kind == TemplateKind::Class {
                self.specs.push(Spec { path: path.to_owned(), template });
            }
        }
    }

    pub(crate) fn template(&self, name: &str) -> Option<Rc<Template>> {
        self.templates.get(name).cloned()
    }

    /// A class and what it extends, those that are initialized first first.
    pub(crate) fn linearization(&self, template: &Rc<Template>) -> Vec<Rc<Template>> {
        let mut all: Vec<Rc<Template>> = Vec::new();
        self.collect(template, &mut all, 0);
        all
    }

    fn collect(&self, template: &Rc<Template>, all: &mut Vec<Rc<Template>>, depth: usize) {
        // A trait cannot extend itself, but a file may be wrong.
        if depth < 20 {
            for parent in &template.parents {
                if let Some(parent) = self.template(parent) {
                    self.collect(&parent, all, depth + 1);
                }
            }
        }
        if !all.iter().any(|one| one.name == template.name) {
            all.push(template.clone());
        }
    }

    /// Everything that a class extends, also what is not in the files.
    pub(crate) fn ancestors(&self, template: &Rc<Template>) -> Vec<String> {
        let all = self.linearization(template);
        all.iter().flat_map(|one| one.parents.iter().cloned()).collect()
    }
}

fn visit(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            visit(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "scala") {
            files.push(path);
        }
    }
    Ok(())
}
