//! Schemas as sets: what is reachable from `Query` and `Mutation`, from the answer to introspection.
//! Types that only mutations reach are compared with the order of their parts, too.
//!
//! A place is a type, `Station`, a field or value of it, `Station.name`, or an argument,
//! `Query.allStations(first)`. At a place stand lines, first of all what is declared there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub(crate) const INTROSPECTION: &str = "{
  __schema { types {
    kind name description
    fields(includeDeprecated: true) {
      name description isDeprecated deprecationReason type { ...Ref } args { ...Input }
    }
    inputFields { ...Input }
    interfaces { name }
    enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
    possibleTypes { name }
  } }
}
fragment Input on __InputValue { name description defaultValue type { ...Ref } }
fragment Ref on __Type {
  kind name
  ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }
}";

/// The lines of a schema, by their places.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    places: BTreeMap<String, BTreeSet<String>>,
}

/// The schema in an answer to introspection, if there is one.
pub(crate) fn find_schema(answer: &Value) -> Option<Schema> {
    let types = answer["data"]["__schema"]["types"].as_array()?;
    let by_name: BTreeMap<&str, &Value> =
        types.iter().filter_map(|one| Some((one["name"].as_str()?, one))).collect();
    let mut schema = Schema::default();
    let mut seen = BTreeSet::new();
    for root in ["Query", "Mutation"] {
        let mut open = vec![root];
        while let Some(name) = open.pop() {
            let Some(one) = by_name.get(name) else { continue };
            if seen.insert(name) {
                schema.add_type(name, one);
                if root == "Mutation" {
                    schema.add_order(name, one);
                }
                collect_names(one, &mut open);
            }
        }
    }
    Some(schema)
}

/// Lines that only one schema has: `- ` before theirs, `+ ` before ours. Of a place that the other one
/// lacks, only the declaration, without its parts.
pub(crate) fn compare(theirs: &Schema, ours: &Schema) -> Vec<String> {
    let mut lines = Vec::new();
    for (mark, these, those) in [('-', theirs, ours), ('+', ours, theirs)] {
        for (place, own) in &these.places {
            match those.places.get(place) {
                Some(others) => {
                    lines.extend(own.difference(others).map(|line| format!("{mark} {line}")));
                }
                None if find_parent(place)
                    .is_some_and(|outer| !those.places.contains_key(outer)) => {}
                None => {
                    let declared = own.iter().find(|line| is_declaration(place, line));
                    lines.extend(declared.map(|line| format!("{mark} {line}")));
                }
            }
        }
    }
    lines
}

/// The field of an argument, the type of a field.
fn find_parent(place: &str) -> Option<&str> {
    place.split_once('(').or_else(|| place.split_once('.')).map(|(outer, _)| outer)
}

/// Everything else at a place begins with the place and a word.
fn is_declaration(place: &str, line: &str) -> bool {
    line.strip_prefix(place).is_none_or(|rest| !rest.starts_with(' '))
}

impl Schema {
    fn add(&mut self, place: &str, line: String) {
        self.places.entry(place.to_owned()).or_default().insert(line);
    }

    fn add_type(&mut self, name: &str, one: &Value) {
        self.add(name, format!("{} {name}", text(&one["kind"]).to_lowercase()));
        self.add_notes(name, one);
        for interface in items(&one["interfaces"]) {
            self.add(name, format!("{name} implements {}", text(&interface["name"])));
        }
        for field in items(&one["fields"]) {
            let place = format!("{name}.{}", text(&field["name"]));
            self.add(&place, format!("{place}: {}", type_text(&field["type"])));
            self.add_notes(&place, field);
            for argument in items(&field["args"]) {
                self.add_input(&format!("{place}({})", text(&argument["name"])), argument);
            }
        }
        for field in items(&one["inputFields"]) {
            self.add_input(&format!("{name}.{}", text(&field["name"])), field);
        }
        for value in items(&one["enumValues"]) {
            let place = format!("{name}.{}", text(&value["name"]));
            self.add(&place, place.clone());
            self.add_notes(&place, value);
        }
    }

    /// The parts of a type in their order.
    fn add_order(&mut self, name: &str, one: &Value) {
        let parts = items(&one["fields"]).chain(items(&one["inputFields"]));
        let names: Vec<&str> = parts.map(|part| text(&part["name"])).collect();
        if !names.is_empty() {
            self.add(name, format!("{name} has in this order: {}", names.join(", ")));
        }
    }

