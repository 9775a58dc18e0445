//! The rules of absence between crates, by their manifests.

use super::manifest::Manifest;
use super::pattern::{any_matches, matches};
use super::rules::{LAYERS, OWNED};
use super::{Finding, Rule};

/// Finds the dependencies that a crate must not have. `crates` are all of the project.
pub(crate) fn check(manifest: &Manifest, crates: &[&str]) -> Vec<Finding> {
    let name = manifest.name.as_str();
    let mut findings = Vec::new();
    let layer = LAYERS.iter().find(|layer| matches(layer.within, name));
    for dependency in &manifest.dependencies {
        let is_ours = crates.contains(&dependency.name.as_str());
        let absences = layer
            .filter(|layer| is_ours && !any_matches(layer.may, &dependency.name))
            .map(|layer| layer.reason)
            .into_iter();
        let owned = OWNED
            .iter()
            .filter(|rule| {
                rule.dependencies.contains(&dependency.name.as_str())
                    && !rule.owners.contains(&name)
            })
            .map(|rule| rule.reason);
        for reason in absences.chain(owned) {
            findings.push(Finding {
                path: manifest.path.clone(),
                line: dependency.line,
                rule: Rule::Dependency,
                sentence: format!("`{name}` must not depend on `{}`: {reason}.", dependency.name),
            });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRATES: [&str; 14] = [
        "api",
        "catalog",
        "cypher",
        "dialect-neo4j",
        "dialect-phrag",
        "dialects",
        "engine",
        "graphql",
        "ir",
        "relational",
        "source-neo4j",
        "source-sqlite",
        "sources",
        "sql",
    ];

    fn check(name: &str, dependency: &str) -> Vec<String> {
        let path = format!("crates/{name}/Cargo.toml");
        let manifest = Manifest::parse(&path, &format!("[dependencies]\n{dependency} = \"1\"\n"));
        super::check(&manifest, &CRATES).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_dialect_that_knows_a_source_is_found() {
        assert_eq!(
            check("dialect-phrag", "sources"),
            ["crates/dialect-phrag/Cargo.toml:2: dependency: `dialect-phrag` must not depend on \
                 `sources`: a dialect is a pure function of the catalog and knows no source and no \
                 other dialect."]
        );
    }

    #[test]
    fn a_client_library_outside_its_owners_is_found() {
        assert_eq!(
            check("graphql", "rusqlite"),
            ["crates/graphql/Cargo.toml:2: dependency: `graphql` must not depend on \
                 `rusqlite`: only the driver, and what fills or empties a file from outside, \
                 talk to SQLite."]
        );
    }

    #[test]
    fn every_border_of_the_design_holds() {
        let borders = [
            ("ir", "dialects"),
            ("ir", "sql"),
            ("sources", "dialects"),
            ("sources", "graphql"),
            ("source", "relational"),
            ("source", "source-sqlite"),
            ("relational", "source-sqlite"),
            ("relational", "sources"),
            ("source-postgres", "source-sqlite"),
            ("source-sqlite", "source-neo4j"),
            ("source-neo4j", "source-sqlite"),
            ("source-postgres", "sources"),
            ("source-neo4j", "relational"),
            ("graphql", "catalog"),
            ("dialects", "sql"),
            ("api", "dialects"),
            ("api", "engine"),
            ("lowering", "dialect-neo4j"),
            ("dialect-toy", "source-sqlite"),
            ("dialect-toy", "dialect-phrag"),
            ("source-toy", "source-sqlite"),
            ("dialect-neo4j", "dialect-phrag"),
            ("dialect-phrag", "dialects"),
            ("dialect-postgraphile", "sources"),
            ("engine", "dialect-neo4j"),
            ("engine", "hyper"),
            ("catalog", "ir"),
            ("response", "ir"),
            ("sql", "catalog"),
            ("cypher", "catalog"),
            ("dialects", "cypher"),
            ("bench", "engine"),
        ];
        for (name, dependency) in borders {
            assert_eq!(check(name, dependency).len(), 1, "{name} on {dependency}");
        }
    }

    #[test]
    fn what_the_design_allows_is_not_found() {
        let allowed = [
            ("ir", "catalog"),
            ("engine", "sources"),
            ("sources", "source-sqlite"),
            ("dialects", "dialect-phrag"),
            ("source-toy", "relational"),
            ("source-postgres", "tokio-postgres"),
        ];
        for (name, dependency) in allowed {
            assert_eq!(check(name, dependency), [] as [&str; 0], "{name} on {dependency}");
        }
    }
}
