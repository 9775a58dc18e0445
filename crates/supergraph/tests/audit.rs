//! Suites of the public gateway audit: our supergraphs mean the same as the published ones.
//!
//! The files are not part of this repository. `FEDERATION_AUDIT` is a folder with one folder a suite,
//! each with `subgraphs.json` and `supergraph.graphql`; without it nothing is compared.
//! <https://github.com/graphql-hive/federation-gateway-audit>

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use graphql::schema::{Schema, TypeKind};
use supergraph::{FieldSetId, SetSelection, SubgraphSchema, Supergraph, compose, read};

#[test]
fn supergraphs_of_the_audit_mean_the_same() {
    let Ok(folder) = std::env::var("FEDERATION_AUDIT") else { return };
    let mut suites: Vec<_> = fs::read_dir(folder)
        .expect("the folder is read")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_dir())
        .collect();
    suites.sort();
    let mut differences = String::new();
    for suite in &suites {
        for difference in differences_of(suite) {
            writeln!(differences, "{}: {difference}", suite.display()).expect("texts are written");
        }
    }
    assert!(differences.is_empty(), "{differences}");
    assert!(!suites.is_empty(), "the folder has no suites");
}

fn differences_of(suite: &Path) -> Vec<String> {
    let text = |name: &str| fs::read_to_string(suite.join(name)).expect("a file of the suite");
    let subgraphs: serde_json::Value =
        serde_json::from_str(&text("subgraphs.json")).expect("the subgraphs are JSON");
    let member = |value: &serde_json::Value, name: &str| {
        value[name].as_str().expect("a subgraph has texts").to_owned()
    };
    let schemas: Vec<_> = subgraphs
        .as_array()
        .expect("a list of subgraphs")
        .iter()
        .map(|value| SubgraphSchema {
            name: member(value, "name"),
            url: member(value, "url"),
            sdl: member(value, "sdl"),
        })
        .collect();
    let composition = compose(&schemas);
    let Some(own) = composition.supergraph else {
        return composition.errors.iter().map(ToString::to_string).collect();
    };
    let own = match read(&own) {
        Ok(own) => facts(&own),
        Err(problems) => return problems.iter().map(ToString::to_string).collect(),
    };
    let published = facts(&read(&text("supergraph.graphql")).expect("the published supergraph"));
    let missing = published.difference(&own).map(|fact| format!("- {fact}"));
    let more = own.difference(&published).map(|fact| format!("+ {fact}"));
    missing.chain(more).collect()
}

/// Returns everything that a supergraph says about its subgraphs and its API.
fn facts(supergraph: &Supergraph) -> BTreeSet<String> {
    let mut facts = BTreeSet::new();
    for id in supergraph.subgraph_ids() {
        let subgraph = supergraph.subgraph(id);
        facts.insert(format!("subgraph {} {}", subgraph.name, subgraph.url));
    }
    let name = |id| supergraph.subgraph(id).name.clone();
    let schema = &supergraph.schema;
    for (id, definition) in schema.types() {
        let owners = supergraph.type_owners(id);
        for owner in &owners.subgraphs {
            let of = format!("{} in {}", definition.name, name(owner.subgraph));
            facts.insert(format!("{of} interface object: {}", owner.is_interface_object));
            for key in &owner.keys {
                let fields = field_set(supergraph, key.fields);
                facts.insert(format!("{of} key {fields} resolvable: {}", key.is_resolvable));
            }
        }
        for (graph, interface) in &owners.implements {
            let interface = &schema[*interface].name;
            facts.insert(format!("{} implements {interface} in {}", definition.name, name(*graph)));
        }
        for (graph, member) in &owners.members {
            let member = &schema[*member].name;
            facts.insert(format!("{} has {member} in {}", definition.name, name(*graph)));
        }
        let (TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. }) =
            &definition.kind
        else {
            continue;
        };
        for field in fields {
            for owner in &supergraph.field_owners(*field).subgraphs {
                let set = |set: Option<FieldSetId>| set.map(|set| field_set(supergraph, set));
                facts.insert(format!(
                    "{}.{}: {} in {} requires {:?} provides {:?} external {} when {:?} contexts {}",
                    definition.name,
                    schema[*field].name,
                    graphql::print_type(schema, owner.r#type),
                    name(owner.subgraph),
                    set(owner.requires),
                    set(owner.provides),
                    owner.is_external,
                    owner.when,
                    owner.context.len(),
                ));
            }
        }
    }
    add_schema("schema", schema, &mut facts);
    add_schema("API", &supergraph.api.schema, &mut facts);
    facts
}

/// Adds each element of a schema, without its place in the order.
fn add_schema(kind: &str, schema: &Schema, facts: &mut BTreeSet<String>) {
    let printed = graphql::print_schema(schema);
    let mut parent = String::new();
    for line in printed.lines() {
        match line.strip_prefix("  ") {
            Some(member) => {
                facts.insert(format!("{kind} {parent} {}", sorted(member)));
            }
            None if !line.is_empty() => {
                parent = line.split(" =").next().unwrap_or_default().to_owned();
                facts.insert(format!("{kind} {}", sorted(line)));
            }
            None => {}
        }
    }
}

/// Sorts the words of a line: members of unions and interfaces of types have no order.
fn sorted(line: &str) -> String {
    let mut words: Vec<_> = line.split(' ').filter(|word| !matches!(*word, "|" | "&")).collect();
    words.sort_unstable();
    words.join(" ")
}

fn field_set(supergraph: &Supergraph, id: FieldSetId) -> String {
    let schema = &supergraph.schema;
    let selections = supergraph.field_set(id).selections.iter().map(|selection| match selection {
        SetSelection::Typename => "__typename".to_owned(),
        SetSelection::Field { field, arguments, set: None } => {
            format!("{}{arguments:?}", schema[*field].name)
        }
        SetSelection::Field { field, arguments, set: Some(set) } => {
            format!("{}{arguments:?} {{ {} }}", schema[*field].name, field_set(supergraph, *set))
        }
        SetSelection::On(set) => {
            let on = &schema[supergraph.field_set(*set).parent].name;
            format!("... on {on} {{ {} }}", field_set(supergraph, *set))
        }
    });
    selections.collect::<Vec<_>>().join(" ")
}
