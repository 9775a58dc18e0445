//! Random subgraphs by seed: a few types of all kinds that most subgraphs share, with most of
//! Federation's directives, so that about a third composes.

use std::fmt::Write as _;

use supergraph::composition::SubgraphSchema;

/// Generator of pseudo-random numbers: SplitMix64.
#[derive(Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Whether an event with a probability in percent happens.
    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[usize::try_from(self.next()).unwrap_or(usize::MAX) % words.len()]
    }
}

/// What all subgraphs of a composition have in common.
#[derive(Debug)]
struct Graph {
    names: Vec<&'static str>,
    /// Percentage of mistakes.
    mistakes: u64,
    has_interface_object: bool,
}

impl Graph {
    /// Whether a subgraph has an interface object instead of the interface and its implementations.
    fn replaces_interface(&self, name: &str) -> bool {
        self.has_interface_object && name == "b"
    }
}

const OBJECTS: [&str; 3] = ["Account", "Book", "Crate"];

/// Fields of objects: name, arguments, type.
const FIELDS: [(&str, &str, &str); 8] = [
    ("name", "", "String"),
    ("size", "", "Int"),
    ("tags", "", "[String!]"),
    ("kind", "", "Kind"),
    ("page", "(first: Int = 10, kind: Kind)", "[Book!]"),
    ("owner", "", "Account"),
    ("any", "", "Any"),
    ("named", "", "Named"),
];

/// Returns the subgraphs of a seed.
pub(crate) fn subgraphs(seed: u64) -> Vec<SubgraphSchema> {
    let mut random = Random(seed);
    let names = if random.chance(60) { vec!["a", "b"] } else { vec!["a", "b", "c"] };
    let mistakes = match random.next() % 10 {
        0..=5 => 0,
        6..=7 => 1,
        _ => 6,
    };
    let graph = Graph { names, mistakes, has_interface_object: random.chance(20) };
    let names = graph.names.iter();
    let schemas = names.map(|name| SubgraphSchema {
        name: (*name).to_owned(),
        url: format!("http://{name}"),
        sdl: schema(&graph, name, &mut random),
    });
    schemas.collect()
}

/// Returns the schema of a subgraph.
fn schema(graph: &Graph, name: &str, random: &mut Random) -> String {
    let version = random.pick(&["2.3", "2.5", "2.7", "2.9", "2.9"]);
    let mut imports = vec!["@key", "@shareable", "@external", "@requires", "@provides"];
    imports.extend(["@override", "@inaccessible", "@tag", "@interfaceObject"]);
    let imports: Vec<_> = imports.iter().map(|import| format!("\"{import}\"")).collect();
    let imports = imports.join(", ");
    let url = "https://specs.apollo.dev/federation";
    let mut text = format!("extend schema @link(url: \"{url}/v{version}\", import: [{imports}])\n");
    let replaces_interface = graph.replaces_interface(name);
    if name == "a" || random.chance(70) {
        write_query(name, replaces_interface, random, &mut text);
    }
    for object in OBJECTS {
        if replaces_interface && object != "Crate" {
            continue;
        }
        write_object(graph, name, object, random, &mut text);
    }
    write_others(graph, replaces_interface, random, &mut text);
    text
}

fn write_query(name: &str, replaces_interface: bool, random: &mut Random, text: &mut String) {
    text.push_str("type Query {\n");
    for (field, r#type) in [("account", "Account"), ("books", "[Book!]"), ("any", "Any")] {
        if !replaces_interface && random.chance(60) {
            writeln!(text, "  {field}_{name}: {type}").unwrap();
        }
    }
    if random.chance(30) {
        writeln!(text, "  named_{name}(kind: Kind, by: Filter): Named").unwrap();
    }
    if random.chance(40) {
        writeln!(text, "  shared(id: ID): Crate @shareable").unwrap();
    }
    writeln!(text, "  ping_{name}: Int").unwrap();
    text.push_str("}\n");
}

