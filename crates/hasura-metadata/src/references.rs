//! References between parts of metadata: to collections, remote schemas, sources and fields. What
//! only a database can answer, such as whether a column exists, is for the dialect.

use std::collections::HashMap;

use crate::location::Location;
use crate::problem::{Problem, ProblemKind};
use crate::types::action::CustomTypes;
use crate::types::metadata::Metadata;
use crate::types::name::Name;
use crate::types::query_collection::QueryReference;
use crate::types::remote_relationship::{RemoteRelationship, RemoteRelationshipDefinition};
use crate::types::table::Table;

/// Reports references to what does not exist, and names that two fields of a table have.
pub(crate) fn check(metadata: &Metadata, problems: &mut Vec<Problem>) {
    let mut check = Check { metadata, problems };
    for source in &metadata.sources {
        for table in &source.tables {
            check.fields(table);
            check.remote_relationships(&table.remote_relationships);
        }
    }
    for schema in &metadata.remote_schemas {
        for r#type in &schema.remote_relationships {
            check.remote_relationships(&r#type.relationships);
        }
    }
    for entry in &metadata.allowlist {
        check.collection(&entry.collection);
    }
    for endpoint in &metadata.rest_endpoints {
        check.query(&endpoint.definition.query);
    }
    check.types(&metadata.custom_types);
}

struct Check<'m, 'p> {
    metadata: &'m Metadata,
    problems: &'p mut Vec<Problem>,
}

impl Check<'_, '_> {
    /// Reports that a part, such as `source`, does not exist; `within` says where it would be.
    fn missing(&mut self, what: &str, name: &Name, within: &str, known: &[&str]) {
        let remedy = match graphql::similar_names(name, known.iter().copied()).first() {
            Some(similar) => format!("Did you mean `{similar}`?"),
            None => "Add it, or remove the reference.".to_owned(),
        };
        let message = format!("The {what} `{}`{within} does not exist. {remedy}", name.text);
        self.report(ProblemKind::MissingPart, &name.place, message);
    }

    fn report(&mut self, kind: ProblemKind, place: &Location, message: String) {
        self.problems.push(Problem { kind, place: place.clone(), message });
    }

    /// Relationships and computed fields of a table share one set of names.
    fn fields(&mut self, table: &Table) {
        let names = table.object_relationships.iter().map(|one| &one.name);
        let names = names.chain(table.array_relationships.iter().map(|one| &one.name));
        let names = names.chain(table.computed_fields.iter().map(|one| &one.name));
        let names = names.chain(table.remote_relationships.iter().map(|one| &one.name));
        let mut first: HashMap<&str, &Location> = HashMap::new();
        for name in names {
            let Some(earlier) = first.insert(&name.text, &name.place) else { continue };
            let message = format!(
                "The table has two fields `{}`; the other is at {earlier}. Rename one of them.",
                name.text
            );
            self.report(ProblemKind::Duplicate, &name.place, message);
        }
    }

    fn remote_relationships(&mut self, relationships: &[RemoteRelationship]) {
        for relationship in relationships {
            let schema = match &relationship.definition {
                RemoteRelationshipDefinition::ToSource(definition) => {
                    self.source(&definition.source);
                    continue;
                }
                RemoteRelationshipDefinition::ToRemoteSchema(definition) => {
                    &definition.remote_schema
                }
                RemoteRelationshipDefinition::Legacy(definition) => &definition.remote_schema,
            };
            let known = self.metadata.remote_schemas.iter();
            let known: Vec<&str> = known.map(|schema| &*schema.name).collect();
            if !known.contains(&&**schema) {
                self.missing("remote schema", schema, "", &known);
            }
        }
    }

    fn source(&mut self, name: &Name) {
        let known: Vec<&str> = self.metadata.sources.iter().map(|source| &*source.name).collect();
        if !known.contains(&&**name) {
            self.missing("source", name, "", &known);
        }
    }

    fn collection(&mut self, name: &Name) {
        let known = self.metadata.query_collections.iter();
        let known: Vec<&str> = known.map(|collection| &*collection.name).collect();
        if !known.contains(&&**name) {
            self.missing("query collection", name, "", &known);
        }
    }

