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

/// Writer of the schema of a subgraph.
#[derive(Debug)]
struct Writer<'g> {
    graph: &'g Graph,
    name: &'g str,
    /// Minor version of Federation 2; `None` for Federation 1.
    version: Option<u64>,
    /// Whether the subgraph has an interface object instead of the interface and its implementations.
    replaces_interface: bool,
    /// Whether fields of the root provide the name of an account.
    provides: bool,
    /// Whether accounts set a context, which books read.
    has_context: bool,
    random: &'g mut Random,
    text: String,
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
        0..=6 => 0,
        7..=8 => 1,
        _ => 6,
    };
    let graph = Graph { names, mistakes, has_interface_object: random.chance(15) };
    let names = graph.names.iter();
    let schemas = names.map(|name| SubgraphSchema {
        name: (*name).to_owned(),
        url: format!("http://{name}"),
        sdl: schema(&graph, name, &mut random),
    });
    schemas.collect()
}

fn schema(graph: &Graph, name: &str, random: &mut Random) -> String {
    let replaces_interface = graph.has_interface_object && name == "b";
    let version = match random.next() % 10 {
        0 if !graph.has_interface_object => None,
        1 => Some(3),
        2 => Some(5),
        3 => Some(7),
        _ => Some(9),
    };
    let is_other = name != "a" && !replaces_interface;
    let provides = is_other && random.chance(15);
    let has_context = !replaces_interface && version == Some(9) && random.chance(10);
    let text = String::new();
    let mut writer =
        Writer { graph, name, version, replaces_interface, provides, has_context, random, text };
    writer.write_all();
    writer.text
}

