//! The messages that a session begins with.

use response::packed::{Entries, Packed};

use super::config::{Authentication, Config};
use super::error::WireError;
use super::handshake::Protocol;
use super::message::Request;
use super::outbox::Outbox;
use super::pack::Pack;

const PRODUCT: &str = concat!("thalweg/", env!("CARGO_PKG_VERSION"));

/// Writes HELLO, and LOGON where that is a message of its own (since 5.1). Returns the number of
/// expected answers.
pub(super) fn write(
    config: &Config,
    protocol: Protocol,
    out: &mut Outbox,
) -> Result<usize, WireError> {
    let logs_on = protocol.is_at_least(5, 1);
    out.add(Request::Hello, 1, |pack| write_hello(config, protocol, pack))?;
    if !logs_on {
        return Ok(1);
    }
    out.add(Request::Logon, 1, |pack| {
        let identity = Identity::of(&config.authentication)?;
        pack.map(identity.count());
        identity.write(pack);
        Ok::<_, WireError>(())
    })?;
    Ok(2)
}

/// Version 4.4 writes datetimes in a form of its own, in which times of a clock change are
/// ambiguous, unless the client requests the form of version 5 (the `utc` patch), which its later
/// releases support.
pub(super) fn require_known_datetimes(
    protocol: Protocol,
    metadata: &Entries<'_>,
) -> Result<(), WireError> {
    if protocol.is_at_least(5, 0) {
        return Ok(());
    }
    if let Some(Packed::List(patches)) = metadata.find(b"patch_bolt")? {
        for patch in patches {
            if patch? == Packed::Text(b"utc") {
                return Ok(());
            }
        }
    }
    Err(WireError::Configuration(
        "the server is too old: of version 4.4 a later release is needed, which sends datetimes in \
         UTC"
            .to_owned(),
    ))
}

fn write_hello(config: &Config, protocol: Protocol, pack: &mut Pack) -> Result<(), WireError> {
    let says_who = !protocol.is_at_least(5, 1);
    let asks_for_utc = !protocol.is_at_least(5, 0);
    let declines_notifications = protocol.is_at_least(5, 2);
    let says_what = protocol.is_at_least(5, 3);
    let identity = match says_who {
        true => Some(Identity::of(&config.authentication)?),
        false => None,
    };
    let count = 1
        + usize::from(config.routing.is_some())
        + usize::from(asks_for_utc)
        + usize::from(declines_notifications)
        + usize::from(says_what)
        + identity.map_or(0, Identity::count);
    pack.map(count);
    pack.text("user_agent");
    pack.text(PRODUCT);
    if let Some(identity) = identity {
        identity.write(pack);
    }
    if asks_for_utc {
        pack.text("patch_bolt");
        pack.list(1);
        pack.text("utc");
    }
    if declines_notifications {
        // Notifications about statements are for their authors, and cost each answer.
        pack.text("notifications_minimum_severity");
        pack.text("OFF");
    }
    if says_what {
        pack.text("bolt_agent");
        pack.map(3);
        for (name, value) in
            [("product", PRODUCT), ("platform", std::env::consts::OS), ("language", "Rust")]
        {
            pack.text(name);
            pack.text(value);
        }
    }
    if config.routing.is_some() {
        pack.text("routing");
        write_routing_context(config, pack);
    }
    Ok(())
}

/// Writes the routing context for a cluster's servers, with the address by which they are known
/// outside. Of a `bolt` address it is empty.
pub(super) fn write_routing_context(config: &Config, pack: &mut Pack) {
    let Some(context) = &config.routing else { return pack.map(0) };
    pack.map(context.len() + 1);
    for (name, value) in context.iter() {
        pack.text(name);
        pack.text(value);
    }
    pack.text("address");
    pack.text(&config.endpoint.to_string());
}

/// The entries of the credentials.
#[derive(Clone, Copy)]
struct Identity<'a> {
    scheme: &'a str,
    principal: Option<&'a str>,
    credentials: Option<&'a str>,
}