    fn add_input(&mut self, place: &str, input: &Value) {
        let mut line = format!("{place}: {}", type_text(&input["type"]));
        if let Some(default) = input["defaultValue"].as_str() {
            line.push_str(&format!(" = {default}"));
        }
        self.add(place, line);
        self.add_notes(place, input);
    }

    /// A description: compared word for word, whatever its line breaks.
    fn add_notes(&mut self, place: &str, thing: &Value) {
        let words = |value: &Value| text(value).split_whitespace().collect::<Vec<_>>().join(" ");
        let description = words(&thing["description"]);
        if !description.is_empty() {
            self.add(place, format!("{place} says {description}"));
        }
        if thing["isDeprecated"] == true {
            let reason = words(&thing["deprecationReason"]);
            self.add(place, format!("{place} is deprecated: {reason}"));
        }
    }
}

fn collect_names<'a>(one: &'a Value, names: &mut Vec<&'a str>) {
    for field in items(&one["fields"]) {
        names.extend(inner_name(&field["type"]));
        names.extend(items(&field["args"]).filter_map(|argument| inner_name(&argument["type"])));
    }
    names.extend(items(&one["inputFields"]).filter_map(|field| inner_name(&field["type"])));
    for list in ["interfaces", "possibleTypes"] {
        names.extend(items(&one[list]).filter_map(|named| named["name"].as_str()));
    }
}

fn inner_name(reference: &Value) -> Option<&str> {
    match &reference["ofType"] {
        Value::Null => reference["name"].as_str(),
        inner => inner_name(inner),
    }
}

fn type_text(reference: &Value) -> String {
    let inner = &reference["ofType"];
    match text(&reference["kind"]) {
        "NON_NULL" => format!("{}!", type_text(inner)),
        "LIST" => format!("[{}]", type_text(inner)),
        _ => text(&reference["name"]).to_owned(),
    }
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema(fields: &Value) -> Schema {
        let answer = json!({ "data": { "__schema": { "types": [
            { "kind": "OBJECT", "name": "Query", "fields": fields },
            { "kind": "SCALAR", "name": "Int" },
            { "kind": "OBJECT", "name": "Row", "description": "One.", "fields": [] },
            { "kind": "OBJECT", "name": "Subscription", "fields": [] },
        ] } } });
        find_schema(&answer).expect("there is a schema")
    }

    fn named(name: &str) -> Value {
        json!({ "kind": "OBJECT", "name": name, "ofType": null })
    }

    #[test]
    fn what_queries_and_mutations_do_not_reach_does_not_count() {
        let list =
            json!({ "kind": "LIST", "ofType": { "kind": "NON_NULL", "ofType": named("Int") } });
        let schema = schema(&json!([{
            "name": "a", "description": "All\nof it.", "isDeprecated": true,
            "deprecationReason": "Use b", "type": list,
            "args": [{ "name": "n", "type": named("Int"), "defaultValue": "1" }],
        }]));
        let lines: Vec<&str> = schema.places.values().flatten().map(String::as_str).collect();
        assert_eq!(
            lines,
            [
                "scalar Int",
                "object Query",
                "Query.a is deprecated: Use b",
                "Query.a says All of it.",
                "Query.a: [Int!]",
                "Query.a(n): Int = 1",
            ]
        );
    }

    #[test]
    fn what_is_inside_of_something_missing_is_not_said() {
        let argument = json!([{ "name": "n", "type": named("Int"), "description": "How many." }]);
        let theirs = schema(&json!([
            { "name": "a", "type": named("Int") },
            { "name": "b", "type": named("Row"), "args": argument },
        ]));
        let ours = schema(&json!([
            { "name": "a", "type": named("Int"), "description": "More." },
        ]));
        assert_eq!(
            compare(&theirs, &ours),
            ["- Query.b: Row", "- object Row", "+ Query.a says More."]
        );
    }

    #[test]
    fn what_only_mutations_reach_has_an_order() {
        let schema = |names: [&str; 2]| {
            let fields = names.map(|name| json!({ "name": name, "type": named("Int") }));
            let answer = json!({ "data": { "__schema": { "types": [
                { "kind": "OBJECT", "name": "Query", "fields": fields },
                { "kind": "OBJECT", "name": "Mutation", "fields": fields },
                { "kind": "SCALAR", "name": "Int" },
            ] } } });
            find_schema(&answer).expect("there is a schema")
        };
        assert_eq!(
            compare(&schema(["a", "b"]), &schema(["b", "a"])),
            ["- Mutation has in this order: a, b", "+ Mutation has in this order: b, a"]
        );
    }
}
