//! Files of statements.

/// The statements of a text, which end with semicolons, as in Neo4j's shell.
///
/// A semicolon in a text, in a quoted name or in a comment ends nothing.
#[must_use]
pub fn split(text: &str) -> Vec<&str> {
    let mut statements = Vec::new();
    let mut start = 0;
    // Whether there was more than space and comments since the start.
    let mut says_something = false;
    let mut rest = text.char_indices().peekable();
    while let Some((index, character)) = rest.next() {
        let next = rest.peek().map(|(_, character)| *character);
        match (character, next) {
            (';', _) => {
                if says_something {
                    statements.push(text[start..index].trim());
                }
                (start, says_something) = (index + 1, false);
            }
            ('/', Some('/')) => {
                while rest.next_if(|(_, character)| *character != '\n').is_some() {}
            }
            ('/', Some('*')) => {
                let mut before = ' ';
                for (_, character) in rest.by_ref().skip(1) {
                    if (before, character) == ('*', '/') {
                        break;
                    }
                    before = character;
                }
            }
            (quote @ ('\'' | '"' | '`'), _) => {
                says_something = true;
                while let Some((_, character)) = rest.next() {
                    // Names know no backslash. A doubled backtick is two names side by side here,
                    // which comes to the same.
                    if character == '\\' && quote != '`' {
                        rest.next();
                    } else if character == quote {
                        break;
                    }
                }
            }
            _ => says_something |= !character.is_whitespace(),
        }
    }
    if says_something {
        statements.push(text[start..].trim());
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(split(text), expected, "{text}");
    }

    #[test]
    fn statements_end_with_semicolons() {
        check("", &[]);
        check("CREATE (a);\n\nMATCH (b)\nRETURN b;\n", &["CREATE (a)", "MATCH (b)\nRETURN b"]);
        check("RETURN 1; RETURN 2", &["RETURN 1", "RETURN 2"]);
        check(";; ;", &[]);
    }

    #[test]
    fn semicolons_in_texts_names_and_comments_end_nothing() {
        check(r"RETURN 'a;\';b';", &[r"RETURN 'a;\';b'"]);
        check(r#"RETURN ";'\\";RETURN 2"#, &[r#"RETURN ";'\\""#, "RETURN 2"]);
        check(r"MATCH (`a;``;\`) RETURN 1;", &[r"MATCH (`a;``;\`) RETURN 1"]);
        check("RETURN 1 // one; two\n;RETURN 2", &["RETURN 1 // one; two", "RETURN 2"]);
        check("RETURN 1 /* ; */;", &["RETURN 1 /* ; */"]);
    }

    #[test]
    fn comments_alone_are_no_statement() {
        check("// Nothing; here.\n/* or; here */ ;\nRETURN 1", &["RETURN 1"]);
    }
}