impl<'a> Identity<'a> {
    fn of(authentication: &'a Authentication) -> Result<Identity<'a>, WireError> {
        let (scheme, principal, secret) = match authentication {
            Authentication::None => ("none", None, None),
            Authentication::Basic { user, password } => {
                ("basic", Some(user.as_str()), Some(password))
            }
            Authentication::Bearer(token) => ("bearer", None, Some(token)),
        };
        let credentials = secret.map(|secret| std::str::from_utf8(secret.as_bytes())).transpose();
        let credentials = credentials.map_err(|_| {
            WireError::Configuration("the password or token is not UTF-8".to_owned())
        })?;
        Ok(Identity { scheme, principal, credentials })
    }

    fn count(self) -> usize {
        1 + usize::from(self.principal.is_some()) + usize::from(self.credentials.is_some())
    }

    fn write(self, pack: &mut Pack) {
        let Identity { scheme, principal, credentials } = self;
        let entries =
            [("scheme", Some(scheme)), ("principal", principal), ("credentials", credentials)];
        for (name, value) in entries {
            if let Some(value) = value {
                pack.text(name);
                pack.text(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use response::packed::begin;

    use super::super::script::show_messages;
    use super::*;

    const BOTH: &str = "user_agent: \"PRODUCT\"";
    const AGENT: &str = "bolt_agent: {product: \"PRODUCT\", platform: \"OS\", language: \"Rust\"}";
    const QUIET: &str = "notifications_minimum_severity: \"OFF\"";

    fn check(url: &str, (major, minor): (u8, u8), expected: &[String]) {
        let config = Config::resolve(url, |_| None).unwrap();
        let mut out = Outbox::default();
        let answers = write(&config, Protocol { major, minor }, &mut out).unwrap();
        let messages = show_messages(out.unsent());
        let os = ["platform: \"", std::env::consts::OS, "\""].concat();
        let shown: Vec<String> = messages
            .iter()
            .map(|message| message.replace(PRODUCT, "PRODUCT").replace(&os, "platform: \"OS\""))
            .collect();
        assert_eq!(shown, expected);
        assert_eq!(answers, expected.len());
    }

    #[test]
    fn who_it_is_is_said_in_hello_or_after_it() {
        let who = "scheme: \"basic\", principal: \"u\", credentials: \"p\"";
        check("bolt://u:p@h", (5, 0), &[format!("HELLO({{{BOTH}, {who}}})")]);
        check("bolt://u:p@h", (5, 1), &[format!("HELLO({{{BOTH}}})"), format!("LOGON({{{who}}})")]);
        check(
            "bolt://:t@h?auth=bearer",
            (5, 2),
            &[
                format!("HELLO({{{BOTH}, {QUIET}}})"),
                "LOGON({scheme: \"bearer\", credentials: \"t\"})".to_owned(),
            ],
        );
        check(
            "bolt://h",
            (5, 8),
            &[
                format!("HELLO({{{BOTH}, {QUIET}, {AGENT}}})"),
                "LOGON({scheme: \"none\"})".to_owned(),
            ],
        );
    }

    #[test]
    fn version_4_is_asked_for_datetimes_in_utc() {
        check(
            "bolt://h",
            (4, 4),
            &[format!("HELLO({{{BOTH}, scheme: \"none\", patch_bolt: [\"utc\"]}})")],
        );
        let old = Protocol { major: 4, minor: 4 };
        let refused = |metadata: &[u8], protocol| match begin(metadata) {
            Ok(Packed::Map(metadata)) => require_known_datetimes(protocol, &metadata).is_err(),
            other => panic!("{other:?}"),
        };
        assert!(!refused(b"\xa1\x8apatch_bolt\x91\x83utc", old));
        assert!(refused(b"\xa1\x8apatch_bolt\x90", old));
        assert!(refused(b"\xa0", old));
        assert!(!refused(b"\xa0", Protocol { major: 5, minor: 0 }));
    }

    #[test]
    fn a_cluster_is_told_the_context_and_the_address() {
        check(
            "neo4j://h:9?policy=europe",
            (5, 0),
            &[format!(
                "HELLO({{{BOTH}, scheme: \"none\", routing: {{policy: \"europe\", address: \
                 \"h:9\"}}}})"
            )],
        );
    }
}
