//! Temporary triggers that report changed rows.

use std::fmt::{self, Write};

use super::Printer;
use crate::Flavor;
use crate::tree::{ObservedChange, RowObserver};

/// Prints the definition of a temporary trigger.
#[must_use]
pub fn print_row_observer(observer: &RowObserver) -> String {
    let mut printer = Printer::new(&Flavor::SQLITE);
    // Writing to a string cannot fail.
    let _ = printer.row_observer(observer);
    printer.out
}

impl Printer<'_> {
    fn row_observer(&mut self, observer: &RowObserver) -> fmt::Result {
        self.out.push_str("CREATE TEMP TRIGGER ");
        self.identifier(&observer.name);
        let (event, rows): (_, &[&str]) = match observer.change {
            ObservedChange::Insert => (" AFTER INSERT ON main.", &["NEW."]),
            ObservedChange::Update => (" AFTER UPDATE ON main.", &["OLD.", "NEW."]),
            ObservedChange::Delete => (" AFTER DELETE ON main.", &["OLD."]),
        };
        self.out.push_str(event);
        self.identifier(&observer.on);
        self.out.push_str(" BEGIN SELECT ");
        self.identifier(&observer.function);
        write!(self.out, "({}, {}", observer.table, observer.change.number())?;
        for row in rows {
            for column in &observer.columns {
                self.out.push_str(", ");
                self.out.push_str(row);
                self.identifier(column);
            }
        }
        self.out.push_str("); END");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Identifier;

    #[test]
    fn an_observer_passes_the_values_before_and_after() {
        let check = |change, expected: &str| {
            let name = |name: &str| Identifier(name.into());
            let columns = vec![name("a"), name("b\"c")];
            let [name, on, function] = ["o", "t", "f"].map(name);
            let observer = RowObserver { name, on, change, function, table: 7, columns };
            assert_eq!(print_row_observer(&observer), expected);
        };
        check(
            ObservedChange::Insert,
            r#"CREATE TEMP TRIGGER "o" AFTER INSERT ON main."t" BEGIN SELECT "f"(7, 0, NEW."a", NEW."b""c"); END"#,
        );
        check(
            ObservedChange::Update,
            r#"CREATE TEMP TRIGGER "o" AFTER UPDATE ON main."t" BEGIN SELECT "f"(7, 1, OLD."a", OLD."b""c", NEW."a", NEW."b""c"); END"#,
        );
        check(
            ObservedChange::Delete,
            r#"CREATE TEMP TRIGGER "o" AFTER DELETE ON main."t" BEGIN SELECT "f"(7, 2, OLD."a", OLD."b""c"); END"#,
        );
    }
}
