//! Batches: one statement for several sets of parameters.
//!
//! Each parameter that differs is an array of texts with an element for each set. The query is
//! printed with columns in the places of these parameters, and is evaluated once for each row of the
//! arrays. Its rows have the number of their set, from 1, in the last column.
//!
//! The casts of the texts call the input functions of the types, as binding a parameter does.

use std::fmt::{self, Write as _};

use super::Printer;
use crate::flavor::Flavor;
use crate::tree::{Parameter, Select, TableName};

/// Prints a query for a batch, in which these parameters differ.
#[must_use]
pub fn print_batch_member(select: &Select, batched: &[Parameter], flavor: &Flavor) -> String {
    let mut printer = Printer { batched, ..Printer::new(flavor) };
    // Writing to a string cannot fail.
    let _ = printer.select(select);
    printer.out
}

/// Prints the batch of a query that [`print_batch_member`] has printed, with the types of the
/// parameters that differ: for databases with arrays.
#[must_use]
pub fn print_batch(member: &str, batched: &[(Parameter, TableName)], flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    // Writing to a string cannot fail.
    let _ = printer.batch(member, batched);
    printer.out
}

impl Printer<'_> {
    fn batch(&mut self, member: &str, batched: &[(Parameter, TableName)]) -> fmt::Result {
        self.out.push_str("SELECT page.*, batch.number FROM (SELECT ");
        for (parameter, r#type) in batched {
            write!(self.out, "CAST(list.c{} AS ", parameter.0)?;
            self.table_name(r#type);
            write!(self.out, ") AS c{}, ", parameter.0)?;
        }
        self.out.push_str("list.number FROM unnest(");
        for (index, (parameter, _)) in batched.iter().enumerate() {
            self.comma(index);
            self.parameter(*parameter)?;
        }
        self.out.push_str(") WITH ORDINALITY AS list(");
        for (parameter, _) in batched {
            write!(self.out, "c{}, ", parameter.0)?;
        }
        // PostgreSQL does not merge a subquery with OFFSET into the query around it, so each text is
        // cast once.
        self.out.push_str("number) OFFSET 0) AS batch CROSS JOIN LATERAL (");
        self.out.push_str(member);
        self.out.push_str(") AS page");
        Ok(())
    }

    pub(super) fn batched_column(&mut self, parameter: Parameter) -> fmt::Result {
        write!(self.out, "batch.c{}", parameter.0)
    }
}
