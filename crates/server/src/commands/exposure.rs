//! Log lines about what unauthenticated clients can do.

use dialects::{Dialect, prisma};
use engine::Api;

use crate::http::Settings;
use crate::options::{Address, ServingOptions};

/// The protection of the data from unauthenticated clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exposure {
    /// Policies decide about each role.
    has_policies: bool,
    /// Rules of type definitions decide about some types.
    has_rules: bool,
    /// Whether the API has mutations.
    writes: bool,
    /// Whether only trusted documents are executed.
    only_trusted: bool,
    /// Whether clients need a certificate (mutual TLS).
    asks_certificates: bool,
    /// The option with the role of unauthenticated requests.
    default_role: Option<&'static str>,
    /// Whether unauthenticated requests have any role that they name.
    has_every_role: bool,
    /// The option that requires authentication.
    remedy: &'static str,
}

/// Warns of statements of SQL that clients may send.
pub(super) fn warn_of_statements(dialect: &Dialect) {
    if let Dialect::Prisma(prisma::Options { raw_access: true, .. }) = dialect {
        tracing::warn!(
            "with --raw-access whoever may send mutations may read and change everything that the \
             user of the connection may, by any statement"
        );
    }
}

/// Logs what unauthenticated clients can do, if they can reach the server.
pub(super) fn log(api: &Api, serving: &ServingOptions, settings: &Settings) {
    let requires_token = settings.requires_token();
    let default_role = serving.auth.roles.default_role.as_ref().map(|_| "--default-role");
    let exposure = Exposure {
        has_policies: api.has_policies(),
        has_rules: api.has_rules(),
        writes: api.schema().mutation.is_some(),
        only_trusted: serving.persisted.only_trusted,
        asks_certificates: serving.tls.files().is_some_and(|tls| tls.client_authorities.is_some()),
        default_role: default_role.or(settings.unauthorized_role()),
        has_every_role: settings.is_open(),
        remedy: if settings.is_of_hasura() { "--admin-secret" } else { "--require-token" },
    };
    if serving.development.dev {
        for address in serving.listen.iter().filter(|address| !address.is_local()) {
            tracing::warn!(
                address = address.text,
                "with --dev the schema, GraphiQL and explain are open to everybody who reaches this \
                 address"
            );
        }
    }
    let is_open = |address: &&Address| !address.is_local() && !requires_token;
    for address in serving.listen.iter().filter(is_open) {
        let address = &address.text;
        let text = exposure.text();
        match exposure.is_bounded() {
            true => tracing::info!(address, "{text}"),
            false => tracing::warn!(address, "{text}"),
        }
    }
}

impl Exposure {
    /// Whether the access of unauthenticated clients is restricted.
    fn is_bounded(self) -> bool {
        let is_bounded = self.has_policies || self.default_role.is_some();
        (is_bounded && !self.has_every_role) || self.only_trusted || self.asks_certificates
    }

    fn text(self) -> String {
        let who = match self.asks_certificates {
            true => "everybody who has a certificate of --tls-client-ca and reaches this address",
            false => "everybody who reaches this address",
        };
        let may = match (self.only_trusted, self.writes) {
            (true, _) => "may send the documents of --trusted-documents",
            (false, true) => "may read and change",
            (false, false) => "may read",
        };
        let all = match (self.has_policies, self.default_role, self.has_rules) {
            _ if self.has_every_role => "all that the API exposes".to_owned(),
            (true, None | Some("--default-role"), _) => {
                "what the policies allow to unauthenticated requests".to_owned()
            }
            (_, Some(option), _) => format!("what the role of {option} may"),
            (false, None, true) => {
                "all that the rules of the type definitions do not close".to_owned()
            }
            (false, None, false) => "all that the API exposes".to_owned(),
        };
        let what = match self.only_trusted {
            true => format!(", by which they reach {all}"),
            false => format!(" {all}"),
        };
        format!("{who} {may}{what}; {} requires authentication", self.remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Exposure = Exposure {
        has_policies: false,
        has_rules: false,
        writes: true,
        only_trusted: false,
        asks_certificates: false,
        default_role: None,
        has_every_role: false,
        remedy: "--require-token",
    };

    #[test]
    fn the_access_of_unauthenticated_clients_is_logged() {
        let check = |exposure: Exposure, is_bounded: bool, text: &str| {
            let text = format!("{text}; --require-token requires authentication");
            assert_eq!((exposure.is_bounded(), exposure.text()), (is_bounded, text));
        };
        let everybody = "everybody who reaches this address";
        check(OPEN, false, &format!("{everybody} may read and change all that the API exposes"));
        check(
            Exposure { has_rules: true, ..OPEN },
            false,
            &format!(
                "{everybody} may read and change all that the rules of the type definitions do not close"
            ),
        );
        check(
            Exposure { writes: false, ..OPEN },
            false,
            &format!("{everybody} may read all that the API exposes"),
        );
        check(
            Exposure { has_policies: true, ..OPEN },
            true,
            &format!(
                "{everybody} may read and change what the policies allow to unauthenticated requests"
            ),
        );
        check(
            Exposure {
                has_policies: true,
                writes: false,
                default_role: Some("--default-role"),
                ..OPEN
            },
            true,
            &format!("{everybody} may read what the policies allow to unauthenticated requests"),
        );
        check(
            Exposure { default_role: Some("--default-role"), ..OPEN },
            true,
            &format!("{everybody} may read and change what the role of --default-role may"),
        );
        let role = Some("--unauthorized-role");
        check(
            Exposure { has_policies: true, default_role: role, ..OPEN },
            true,
            &format!("{everybody} may read and change what the role of --unauthorized-role may"),
        );
        check(
            Exposure { has_policies: true, has_every_role: true, ..OPEN },
            false,
            &format!("{everybody} may read and change all that the API exposes"),
        );
        check(
            Exposure { only_trusted: true, ..OPEN },
            true,
            &format!(
                "{everybody} may send the documents of --trusted-documents, by which they reach all \
                 that the API exposes"
            ),
        );
        check(
            Exposure { asks_certificates: true, ..OPEN },
            true,
            "everybody who has a certificate of --tls-client-ca and reaches this address may read \
             and change all that the API exposes",
        );
    }
}
