//! Links of a subgraph: the version of Federation, and the names of directives in the document.
//! <https://specs.apollo.dev/link/v1.0/>

use std::sync::Arc;

use graphql::definitions::{Directive, Literal};
use rustc_hash::{FxHashMap, FxHashSet};

use super::schema::At;
use super::specifications::{
    BROUGHT_BY, BUILT_IN, FEDERATION, FEDERATION_1, FEDERATION_TYPES, Meaning, OTHERS,
    SPECIFICATIONS, UPGRADED_FEDERATION, Version,
};

/// A linked specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Feature {
    /// URL without the version.
    pub(crate) identity: Arc<str>,
    pub(crate) name: Arc<str>,
    /// `None` if the URL has none.
    pub(crate) version: Option<Version>,
    pub(crate) url: Arc<str>,
    /// Name of the specification in the document.
    pub(crate) called: Arc<str>,
    pub(crate) imports: Vec<Import>,
    /// `SECURITY` or `EXECUTION`.
    pub(crate) purpose: Option<Arc<str>>,
    pub(crate) at: At,
}

/// An imported element; names of directives begin with `@`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) name: Arc<str>,
    /// Name in the document.
    pub(crate) called: Arc<str>,
}

/// The links of a document.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// Version of Federation.
    pub(crate) federation: Version,
    pub(crate) features: Vec<Feature>,
    /// Directives by their names in the document.
    directives: FxHashMap<Arc<str>, Meaning>,
    /// Name prefixes of the linked specifications, of those that are known.
    prefixes: Vec<String>,
    /// Imported types.
    types: FxHashSet<Arc<str>>,
}

impl Links {
    /// Reads the links among the directives of a schema, which defines directives of these names.
    pub(crate) fn read<'d>(
        directives: impl Iterator<Item = &'d Directive> + Clone,
        defined: impl Iterator<Item = &'d str>,
    ) -> Self {
        let mut links = Self {
            federation: FEDERATION_1,
            features: Vec::new(),
            directives: FxHashMap::default(),
            prefixes: vec!["federation__".to_owned(), "link__".to_owned()],
            types: FxHashSet::default(),
        };
        for (name, meaning) in BUILT_IN {
            links.directives.insert((*name).into(), *meaning);
        }
        let called = name_of_links(directives.clone());
        links.directives.insert(called.as_str().into(), Meaning::Link);
        for directive in directives.filter(|directive| *directive.name == *called) {
            if let Some(feature) = feature(directive) {
                links.add(feature);
            }
        }
        if links.federation == FEDERATION_1 {
            let first = FEDERATION.iter().filter(|(.., since)| *since == FEDERATION_1);
            for (name, meaning, _) in first {
                links.directives.entry((*name).into()).or_insert(*meaning);
            }
            // The upgrade gives them a meaning if the schema defines them.
            for defined in defined {
                let found = FEDERATION.iter().find(|(name, ..)| *name == defined);
                if let Some((name, meaning, since)) = found
                    && *since <= UPGRADED_FEDERATION
                {
                    links.directives.entry((*name).into()).or_insert(*meaning);
                }
            }
            links.types.extend(["FieldSet".into(), "_FieldSet".into()]);
        }
        links
    }

    fn add(&mut self, feature: Feature) {
        let prefix = [&*feature.called, "__"].concat();
        let own = feature.identity.strip_prefix(SPECIFICATIONS);
        let own = own.and_then(|rest| rest.strip_prefix('/'));
        let federation = feature.version.filter(|version| *version > FEDERATION_1);
        if let (Some("federation"), Some(version)) = (own, federation) {
            self.federation = version;
            for (name, meaning, since) in FEDERATION {
                if *since <= version {
                    self.add_directive(&feature, name, &[&*prefix, *name].concat(), *meaning);
                }
            }
            for r#type in FEDERATION_TYPES {
                self.add_type(&feature, r#type);
            }
            self.prefixes.push(prefix);
        } else if let Some((_, elements)) = OTHERS.iter().find(|(name, _)| own == Some(*name)) {
            for (element, meaning) in *elements {
                match *element {
                    "" => self.add_directive(&feature, &feature.name, &feature.called, *meaning),
                    _ => self.add_directive(
                        &feature,
                        element,
                        &[&*prefix, *element].concat(),
                        *meaning,
                    ),
                }
            }
            self.prefixes.push(prefix);
        }
        self.features.push(feature);
    }

    fn add_directive(&mut self, feature: &Feature, name: &str, called: &str, meaning: Meaning) {
        let is_own = |import: &&Import| import.name.strip_prefix('@') == Some(name);
        match feature.imports.iter().find(is_own) {
            Some(import) => {
                let called = import.called.strip_prefix('@').unwrap_or(&import.called);
                self.directives.insert(called.into(), meaning);
            }
            None => {
                self.directives.insert(called.into(), meaning);
            }
        }
    }

    fn add_type(&mut self, feature: &Feature, name: &str) {
        let imports = feature.imports.iter().filter(|import| *import.name == *name);
        self.types.extend(imports.map(|import| import.called.clone()));
    }

    /// Returns the version of Federation whose rules the subgraph has: that of the newest
    /// specification that it links.
    pub(crate) fn effective_federation(&self) -> Version {
        let linked = self.features.iter().filter_map(|feature| {
            let own = feature.identity.strip_prefix(SPECIFICATIONS)?.strip_prefix('/')?;
            let (_, version) = BROUGHT_BY.iter().find(|(name, _)| *name == own)?;
            Some(*version)
        });
        linked.chain([self.federation]).max().unwrap_or(self.federation)
    }

    /// Returns the meaning of a directive.
    pub(crate) fn meaning(&self, name: &str) -> Meaning {
        self.directives.get(name).copied().unwrap_or(Meaning::Custom)
    }

    /// Returns the name in the document of the first directive with a meaning.
    pub(crate) fn name_of(&self, meaning: Meaning) -> Option<&str> {
        let named = self.directives.iter().filter(|(_, known)| **known == meaning);
        named.map(|(name, _)| &**name).min()
    }

    /// Whether a directive is defined by a linked specification or by GraphQL, and not by the schema.
    pub(crate) fn is_of_specification(&self, directive: &str) -> bool {
        self.directives.contains_key(directive)
            || ["federation__", "link__"].iter().any(|prefix| directive.starts_with(prefix))
    }

    /// Whether a type is part of Federation or of a linked specification, and not of the data.
    pub(crate) fn is_specification_type(&self, name: &str) -> bool {
        matches!(name, "_Any" | "_Entity" | "_Service")
            || self.types.contains(name)
            || self.prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
    }

    /// Whether a type of the document is a type of a specification, such as `federation__FieldSet`.
    pub(crate) fn is_called(&self, written: &str, known: &str) -> bool {
        let Some((prefix, own)) = known.split_once("__") else { return false };
        if self.federation == FEDERATION_1 && prefix == "federation" {
            return written.strip_prefix('_') == Some(own);
        }
        let feature = self.features.iter().find(|feature| *feature.name == *prefix);
        let Some(feature) = feature else { return written == known };
        match feature.imports.iter().find(|import| *import.name == *own) {
            Some(import) => *import.called == *written,
            None => written == [&*feature.called, "__", own].concat(),
        }
    }

    /// Returns the feature that a directive belongs to, by its name in the document.
    pub(crate) fn feature_of(&self, directive: &str) -> Option<(&Feature, Arc<str>)> {
        self.features.iter().find_map(|feature| {
            let imported = feature
                .imports
                .iter()
                .find(|import| import.called.strip_prefix('@') == Some(directive));
            if let Some(import) = imported {
                return Some((feature, import.name.trim_start_matches('@').into()));
            }
            if *feature.called == *directive {
                return Some((feature, feature.name.clone()));
            }
            let own = directive.strip_prefix(&*feature.called)?.strip_prefix("__")?;
            Some((feature, own.into()))
        })
    }
}

