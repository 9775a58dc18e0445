//! Parameters of a connection text that `tokio_postgres` does not support: the other modes of TLS,
//! the root certificates, and whether a port was written or filled in.

use source::wire::percent;

use super::super::error::WireError;

/// A connection text without the parts that this file reads.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Separated {
    pub(super) rest: String,
    pub(super) sslmode: Option<String>,
    pub(super) sslrootcert: Option<String>,
    /// `tokio_postgres` fills in 5432 where a URL names a host only.
    pub(super) has_port: bool,
    pub(super) has_negotiation: bool,
    pub(super) has_channel_binding: bool,
    pub(super) has_session: bool,
}

/// Separates a URL or a text of `name=value` pairs.
pub(super) fn separate(text: &str) -> Result<Separated, WireError> {
    let mut separated = Separated {
        rest: String::with_capacity(text.len()),
        sslmode: None,
        sslrootcert: None,
        has_port: false,
        has_negotiation: false,
        has_channel_binding: false,
        has_session: false,
    };
    let is_url = text.starts_with("postgres://") || text.starts_with("postgresql://");
    if is_url {
        separated.read_url(text)?
    } else {
        separated.read_pairs(text)?
    }
    Ok(separated)
}

impl Separated {
    fn read_url(&mut self, text: &str) -> Result<(), WireError> {
        let (before, query) = text.split_once('?').unwrap_or((text, ""));
        self.has_port = has_port(before);
        self.rest.push_str(before);
        let mut separator = '?';
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if !self.take(&decode(name)?, &decode(value)?) {
                self.rest.push(separator);
                self.rest.push_str(pair);
                separator = '&';
            }
        }
        Ok(())
    }

    /// Pairs are separated by white space; values may be quoted, with `\` before a quote or a
    /// backslash.
    fn read_pairs(&mut self, text: &str) -> Result<(), WireError> {
        let mut rest = text.trim_start();
        while let Some((name, after)) = rest.split_once('=') {
            let (value, length) = quoted_value(after.trim_start());
            let value_and_after = after.trim_start();
            let (written, after) = value_and_after.split_at(length);
            if !self.take(name.trim(), &value) {
                for part in [name.trim(), "=", written, " "] {
                    self.rest.push_str(part);
                }
            }
            rest = after.trim_start();
        }
        self.rest.push_str(rest);
        Ok(())
    }

    /// Takes a parameter; returns whether it is one of these.
    fn take(&mut self, name: &str, value: &str) -> bool {
        match name {
            "sslmode" => self.sslmode = Some(value.to_owned()),
            "sslrootcert" => self.sslrootcert = Some(value.to_owned()),
            "port" => {
                self.has_port = true;
                return false;
            }
            "sslnegotiation" => {
                self.has_negotiation = true;
                return false;
            }
            "channel_binding" => {
                self.has_channel_binding = true;
                return false;
            }
            "target_session_attrs" => {
                self.has_session = true;
                return false;
            }
            _ => return false,
        }
        true
    }
}

/// Whether one of the hosts of a URL (up to its query) has a port.
fn has_port(url: &str) -> bool {
    let after_scheme = url.split_once("://").map_or(url, |(_, after)| after);
    let after_user = after_scheme.rsplit_once('@').map_or(after_scheme, |(_, after)| after);
    let hosts = after_user.split('/').next().unwrap_or_default();
    hosts.split(',').any(|host| {
        let after_address = host.rsplit_once(']').map_or(host, |(_, after)| after);
        after_address.contains(':')
    })
}

/// The value at the beginning, and how many bytes it is written with.
fn quoted_value(text: &str) -> (String, usize) {
    let quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut characters = text.char_indices().skip(usize::from(quoted));
    while let Some((at, character)) = characters.next() {
        match character {
            '\'' if quoted => return (value, at + 1),
            '\\' => value.extend(characters.next().map(|(_, character)| character)),
            character if !quoted && character.is_whitespace() => return (value, at),
            character => value.push(character),
        }
    }
    (value, text.len())
}

fn decode(text: &str) -> Result<String, WireError> {
    percent::decode(text).ok_or_else(|| {
        WireError::Configuration("the connection URL has a malformed percent escape".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, rest: &str, sslmode: Option<&str>, sslrootcert: Option<&str>) {
        let separated = separate(text).unwrap();
        assert_eq!(
            (separated.rest.trim(), separated.sslmode.as_deref(), separated.sslrootcert.as_deref()),
            (rest, sslmode, sslrootcert)
        );
    }

    #[test]
    fn the_options_of_tls_are_taken_out_of_a_url() {
        check("postgres://h/d", "postgres://h/d", None, None);
        check("postgres://h/d?sslmode=verify-full", "postgres://h/d", Some("verify-full"), None);
        check(
            "postgres://h/d?options=-c%20a%3Db&sslmode=verify-ca&sslrootcert=%2Fa%20b&host=/x",
            "postgres://h/d?options=-c%20a%3Db&host=/x",
            Some("verify-ca"),
            Some("/a b"),
        );
    }

    #[test]
    fn the_options_of_tls_are_taken_out_of_pairs() {
        check(
            r"host=/run/x sslmode = verify-full password='a b\'c' sslrootcert='/a b' user=u",
            r"host=/run/x password='a b\'c' user=u",
            Some("verify-full"),
            Some("/a b"),
        );
    }

    #[test]
    fn a_port_that_is_written_is_told_from_one_that_is_not() {
        let has_port = |text| separate(text).unwrap().has_port;
        assert!(!has_port("postgres://u:p@h/d"));
        assert!(!has_port("postgres://[::1]/d"));
        assert!(has_port("postgres://[::1]:1/d"));
        assert!(has_port("postgres://a,b:5/d"));
        assert!(has_port("postgres:///d?port=5"));
        assert!(has_port("port=5"));
    }
}
