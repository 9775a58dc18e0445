//! Changes of a database's constraints and indexes.

use super::Printer;
use crate::flavor::Flavor;
use crate::tree::{Name, SchemaChange};

/// Prints a change as a statement.
#[must_use]
pub fn print_schema(change: &SchemaChange, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    printer.schema_change(change);
    printer.out
}

impl Printer<'_> {
    fn schema_change(&mut self, change: &SchemaChange) {
        match change {
            SchemaChange::CreateUnique { name, label, property } => {
                self.out.push_str("CREATE CONSTRAINT ");
                self.made_for(name, label);
                self.out.push_str(" REQUIRE t0.");
                self.name(property);
                self.out.push_str(" IS UNIQUE");
            }
            SchemaChange::CreateFulltext { name, label, properties } => {
                self.out.push_str("CREATE FULLTEXT INDEX ");
                self.made_for(name, label);
                self.out.push_str(" ON EACH [");
                for (place, property) in properties.iter().enumerate() {
                    self.comma(place);
                    self.out.push_str("t0.");
                    self.name(property);
                }
                self.out.push(']');
            }
            SchemaChange::CreateVector { name, label, property } => {
                self.out.push_str("CREATE VECTOR INDEX ");
                self.made_for(name, label);
                self.out.push_str(" ON (t0.");
                self.name(property);
                self.out.push(')');
            }
        }
    }

    fn made_for(&mut self, name: &Name, label: &Name) {
        self.name(name);
        self.out.push_str(" IF NOT EXISTS FOR (t0:");
        self.name(label);
        self.out.push(')');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name(text.into())
    }

    #[test]
    fn names_are_quoted_everywhere() {
        let unique = SchemaChange::CreateUnique {
            name: name("a`b"),
            label: name("c\\u0060d"),
            property: name("e f"),
        };
        assert_eq!(
            print_schema(&unique, &Flavor::of_version(4, 4)),
            "CREATE CONSTRAINT `a``b` IF NOT EXISTS FOR (t0:`c\\u005Cu0060d`) \
             REQUIRE t0.`e f` IS UNIQUE"
        );
        let fulltext = SchemaChange::CreateFulltext {
            name: name("i"),
            label: name("L"),
            properties: vec![name("p"), name("q`")],
        };
        assert_eq!(
            print_schema(&fulltext, &Flavor::NEWEST),
            "CYPHER 5 CREATE FULLTEXT INDEX `i` IF NOT EXISTS FOR (t0:`L`) \
             ON EACH [t0.`p`, t0.`q```]"
        );
        let vector =
            SchemaChange::CreateVector { name: name("v"), label: name("L"), property: name("e`") };
        assert_eq!(
            print_schema(&vector, &Flavor::of_version(5, 23)),
            "CREATE VECTOR INDEX `v` IF NOT EXISTS FOR (t0:`L`) ON (t0.`e```)"
        );
    }
}
