//! Names that are unique without regard to case: SQLite compares names so.

use std::collections::HashSet;

use sql::own::OWN_PREFIX;

/// Most bytes of a name: PostgreSQL cuts longer ones.
const LONGEST: usize = 63;

/// Most bytes of the name of a table: triggers and keys have longer ones, which begin with it.
const LONGEST_OF_TABLE: usize = 48;

/// The beginning of names that SQLite keeps for itself.
const OF_SQLITE: &str = "sqlite_";

/// Columns that each table of PostgreSQL has already.
const OF_POSTGRES: [&str; 6] = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"];

/// Names that are taken, without regard to case.
#[derive(Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// Takes a name away from later ones.
    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_ascii_lowercase());
    }

    /// A name for an index or a constraint.
    pub fn take(&mut self, wanted: &str) -> Box<str> {
        self.take_within(wanted, LONGEST)
    }

    /// A name for a column. Names that PostgreSQL keeps for itself get another beginning in SQLite, too, so
    /// that rows can move between both.
    pub fn column(&mut self, wanted: &str) -> Box<str> {
        match OF_POSTGRES.iter().any(|kept| kept.eq_ignore_ascii_case(wanted)) {
            true => self.take_within(&format!("_{wanted}"), LONGEST),
            false => self.take_within(wanted, LONGEST),
        }
    }

    /// A name for a table. Names that databases and Thalweg keep for themselves get another
    /// beginning.
    pub fn table(&mut self, wanted: &str) -> Box<str> {
        let lower = wanted.to_ascii_lowercase();
        match lower.starts_with(OWN_PREFIX) || lower.starts_with(OF_SQLITE) {
            true => self.take_within(&format!("_{wanted}"), LONGEST_OF_TABLE),
            false => self.take_within(wanted, LONGEST_OF_TABLE),
        }
    }

    /// The wanted name, cut to a length, with the first number that makes it another name.
    fn take_within(&mut self, wanted: &str, most: usize) -> Box<str> {
        let mut name = cut(wanted, most).to_owned();
        let mut number = 2;
        while !self.taken.insert(name.to_ascii_lowercase()) {
            let ending = format!("_{number}");
            name = [cut(wanted, most - ending.len()), &ending].concat();
            number += 1;
        }
        name.into()
    }
}

/// The beginning of a text that has at most so many bytes.
fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_that_differ_in_case_only_get_a_number() {
        let mut names = Names::default();
        let taken: Vec<Box<str>> =
            ["Post", "post", "POST", "Author"].iter().map(|name| names.table(name)).collect();
        assert_eq!(taken, ["Post".into(), "post_2".into(), "POST_3".into(), "Author".into()]);
    }

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let mut names = Names::default();
        let long = "é".repeat(40);
        let first = names.table(&long);
        let second = names.table(&long);
        assert_eq!((first.len(), second.len()), (48, 48));
        assert_ne!(first, second);
    }

    #[test]
    fn names_that_are_kept_begin_otherwise() {
        let mut names = Names::default();
        assert_eq!(&*names.table("thalweg_x"), "_thalweg_x");
        assert_eq!(&*names.table("SQLite_stat1"), "_SQLite_stat1");
        let mut names = Names::default();
        let columns = ["ctid", "Xmin", "_xmin"].map(|wanted| names.column(wanted));
        assert_eq!(columns, ["_ctid".into(), "_Xmin".into(), "_xmin_2".into()]);
    }
}
