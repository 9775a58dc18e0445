//! Dependencies as text, for `explain`.

use std::fmt::Write as _;

use catalog::Catalog;

use crate::dependencies::{Dependencies, ReadRows};

/// Prints the changes after which a subscription is executed again.
#[must_use]
pub fn print(dependencies: &Dependencies, catalog: &Catalog) -> String {
    let Dependencies { entities, fields, views, is_timed } = dependencies;
    let mut text = String::from("executed again after a change of\n");
    for (entity, rows) in entities {
        let _ = write!(text, "  {}", catalog[*entity].name);
        let read = fields.iter().map(|field| &catalog[*field]);
        let read: Vec<&str> =
            read.filter(|field| field.entity == *entity).map(|field| &*field.name).collect();
        if !read.is_empty() {
            let _ = write!(text, " ({})", read.join(", "));
        }
        match views.contains(entity) {
            true => text.push_str(
                ": a view, by its tables; in each interval where their changes are not reported",
            ),
            false => print_rows(rows, catalog, &mut text),
        }
        text.push('\n');
    }
    if *is_timed {
        text.push_str(
            "and in each interval: it calls a function, reads a materialized view or a table of another \
             server, or contains the current time\n",
        );
    }
    text
}

/// Prints the rows of an entity. Values are not printed: they may be secrets of a session.
fn print_rows(rows: &ReadRows, catalog: &Catalog, text: &mut String) {
    let ReadRows::Where(values) = rows else { return };
    let mut names: Vec<&str> = values.iter().map(|value| &*catalog[value.field].name).collect();
    names.dedup();
    match names.as_slice() {
        [] => text.push_str(": no row"),
        names => {
            let count = match values.len() {
                1 => "one value",
                _ => "some values",
            };
            let _ = write!(text, ": rows with {count} of {}", names.join(", "));
        }
    }
}
