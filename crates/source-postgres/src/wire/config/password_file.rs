//! libpq's password file, see <https://www.postgresql.org/docs/current/libpq-pgpass.html>.

use std::path::Path;

use super::Secret;

/// The values that a line must match.
#[derive(Debug, Clone, Copy)]
pub(super) struct PasswordLookup<'a> {
    pub(super) host: &'a str,
    pub(super) port: &'a str,
    pub(super) database: &'a str,
    pub(super) user: &'a str,
}

/// Reads the file if it exists. Like libpq, a file that others may read is not used.
pub(super) fn read(path: &Path) -> Option<String> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() {
        return None;
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0 {
        tracing::warn!(?path, "the password file is readable by others and is not used");
        return None;
    }
    std::fs::read_to_string(path).ok()
}

/// The password of the first line that matches.
pub(super) fn find(text: &str, lookup: PasswordLookup<'_>) -> Option<Secret> {
    text.lines().find_map(|line| match_line(line, lookup))
}

fn match_line(line: &str, lookup: PasswordLookup<'_>) -> Option<Secret> {
    if line.starts_with('#') {
        return None;
    }
    let mut rest = line;
    for value in [lookup.host, lookup.port, lookup.database, lookup.user] {
        let (field, after) = split_field(rest)?;
        if field != "*" && unescape(field) != value {
            return None;
        }
        rest = after;
    }
    Some(Secret::new(unescape(rest)))
}

/// A field up to a colon that is not escaped, and the rest after the colon.
fn split_field(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b':' => return Some((text.get(..at)?, text.get(at + 1..)?)),
            _ => {}
        }
    }
    None
}

fn unescape(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut characters = field.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.extend(characters.next()),
            character => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, password: Option<&str>) {
        let lookup =
            PasswordLookup { host: "db.example", port: "5432", database: "a:b", user: r"c\d" };
        assert_eq!(find(line, lookup), password.map(Secret::new), "{line}");
    }

    #[test]
    fn lines_match_with_wildcards_and_escapes() {
        check(r"db.example:5432:a\:b:c\\d:secret", Some("secret"));
        check(r"*:*:*:*:with\:colon\\", Some(r"with:colon\"));
        check(r"*:*:*:*:a:b", Some("a:b"));
        check(r"\*:*:*:*:x", None);
        check(r"db.example:5433:*:*:x", None);
        check(r"#*:*:*:*:x", None);
        check("*:*:*", None);
        check("other:*:*:*:first\n*:*:*:*:second\n*:*:*:*:third", Some("second"));
    }
}