/// Returns the name of `@link` itself, which may be linked under another name.
fn name_of_links<'d>(directives: impl Iterator<Item = &'d Directive>) -> String {
    for directive in directives {
        let Some(feature) = feature(directive) else { continue };
        if &*feature.identity == "https://specs.apollo.dev/link" {
            let imported = feature.imports.iter().find(|import| &*import.name == "@link");
            let called = imported.map_or(&feature.called, |import| &import.called);
            if *directive.name == *called.trim_start_matches('@') {
                return directive.name.as_ref().to_owned();
            }
        }
    }
    "link".to_owned()
}

/// Reads the arguments of a link; `None` without a URL.
fn feature(directive: &Directive) -> Option<Feature> {
    let argument = |name: &str| {
        let found = directive.arguments.iter().find(|argument| &*argument.name == name);
        found.map(|argument| &argument.value)
    };
    let text = |name: &str| match argument(name) {
        Some(Literal::String(text) | Literal::Enum(text)) => Some(text.clone()),
        _ => None,
    };
    let url = text("url")?;
    let trimmed = url.trim_end_matches('/');
    let (identity, version) = match trimmed.rsplit_once('/') {
        Some((rest, last)) => match Version::parse(last) {
            Some(version) => (rest, Some(version)),
            None => (trimmed, None),
        },
        None => (trimmed, None),
    };
    let name: Arc<str> = identity.rsplit('/').next().unwrap_or(identity).into();
    let imports = match argument("import") {
        Some(Literal::List(items)) => items.iter().filter_map(import).collect(),
        _ => Vec::new(),
    };
    Some(Feature {
        identity: identity.into(),
        called: text("as").unwrap_or_else(|| name.clone()),
        name,
        version,
        url: url.clone(),
        imports,
        purpose: text("for"),
        at: At { line: directive.line, column: directive.column },
    })
}

fn import(item: &Literal) -> Option<Import> {
    match item {
        Literal::String(name) => Some(Import { name: name.clone(), called: name.clone() }),
        Literal::Object(members) => {
            let member = |key: &str| {
                members.iter().find_map(|(name, value)| match value {
                    Literal::String(text) if **name == *key => Some(text.clone()),
                    _ => None,
                })
            };
            let name = member("name")?;
            let called = member("as").unwrap_or_else(|| name.clone());
            Some(Import { name, called })
        }
        _ => None,
    }
}