fn write_object(graph: &Graph, name: &str, object: &str, random: &mut Random, text: &mut String) {
    let is_entity = object != "Crate";
    text.push_str(if random.chance(3) { "extend type " } else { "type " });
    text.push_str(object);
    let is_named = is_entity;
    if is_named {
        text.push_str(" implements Named");
    }
    if is_entity && !random.chance(graph.mistakes) {
        let key = match graph.has_interface_object {
            true => "id",
            false => random.pick(&["id", "id", "id", "id", "id", "sku", "id sku"]),
        };
        write!(text, " @key(fields: \"{key}\"").unwrap();
        text.push_str(if random.chance(5) { ", resolvable: false)" } else { ")" });
    }
    if random.chance(2) {
        text.push_str(" @inaccessible");
    }
    text.push_str(" {\n  id: ID!");
    text.push_str(if random.chance(graph.mistakes) { "\n" } else { " @shareable\n" });
    writeln!(text, "  sku: ID!{}", if random.chance(graph.mistakes) { "" } else { " @shareable" })
        .unwrap();
    writeln!(text, "  own_{name}_{object}: Int").unwrap();
    for (field, arguments, r#type) in FIELDS {
        let is_known = matches!(r#type, "String" | "Int" | "Kind" | "Named");
        if random.chance(55) && (is_known || !graph.replaces_interface(name)) {
            write_field(graph, name, (field, arguments, r#type), random, text);
        }
    }
    // The first subgraph resolves what others require.
    if random.chance(20) && is_entity && name != "a" {
        let from = if random.chance(graph.mistakes) { "size" } else { "weight" };
        writeln!(text, "  weight: Int @external").unwrap();
        writeln!(text, "  price_{name}: Int @requires(fields: \"{from}\")").unwrap();
    } else if random.chance(60) || name == "a" {
        writeln!(text, "  weight: Int @shareable").unwrap();
    }
    text.push_str("}\n");
}

fn write_field(
    graph: &Graph,
    name: &str,
    (field, arguments, r#type): (&str, &str, &str),
    random: &mut Random,
    text: &mut String,
) {
    let is_other = random.chance(graph.mistakes);
    let r#type = if is_other { random.pick(&["Int", "String!", "[Int]", "Named"]) } else { r#type };
    let arguments = match arguments {
        "" => "",
        _ if random.chance(graph.mistakes) => "(first: Int = 11)",
        _ if random.chance(graph.mistakes) => "(first: Int!, kind: Kind)",
        _ if random.chance(10) => "(first: Int = 10)",
        arguments => arguments,
    };
    let required = if random.chance(15) && !r#type.ends_with('!') { "!" } else { "" };
    write!(text, "  {field}{arguments}: {type}{required}").unwrap();
    if random.chance(100 - graph.mistakes) {
        text.push_str(" @shareable");
    }
    if random.chance(4) {
        let others: Vec<_> = graph.names.iter().filter(|other| **other != name).copied().collect();
        write!(text, " @override(from: \"{}\")", random.pick(&others)).unwrap();
    }
    if random.chance(2) {
        text.push_str(" @inaccessible");
    }
    if random.chance(6) {
        text.push_str(" @tag(name: \"one\")");
    }
    if random.chance(graph.mistakes / 2) {
        text.push_str(" @external");
    }
    text.push('\n');
}

fn write_others(graph: &Graph, replaces_interface: bool, random: &mut Random, text: &mut String) {
    if replaces_interface {
        text.push_str("type Named @interfaceObject @key(fields: \"id\") { id: ID! extra: Int }\n");
    } else {
        let key = if graph.has_interface_object { " @key(fields: \"id\")" } else { "" };
        let name = if random.chance(graph.mistakes) { " size: Int" } else { "" };
        writeln!(text, "interface Named{key} {{ id: ID!{name} }}").unwrap();
    }
    if !replaces_interface {
        let more = if random.chance(50) { " | Book" } else { "" };
        writeln!(text, "union Any = Account{more}").unwrap();
    }
    let more = if random.chance(graph.mistakes * 3) { " OTHER" } else { "" };
    let value = if random.chance(3) { " @inaccessible" } else { "" };
    writeln!(text, "enum Kind {{ ONE TWO{value}{more} }}").unwrap();
    let more = if random.chance(30) { " size: Int" } else { "" };
    let default = if random.chance(graph.mistakes) { "2" } else { "1" };
    writeln!(text, "input Filter {{ name: String first: Int = {default}{more} }}").unwrap();
}
