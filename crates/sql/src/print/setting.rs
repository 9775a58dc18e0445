//! Settings of a transaction.

use super::Printer;
use crate::flavor::Flavor;
use crate::tree::Identifier;

/// A statement that sets a setting of PostgreSQL until the end of the transaction. It has no
/// parameters: name and value are quoted.
#[must_use]
pub fn print_set_local(name: &Identifier, value: &str) -> String {
    let mut printer = Printer::new(&Flavor::POSTGRES);
    printer.out.push_str("SET LOCAL ");
    printer.identifier(name);
    printer.out.push_str(" TO ");
    // A backslash means itself or not, by a setting; behind E it never does.
    if value.contains('\\') {
        printer.out.push('E');
        printer.literal(&value.replace('\\', "\\\\"));
    } else {
        printer.literal(value);
    }
    printer.out
}

#[cfg(test)]
mod tests {
    use super::print_set_local;
    use crate::tree::Identifier;

    #[test]
    fn names_and_values_are_quoted() {
        let check = |name: &str, value: &str, expected: &str| {
            assert_eq!(print_set_local(&Identifier(name.into()), value), expected);
        };
        check("role", "reader", r#"SET LOCAL "role" TO 'reader'"#);
        check("jwt.claims.id", "7", r#"SET LOCAL "jwt.claims.id" TO '7'"#);
        check("a\"b", "it's", r#"SET LOCAL "a""b" TO 'it''s'"#);
        check("a", r"\', x = '", r#"SET LOCAL "a" TO E'\\'', x = '''"#);
        check("a", "", r#"SET LOCAL "a" TO ''"#);
    }
}
