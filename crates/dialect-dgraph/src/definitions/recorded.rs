//! Type definitions as the history of migrations records them: without their secrets, which whoever
//! reads the database would see.

/// The definitions without the values of `# Dgraph.Secret` and `# Dgraph.Authorization`.
#[must_use]
pub fn without_secrets(text: &str) -> String {
    let mut recorded = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match secret(line) {
            Some(before) => {
                let (indent, comment) = before.split_once('#').unwrap_or(("", before));
                recorded.extend([indent, "# left out: ", comment.trim_start(), "\n"]);
            }
            None => recorded.push_str(line),
        }
    }
    recorded
}

/// The part of a line before a secret.
fn secret(line: &str) -> Option<&str> {
    let comment = line.trim_start_matches('\u{feff}').trim_start().strip_prefix('#')?.trim_start();
    let rest = match comment.strip_prefix("Dgraph.Secret") {
        Some(rest) => {
            let name = rest.trim_start();
            name.find(char::is_whitespace).map_or("", |end| &name[end..])
        }
        None => comment.strip_prefix("Dgraph.Authorization")?,
    };
    line.len().checked_sub(rest.len()).and_then(|end| line.get(..end)).map(str::trim_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out() {
        let text = "type A { id: ID! } # Dgraph.Secret is a comment\n # Dgraph.Secret key \"word\"\n\
                    #Dgraph.Secret key \"a # word\"\r\n# Dgraph.Authorization {\"VerificationKey\":\"word\"}\n\
                    # Dgraph.Allow-Origin \"a\"";
        let expected = "type A { id: ID! } # Dgraph.Secret is a comment\n # left out: Dgraph.Secret key\n\
                        # left out: Dgraph.Secret key\n# left out: Dgraph.Authorization\n\
                        # Dgraph.Allow-Origin \"a\"";
        assert_eq!(without_secrets(text), expected);
        let recorded = [expected, "\ntype B { c: Int }"].concat();
        assert!(super::super::read(&recorded.replace("{ id: ID! }", "{ d: Int }")).is_ok());
    }
}
