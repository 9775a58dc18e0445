//! Redaction of addresses for logs, errors and pages: without users, passwords and tokens.
//!
//! One function handles all kinds of addresses, also malformed ones: a typing mistake must not print
//! the password. In doubt it hides too much.

use std::borrow::Cow;

/// The replacement of hidden text.
pub const HIDDEN: &str = "…";

/// Names of parameters whose values are not secret; all others are hidden.
const HARMLESS: [&str; 18] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "load_balance_hosts",
    "options",
    "port",
    "service",
    "sslmode",
    "sslnegotiation",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
    "timeout",
];

/// Redacts an address, also a malformed one.
///
/// Hides the text between the scheme and the last `@`; without an `@`, text in the place of a port that
/// is not a number; and the values of parameters that are not known to be harmless.
#[must_use]
pub fn address(text: &str) -> Cow<'_, str> {
    if is_graph_reference(text) {
        return Cow::Borrowed(text);
    }
    // A password may contain an `@`, so the last one ends it.
    if let Some(at) = text.rfind('@') {
        let start = authority(&text[..at]);
        let user = if start < at { HIDDEN } else { "" };
        let after = parameters(&text[at..]);
        return [&text[..start], user, &after].concat().into();
    }
    let start = authority(text);
    let is_address = text[..start].ends_with('/') && text[..start].contains([':', '/']);
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |place| start + place);
    if let (true, Some(colon)) = (is_address, no_port(&text[start..end])) {
        // A user without a host, whose password may continue after a slash.
        return [&text[..start + colon], HIDDEN].concat().into();
    }
    parameters(text)
}

/// Whether the text is `uplink:GRAPH@VARIANT`, whose `@` ends no password.
fn is_graph_reference(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_letter);
    let parts = text.strip_prefix("uplink:").and_then(|name| name.split_once('@'));
    parts.is_some_and(|(graph, variant)| is_name(graph) && is_name(variant))
}

/// The start of the user, the password and the host: after the scheme and its slashes, or what resembles
/// them.
fn authority(text: &str) -> usize {
    let separators = [':', '/', '\\', ' '];
    let Some(first) = text.find(separators) else { return 0 };
    let more = text[first..].bytes().take_while(|byte| b":/\\ ".contains(byte)).count();
    // A second colon may end an empty user.
    let once = text[first + 1..first + more].find(':').map_or(more, |colon| colon + 1);
    first + once
}

/// The position after the first colon of a list of hosts that is not followed by a port.
fn no_port(hosts: &str) -> Option<usize> {
    let mut start = 0;
    for host in hosts.split(',') {
        // An IPv6 address contains colons.
        let bare = host.rfind(']').unwrap_or(0);
        if let Some(colon) = host[bare..].find(':').map(|place| bare + place + 1)
            && !host[colon..].bytes().all(|byte| byte.is_ascii_digit())
        {
            return Some(start + colon);
        }
        start += host.len() + 1;
    }
    None
}

/// Hides the values of parameters: `?name=value&…`, and `name=value …` as in libpq.
fn parameters(text: &str) -> Cow<'_, str> {
    if !text.contains('=') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(equals) = rest.find('=') {
        let (before, after) = rest.split_at(equals + 1);
        shown.push_str(before);
        let before = before.trim_end_matches([' ', '=']);
        let name = before.rsplit(['?', '&', ';', ' ', '\t', '\n', '#']).next().unwrap_or_default();
        // A quoted value may contain any separator.
        let end = match after.trim_start().starts_with(['\'', '"']) {
            true => after.len(),
            false => after.find(['&', ';', ' ', '\t', '\n']).unwrap_or(after.len()),
        };
        let (value, after) = after.split_at(end);
        let is_harmless = HARMLESS.contains(&name) && !value.contains(['\'', '"']);
        shown.push_str(if is_harmless || value.is_empty() { value } else { HIDDEN });
        rest = after;
    }
    shown.push_str(rest);
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_harmless_is_shown() {
        let check = |text: &str| assert_eq!(address(text), text);
        for text in [
            "",
            "shop.db",
            "/data/a b.db",
            "C:\\data\\shop.db",
            "sqlite:/data/shop.db",
            "unix:/run/a.sock:/graphql",
            "http://reviews:4001/graphql",
            "https://[::1]:4001/graphql",
            "http://a/b:c",
            "postgres://h1:1,h2:2/shop?sslmode=require",
            "postgres://db/shop?connect_timeout=5&host=/run/pg",
            "uplink:shop-1@current_2",
            "s3://bucket/supergraph.graphql",
        ] {
            check(text);
        }
    }

    #[test]
    fn what_is_hidden_stands_for_all_of_it() {
        let check = |text: &str, expected: &str| assert_eq!(address(text), expected, "{text}");
        check("postgres://u:p@h/d", "postgres://…@h/d");
        check("postgres://u:p@ss@h/d", "postgres://…@h/d");
        check("postgres//u:p@h/d", "postgres//…@h/d");
        check("postgres:/u:p@h/d", "postgres:/…@h/d");
        check("postgres:u:p@h", "postgres:…@h");
        check("u:p@h", "u:…@h");
        check("https://u:p/q@h/s?a=1", "https://…@h/s?a=…");
        check("postgres://u:secret", "postgres://u:…");
        check("postgres://u:sec/ret", "postgres://u:…");
        check("https://h/s?token=a&sslmode=x", "https://h/s?token=…&sslmode=x");
        check("uplink:u:p@h", "uplink:…@h");
        check("uplink:u@h/d", "uplink:…@h/d");
        check("host=h password=a b", "host=h password=… b");
        check("host=h password = 'a b' port=1", "host=h password =…");
    }

    #[test]
    fn no_malformed_address_shows_its_password() {
        // All combinations of beginnings, separators, passwords and ends.
        let begins = [
            "postgres://",
            "postgres//",
            "postgres:/",
            "postgres:",
            "postgres/",
            "postgres:///",
            "postgres:\\\\",
            "Postgres ://",
            "://",
            "//",
            ":",
            "",
            "https://",
            "htps:/",
            "neo4j+s://",
            "neo4j+s//",
            "bolt:",
            "sqlite://",
            " postgres://",
            "jdbc:postgresql://",
            "unix://",
        ];
        let users = ["u:", "u%40x:", ":", "u:u:", "[u:", "u]:", "u ", "u/:"];
        let passwords = [
            "SECRET",
            "SEC@RET",
            "SEC:RET",
            "SEC/RET",
            "SEC//RET",
            "SEC?RET",
            "SEC#RET",
            "SEC://RET",
            "@SECRET@",
            "SEC&RET",
            "SEC=RET",
            "SEC RET",
            "%53ECRET",
            "SEC[RET]",
            "ü€SECRET",
        ];
        let ends = ["@h/d", "@h:5432/d?sslmode=require", "@", "@@h", "@[::1]/d", "@h/d@v2"];
        for begin in begins {
            for user in users {
                for password in passwords {
                    for end in ends {
                        let text = [begin, user, password, end].concat();
                        let shown = address(&text);
                        assert!(!shown.contains("SEC"), "{shown} of {text}");
                        assert!(!shown.contains("RET"), "{shown} of {text}");
                    }
                }
            }
        }
    }
}