    fn query(&mut self, reference: &QueryReference) {
        let mut collections = self.metadata.query_collections.iter();
        let collection = collections.find(|one| *one.name == *reference.collection_name);
        let Some(collection) = collection else {
            return self.collection(&reference.collection_name);
        };
        let known = collection.definition.queries.iter();
        let known: Vec<&str> = known.map(|query| &*query.name).collect();
        if !known.contains(&&*reference.query_name) {
            let within = format!(" of the collection `{}`", collection.name.text);
            self.missing("query", &reference.query_name, &within, &known);
        }
    }

    fn types(&mut self, types: &CustomTypes) {
        for relationship in types.objects.iter().flat_map(|object| &object.relationships) {
            self.source(&relationship.source.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::read_text;

    fn check(text: &str, expected: &[&str]) {
        let reading = read_text("a.yaml", text);
        let problems: Vec<String> = reading.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems, expected, "{text}");
        assert!(reading.metadata.is_some());
    }

    #[test]
    fn references_to_what_does_not_exist_are_problems() {
        check(
            "version: 3\nsources: []\nquery_collections: [{name: a, definition: {queries: [{name: \
             b, query: x}]}}]\nallowlist: [{collection: a}, {collection: aa}]\nrest_endpoints:\n- \
             {name: c, url: c, methods: [GET], definition: {query: {collection_name: a, query_name: \
             zzzz}}}\n- {name: d, url: d, methods: [GET], definition: {query: {collection_name: \
             zzzz, query_name: b}}}\n- {name: e, url: e, methods: [GET], definition: {query: \
             {collection_name: a, query_name: b}}}\n",
            &[
                "a.yaml:4:43 (allowlist[1].collection): The query collection `aa` does not exist. \
                 Did you mean `a`?",
                "a.yaml:6:90 (rest_endpoints[0].definition.query.query_name): The query `zzzz` \
                 of the collection `a` does not exist. Add it, or remove the reference.",
                "a.yaml:7:75 (rest_endpoints[1].definition.query.collection_name): The query \
                 collection `zzzz` does not exist. Add it, or remove the reference.",
            ],
        );
        let relationship = |target: &str| {
            format!(
                "version: 3\nremote_schemas: [{{name: mail, definition: {{url: x}}}}]\nsources:\n- \
                 name: shop\n  configuration: {{connection_info: {{database_url: x}}}}\n  tables:\n  \
                 - table: a\n    remote_relationships:\n    - {{name: b, definition: {target}}}\n"
            )
        };
        let to_source = |source| {
            relationship(&format!(
                "{{to_source: {{source: {source}, table: t, field_mapping: {{}}, \
                 relationship_type: object}}}}"
            ))
        };
        check(&to_source("shop"), &[]);
        check(
            &to_source("shpo"),
            &["a.yaml:9:50 (sources[0].tables[0].remote_relationships[0].definition.to_source.\
               source): The source `shpo` does not exist. Did you mean `shop`?"],
        );
        let to_schema = |schema| {
            relationship(&format!(
                "{{remote_schema: {schema}, hasura_fields: [], remote_field: {{}}}}"
            ))
        };
        check(&to_schema("mail"), &[]);
        check(
            &to_schema("mails"),
            &["a.yaml:9:45 (sources[0].tables[0].remote_relationships[0].definition.\
               remote_schema): The remote schema `mails` does not exist. Did you mean `mail`?"],
        );
    }

    #[test]
    fn fields_of_a_table_have_different_names() {
        check(
            "version: 3\nsources:\n- name: shop\n  configuration: {connection_info: {database_url: \
             x}}\n  tables:\n  - table: a\n    object_relationships: [{name: b, using: \
             {foreign_key_constraint_on: c}}]\n    computed_fields: [{name: b, definition: \
             {function: f}}]\n",
            &[
                "a.yaml:8:30 (sources[0].tables[0].computed_fields[0].name): The table has two fields \
               `b`; the other is at a.yaml:7:35 (sources[0].tables[0].object_relationships[0].\
               name). Rename one of them.",
            ],
        );
    }
}
