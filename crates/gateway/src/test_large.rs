//! A large generated supergraph for tests: entities with one or several keys, links between them,
//! required and provided fields, interfaces, and value types that all subgraphs share.

use std::fmt::Write;

/// Size of a supergraph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub subgraphs: usize,
    pub entities: usize,
    pub interfaces: usize,
    pub values: usize,
    pub roots: usize,
}

/// 500 types with more than 5,000 fields in 12 subgraphs.
pub(crate) const LARGE: Size =
    Size { subgraphs: 12, entities: 400, interfaces: 40, values: 59, roots: 100 };

impl Size {
    /// Returns the subgraphs that have an entity: its own, and two that extend it.
    fn owners(self, entity: usize) -> [usize; 3] {
        let own = entity % self.subgraphs;
        let first = (own + 1 + entity / self.subgraphs % (self.subgraphs / 2 - 1)) % self.subgraphs;
        let second =
            (own + self.subgraphs / 2 + entity / 7 % (self.subgraphs / 2 - 1)) % self.subgraphs;
        [own, first, second]
    }

    /// Returns the first entity from an index on that a subgraph has.
    fn entity_in(self, subgraph: usize, from: usize) -> usize {
        let mut places = (0..self.entities).map(|step| (from + step) % self.entities);
        places.find(|entity| self.owners(*entity).contains(&subgraph)).unwrap_or(0)
    }

    /// Returns the supergraph.
    pub(crate) fn supergraph(self) -> String {
        // Writing to a string cannot fail.
        let mut text = String::from(
            "schema @link(url: \"https://specs.apollo.dev/link/v1.0\") \
             @link(url: \"https://specs.apollo.dev/join/v0.3\", for: EXECUTION) { query: Query }\n\
             enum join__Graph {\n",
        );
        for subgraph in 0..self.subgraphs {
            let _ = writeln!(
                text,
                "  S{subgraph} @join__graph(name: \"s{subgraph}\", url: \"http://s{subgraph}\")"
            );
        }
        text.push_str("}\n");
        self.roots(&mut text);
        for entity in 0..self.entities {
            self.entity(entity, &mut text);
        }
        for interface in 0..self.interfaces {
            let _ = write!(text, "interface I{interface}");
            self.everywhere(&mut text);
            text.push_str(" { id: ID! name: String }\n");
        }
        for value in 0..self.values {
            let _ = write!(text, "type V{value}");
            self.everywhere(&mut text);
            text.push_str(" {");
            for field in 0..10 {
                let _ = write!(text, " v{field}: {}", ["String", "Int", "Float"][field % 3]);
            }
            text.push_str(" }\n");
        }
        text
    }

    fn everywhere(self, text: &mut String) {
        for subgraph in 0..self.subgraphs {
            let _ = write!(text, " @join__type(graph: S{subgraph})");
        }
    }

    fn roots(self, text: &mut String) {
        text.push_str("type Query");
        self.everywhere(text);
        text.push_str(" {\n");
        for root in 0..self.roots {
            let [own, ..] = self.owners(root);
            let _ =
                writeln!(text, "  t{root}s(first: Int): [T{root}!] @join__field(graph: S{own})");
        }
        text.push_str("}\n");
    }

    fn entity(self, entity: usize, text: &mut String) {
        let [own, first, second] = self.owners(entity);
        let interface = entity % self.interfaces;
        let _ = write!(text, "type T{entity} implements I{interface}");
        for subgraph in [own, first, second] {
            let _ = write!(
                text,
                " @join__implements(graph: S{subgraph}, interface: \"I{interface}\") \
                 @join__type(graph: S{subgraph}, key: \"id\")"
            );
        }
        if entity.is_multiple_of(5) {
            let _ = write!(
                text,
                " @join__type(graph: S{own}, key: \"code\") @join__type(graph: S{first}, key: \"code\")"
            );
        }
        let one = self.entity_in(own, entity * 13 + 1);
        let many = self.entity_in(first, entity * 17 + 5);
        let near = self.entity_in(second, entity * 3 + 2) % self.interfaces;
        let value = entity % self.values;
        let provides = if self.owners(one)[0] == own { "" } else { ", provides: \"name\"" };
        let shared = format!("@join__field(graph: S{own})");
        let outside = format!(
            "@join__field(graph: S{first}, external: true) @join__field(graph: S{second}, external: true)"
        );
        let requires = if entity.is_multiple_of(4) {
            format!("@join__field(graph: S{second}, requires: \"a b\")")
        } else {
            format!("@join__field(graph: S{second})")
        };
        let _ = writeln!(
            text,
            " {{
  id: ID!
  code: String @join__field(graph: S{own}) @join__field(graph: S{first})
  name: String {shared} {outside}
  a: Int {shared} @join__field(graph: S{second}, external: true)
  b: Float {shared} @join__field(graph: S{second}, external: true)
  c(first: Int): String @join__field(graph: S{first})
  d: String {requires}
  e: Boolean @join__field(graph: S{first}) @join__field(graph: S{second})
  one: T{one} @join__field(graph: S{own}{provides})
  many: [T{many}!] @join__field(graph: S{first})
  near: [I{near}] @join__field(graph: S{second})
  value: V{value} {shared}
}}"
        );
    }

    /// Returns a query of this many fields, which uses all kinds of links.
    pub(crate) fn query(self, fields: usize) -> String {
        let mut left = fields;
        let mut text = String::from("{");
        let mut root = 0;
        while left > 0 {
            let _ = write!(text, " t{root}s(first: 3)");
            left -= 1;
            self.select(root, 3, &mut left, &mut text);
            root = (root + 7) % self.roots;
        }
        text.push_str(" }");
        text
    }

    fn select(self, entity: usize, depth: usize, left: &mut usize, text: &mut String) {
        let [own, first, _] = self.owners(entity);
        text.push_str(" { id");
        for leaf in ["name", "a", "c", "d", "e"] {
            if *left > 0 {
                *left -= 1;
                text.push(' ');
                text.push_str(leaf);
            }
        }
        let links = [
            ("one", self.entity_in(own, entity * 13 + 1)),
            ("many", self.entity_in(first, entity * 17 + 5)),
        ];
        for (name, linked) in links {
            if *left > 0 && depth > 0 {
                *left -= 1;
                text.push(' ');
                text.push_str(name);
                self.select(linked, depth - 1, left, text);
            }
        }
        if *left > 3 {
            *left -= 3;
            text.push_str(" near { id name }");
        }
        if *left > 2 {
            *left -= 2;
            text.push_str(" value { v1 }");
        }
        text.push_str(" }");
    }
}
