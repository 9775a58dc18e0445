//! Queries by the names that tables and columns have before they are renamed: checks run before the
//! first step.

use sql::Identifier;
use sql::tree::definition::{Condition, TableRows, Term};

/// Names before and after a migration renames them.
#[derive(Debug, Default)]
pub(in crate::migration) struct Actual {
    /// New and old names.
    tables: Vec<(Box<str>, Box<str>)>,
    /// New names of tables, with new and old names of their columns.
    columns: Vec<(Box<str>, Box<str>, Box<str>)>,
}

impl Actual {
    pub(super) fn table(&mut self, new: &str, old: &str) {
        self.tables.push((new.into(), old.into()));
    }

    pub(super) fn column(&mut self, table: &str, new: &str, old: &str) {
        self.columns.push((table.into(), new.into(), old.into()));
    }

    /// Rows by the old names. Recursion is bounded: checks have queries within queries only.
    pub(in crate::migration) fn rows(&self, rows: &TableRows) -> TableRows {
        let TableRows { distinct, terms, from, filter } = rows;
        let table = &*from.name.0;
        let mut from = from.clone();
        from.name = self.old_table(table);
        TableRows {
            distinct: *distinct,
            terms: terms.iter().map(|term| self.term(table, term)).collect(),
            from,
            filter: filter.as_ref().map(|filter| self.condition(table, filter)),
        }
    }

    fn old_table(&self, new: &str) -> Identifier {
        let own = self.tables.iter().find(|(name, _)| **name == *new);
        Identifier(own.map_or(new, |(_, old)| old).into())
    }

    fn old_column(&self, table: &str, column: &Identifier) -> Identifier {
        let own = self.columns.iter().find(|(of, new, _)| **of == *table && *new == column.0);
        own.map_or_else(|| column.clone(), |(_, _, old)| Identifier(old.clone()))
    }

    fn term(&self, table: &str, term: &Term) -> Term {
        let boxed = |term: &Term| Box::new(self.term(table, term));
        match term {
            Term::Null(_) | Term::Text(_) | Term::Number(_) | Term::Literal(..) | Term::Now => {
                term.clone()
            }
            Term::NowInUtc | Term::CountRows | Term::New(_) | Term::Old(_) => term.clone(),
            Term::OrElse(left, right) => Term::OrElse(boxed(left), boxed(right)),
            Term::Column(column) => Term::Column(self.old_column(table, column)),
            Term::Of(of, column) => {
                let mut old = of.clone();
                old.name = self.old_table(&of.name.0);
                Term::Of(old, self.old_column(&of.name.0, column))
            }
            Term::Cast(own, data_type) => Term::Cast(boxed(own), data_type.clone()),
            Term::When(condition, own) => {
                Term::When(Box::new(self.condition(table, condition)), boxed(own))
            }
            Term::ListOf(own, data_type) => Term::ListOf(boxed(own), data_type.clone()),
            Term::FirstElement(own) => Term::FirstElement(boxed(own)),
            Term::ListLength(own) => Term::ListLength(boxed(own)),
            Term::Surplus(column) => Term::Surplus(self.old_column(table, column)),
            Term::Minimum(own) => Term::Minimum(boxed(own)),
            Term::Query(rows) => Term::Query(Box::new(self.rows(rows))),
        }
    }

    fn condition(&self, table: &str, condition: &Condition) -> Condition {
        let term = |term: &Term| self.term(table, term);
        match condition {
            Condition::Equal(left, right) => Condition::Equal(term(left), term(right)),
            Condition::NotEqual(left, right) => Condition::NotEqual(term(left), term(right)),
            Condition::AtMost(left, right) => Condition::AtMost(term(left), term(right)),
            Condition::More(left, right) => Condition::More(term(left), term(right)),
            Condition::Within(own, least, most) => Condition::Within(term(own), *least, *most),
            Condition::Outside(own, least, most) => Condition::Outside(term(own), *least, *most),
            Condition::IsWhole(own, least, most) => Condition::IsWhole(term(own), *least, *most),
            Condition::IsNumeral(own, numeral) => Condition::IsNumeral(term(own), *numeral),
            Condition::IsNull(own) => Condition::IsNull(term(own)),
            Condition::IsNotNull(own) => Condition::IsNotNull(term(own)),
            Condition::OneOf(own, texts) => Condition::OneOf(term(own), texts.clone()),
            Condition::NotOneOf(own, texts) => Condition::NotOneOf(term(own), texts.clone()),
            Condition::ElementsOneOf(column, texts) => {
                Condition::ElementsOneOf(self.old_column(table, column), texts.clone())
            }
            Condition::IsJsonArray(column) => {
                Condition::IsJsonArray(self.old_column(table, column))
            }
            Condition::Among(own, rows) => Condition::Among(term(own), Box::new(self.rows(rows))),
            Condition::NotAmong(own, rows) => {
                Condition::NotAmong(term(own), Box::new(self.rows(rows)))
            }
            Condition::Not(own) => Condition::Not(Box::new(self.condition(table, own))),
            Condition::All(all) => {
                Condition::All(all.iter().map(|own| self.condition(table, own)).collect())
            }
        }
    }
}