impl Writer<'_> {
    /// Whether a mistake happens.
    fn errs(&mut self) -> bool {
        self.random.chance(self.graph.mistakes)
    }

    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn write_all(&mut self) {
        if let Some(version) = self.version {
            self.write_link(version);
        }
        if self.name == "a" || self.random.chance(70) {
            self.write_query();
        }
        for object in OBJECTS {
            if !self.replaces_interface || object == "Crate" {
                self.write_object(object);
            }
        }
        self.write_others();
    }

    fn write_link(&mut self, version: u64) {
        let mut imports = vec!["@key", "@shareable", "@external", "@requires", "@provides"];
        imports.extend(["@override", "@inaccessible", "@tag", "@interfaceObject"]);
        if version >= 5 {
            imports.extend(["@authenticated", "@requiresScopes"]);
        }
        if version >= 9 {
            imports.extend(["@cost", "@listSize", "@context", "@fromContext"]);
        }
        let imports: Vec<_> = imports.iter().map(|import| format!("\"{import}\"")).collect();
        let imports = imports.join(", ");
        let url = format!("https://specs.apollo.dev/federation/v2.{version}");
        writeln!(self.text, "extend schema @link(url: \"{url}\", import: [{imports}])").unwrap();
    }

    fn write_query(&mut self) {
        let name = self.name;
        self.write("type Query {\n");
        for (field, r#type) in [("account", "Account"), ("books", "[Book!]"), ("any", "Any")] {
            if !self.replaces_interface && self.random.chance(60) {
                write!(self.text, "  {field}_{name}: {type}").unwrap();
                if self.provides && field == "account" {
                    self.write(" @provides(fields: \"name\")");
                }
                self.write("\n");
            }
        }
        if self.random.chance(30) {
            writeln!(self.text, "  named_{name}(kind: Kind, by: Filter): Named").unwrap();
        }
        if self.random.chance(40) {
            self.write("  shared(id: ID): Crate");
            self.write_shareable();
            self.write("\n");
        }
        writeln!(self.text, "  ping_{name}: Int\n}}").unwrap();
        if self.random.chance(10) {
            writeln!(self.text, "type Mutation {{ add_{name}(by: Filter!): Kind }}").unwrap();
        }
    }

    /// Writes `@shareable`, which Federation 1 does not have, and most fields need.
    fn write_shareable(&mut self) {
        if self.version.is_some() && !self.errs() {
            self.write(" @shareable");
        }
    }

    fn write_object(&mut self, object: &str) {
        let (name, is_entity) = (self.name, object != "Crate");
        if self.random.chance(8) {
            let text = self.random.pick(&["\"One text.\"\n", "\"Another text.\"\n"]);
            self.write(text);
        }
        let is_extension = self.random.chance(3) && !self.text.ends_with("\"\n");
        self.write(if is_extension { "extend type " } else { "type " });
        self.write(object);
        if is_entity {
            self.write(" implements Named");
        }
        if is_entity && !self.errs() {
            let key = match self.graph.has_interface_object {
                true => "id",
                false => self.random.pick(&["id", "id", "id", "id", "id", "sku", "id sku"]),
            };
            write!(self.text, " @key(fields: \"{key}\"").unwrap();
            let is_resolvable = self.version.is_none() || !self.random.chance(5);
            self.write(if is_resolvable { ")" } else { ", resolvable: false)" });
        }
        if self.has_context && object == "Account" {
            self.write(" @context(name: \"account\")");
        }
        self.write_rare(&[" @inaccessible"], &[" @authenticated"], &[]);
        self.write(" {\n  id: ID!");
        self.write_shareable();
        self.write("\n  sku: ID!");
        self.write_shareable();
        writeln!(self.text, "\n  own_{name}_{object}: Int").unwrap();
        for field in FIELDS {
            let is_known = matches!(field.2, "String" | "Int" | "Kind" | "Named");
            if self.random.chance(55) && (is_known || !self.replaces_interface) {
                self.write_field(object, field);
            }
        }
        self.write_weight(is_entity);
        if self.has_context && object == "Book" {
            let source = self.random.pick(&["sku", "id", "size"]);
            let r#type = if self.errs() { "Boolean" } else { "ID" };
            writeln!(
                self.text,
                "  read_{name}(by: {type} @fromContext(field: \"$account {{ {source} }}\")): Int"
            )
            .unwrap();
        }
        self.write("}\n");
    }

    /// Writes the weight, which the first subgraph resolves for others to require.
    fn write_weight(&mut self, is_entity: bool) {
        let name = self.name;
        if self.random.chance(20) && is_entity && name != "a" {
            let from = if self.errs() { "size" } else { "weight" };
            self.write("  weight: Int @external\n");
            write!(self.text, "  price_{name}: Int @requires(fields: \"{from}\")").unwrap();
            self.write_rare(&[], &[" @authenticated"], &[]);
            self.write("\n");
        } else if self.random.chance(60) || name == "a" {
            self.write("  weight: Int");
            self.write_shareable();
            self.write("\n");
        }
    }

    fn write_field(&mut self, object: &str, (field, arguments, r#type): (&str, &str, &str)) {
        let is_other = self.errs();
        let r#type = match is_other {
            true => self.random.pick(&["Int", "String!", "[Int]", "Named"]),
            false => r#type,
        };
        let arguments = match arguments {
            "" => "",
            _ if self.errs() => "(first: Int = 11)",
            _ if self.errs() => "(first: Int!, kind: Kind)",
            _ if self.random.chance(10) => "(first: Int = 10)",
            arguments => arguments,
        };
        let is_required = self.random.chance(15) && !r#type.ends_with('!');
        let required = if is_required { "!" } else { "" };
        write!(self.text, "  {field}{arguments}: {type}{required}").unwrap();
        if self.provides && object == "Account" && field == "name" {
            return self.write(" @external\n");
        }
        self.write_shareable();
        if self.version.is_some() && self.random.chance(4) {
            let names = self.graph.names.iter();
            let others: Vec<_> = names.filter(|other| **other != self.name).copied().collect();
            let from = self.random.pick(&others);
            write!(self.text, " @override(from: \"{from}\"").unwrap();
            let has_label = self.version >= Some(7) && self.random.chance(30);
            self.write(if has_label { ", label: \"percent(5)\")" } else { ")" });
        }
        let is_list = r#type.starts_with('[');
        let sizes: &[&str] = if is_list { &[" @listSize(assumedSize: 3)"] } else { &[] };
        self.write_rare(
            &[" @inaccessible"],
            &[" @authenticated", " @requiresScopes(scopes: [[\"read\"]])"],
            &[&[" @cost(weight: 2)", " @cost(weight: 3)"], sizes].concat(),
        );
        if self.version.is_some() && self.random.chance(6) {
            self.write(" @tag(name: \"one\")");
        }
        if self.random.chance(3) {
            let reason = self.random.pick(&["", "(reason: \"old\")"]);
            write!(self.text, " @deprecated{reason}").unwrap();
        }
        if self.random.chance(self.graph.mistakes / 2) {
            self.write(" @external");
        }
        self.write("\n");
    }

    /// Writes sometimes a directive of Federation 2, of 2.5, or of 2.9.
    fn write_rare(&mut self, all: &[&str], since_5: &[&str], since_9: &[&str]) {
        for (directives, since) in [(all, 0), (since_5, 5), (since_9, 9)] {
            let is_known = self.version.is_some_and(|version| version >= since);
            if is_known && !directives.is_empty() && self.random.chance(2) {
                let directive = self.random.pick(directives);
                self.write(directive);
            }
        }
    }

    fn write_others(&mut self) {
        if self.replaces_interface {
            self.write("type Named @interfaceObject @key(fields: \"id\") { id: ID! extra: Int }\n");
        } else {
            let key = if self.graph.has_interface_object { " @key(fields: \"id\")" } else { "" };
            let size = if self.errs() { " size: Int" } else { "" };
            writeln!(self.text, "interface Named{key} {{ id: ID!{size} }}").unwrap();
            let more = if self.random.chance(50) { " | Book" } else { "" };
            writeln!(self.text, "union Any = Account{more}").unwrap();
        }
        let more = if self.errs() { " OTHER" } else { "" };
        write!(self.text, "enum Kind {{ ONE TWO").unwrap();
        self.write_rare(&[" @inaccessible"], &[], &[]);
        writeln!(self.text, "{more} }}").unwrap();
        let more = if self.random.chance(30) { " size: Int" } else { "" };
        let default = if self.errs() { "2" } else { "1" };
        writeln!(self.text, "input Filter {{ name: String first: Int = {default}{more} }}")
            .unwrap();
    }
}
