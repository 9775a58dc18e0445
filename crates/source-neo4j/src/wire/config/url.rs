//! The parts of an address, `neo4j+s://user:password@host:7687?policy=eu`.

use source::wire::percent;
use source::wire::secret::Secret;

use super::super::error::WireError;
use super::Endpoint;

const DEFAULT_PORT: u16 = 7687;

/// The parts of an address, without its escapes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) scheme: String,
    pub(super) user: Option<String>,
    pub(super) password: Option<Secret>,
    pub(super) endpoint: Endpoint,
    pub(super) query: Vec<(String, String)>,
}

pub(super) fn parse(url: &str) -> Result<Parts, WireError> {
    let (scheme, rest) = url.split_once("://").ok_or_else(|| wrong("it has no scheme"))?;
    if rest.contains('#') {
        return Err(wrong("it has a fragment; a `#` in a password is written as %23"));
    }
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    if query.contains('@') {
        return Err(wrong("it has an `@` behind a `?`; a `?` in a password is written as %3F"));
    }
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    if !path.is_empty() {
        return Err(wrong(
            "it has a path; a database is named by ?database=, and a `/` in a password is \
             written as %2F",
        ));
    }
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    let (user, password) = match user.map(|user| user.split_once(':').unwrap_or((user, ""))) {
        Some((user, password)) => (given(user)?, given(password)?.map(Secret::new)),
        None => (None, None),
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let query = pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((decode(name)?, decode(value)?))
    });
    Ok(Parts {
        scheme: scheme.to_ascii_lowercase(),
        user,
        password,
        endpoint: endpoint(&decode(host)?).ok_or_else(|| wrong("its host or port is malformed"))?,
        query: query.collect::<Result<_, WireError>>()?,
    })
}

/// `host`, `host:7688`, `[::1]`, `[::1]:7688`; also in routing tables.
pub(in super::super) fn endpoint(text: &str) -> Option<Endpoint> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            match after.is_empty() {
                true => (host, None),
                false => (host, Some(after.strip_prefix(':')?)),
            }
        }
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    // Several hosts in one address are known from other databases, and mean nothing here.
    if host.contains([',', ' ', '[', ']']) {
        return None;
    }
    let host = if host.is_empty() { "localhost" } else { host };
    let port = match port {
        Some(port) => port.parse().ok().filter(|port| *port > 0)?,
        None => DEFAULT_PORT,
    };
    Some(Endpoint { host: host.to_owned(), port })
}

/// Nothing between two separators counts as absent.
fn given(text: &str) -> Result<Option<String>, WireError> {
    Ok(Some(decode(text)?).filter(|text| !text.is_empty()))
}

fn decode(text: &str) -> Result<String, WireError> {
    percent::decode(text).ok_or_else(|| wrong("it has a malformed percent escape"))
}

/// The address is not repeated: there may be a password in it.
fn wrong(why: &str) -> WireError {
    WireError::Configuration(["the address is not understood: ", why].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: &str) {
        let shown = match parse(url) {
            Ok(Parts { scheme, user, password, endpoint, query }) => {
                let shown =
                    |secret: Secret| String::from_utf8_lossy(secret.as_bytes()).into_owned();
                let password = password.map(shown);
                format!("{scheme} {user:?} {password:?} {endpoint} {query:?}")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected, "{url}");
    }

    #[test]
    fn an_address_has_a_user_a_host_a_port_and_a_query() {
        check("bolt://", "bolt None None localhost:7687 []");
        check("BOLT+S://db.example/", "bolt+s None None db.example:7687 []");
        check(
            "neo4j://u:p%40%2F@h:1?a=b%20c&d",
            r#"neo4j Some("u") Some("p@/") h:1 [("a", "b c"), ("d", "")]"#,
        );
        check("bolt://u@h", r#"bolt Some("u") None h:7687 []"#);
        check("bolt://:token@h", r#"bolt None Some("token") h:7687 []"#);
        check("bolt://[::1]", "bolt None None [::1]:7687 []");
        check("bolt://u:a:b@[::1]:7", r#"bolt Some("u") Some("a:b") [::1]:7 []"#);
    }

    #[test]
    fn what_is_no_address_is_refused_without_repeating_it() {
        let wrong = |why: &str| ["the address is not understood: ", why].concat();
        check("localhost:7687", &wrong("it has no scheme"));
        check("bolt://u:%zz@h", &wrong("it has a malformed percent escape"));
        for url in [
            "bolt://a:b:c",
            "bolt://h:0",
            "bolt://h:70000",
            "bolt://[::1",
            "bolt://[::1]7",
            "bolt://a,b",
        ] {
            check(url, &wrong("its host or port is malformed"));
        }
        for (url, why) in [
            ("bolt://u:p#@h", "fragment"),
            ("bolt://u:secret/@h", "path"),
            ("bolt://u:some?secret@h", "%3F"),
        ] {
            let error = parse(url).unwrap_err().to_string();
            assert!(error.contains(why) && !error.contains("secret"), "{error}");
        }
    }
}
