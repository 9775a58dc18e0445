//! Authentication and origins that type definitions declare: `# Dgraph.Authorization` and
//! `# Dgraph.Allow-Origin`.

use dialects::dgraph::model::{Authorization, Settings, TokenKeys};
use engine::session::{Algorithm, Key};
use hyper::header::HeaderName;

use super::credentials::LEAST_SECRET_BYTES;
use crate::failure::Failure;
use crate::options::{AllowedOrigin, KeysUrl, ServingOptions};

/// Token verification and allowed origins that type definitions declare.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(super) tokens: Option<DeclaredTokens>,
    pub(super) origins: Vec<AllowedOrigin>,
}

/// The verification of tokens by type definitions.
#[derive(Debug)]
pub(super) struct DeclaredTokens {
    pub(super) header: HeaderName,
    pub(super) namespace: Box<str>,
    pub(super) keys: Vec<Key>,
    pub(super) key_sets: Vec<KeysUrl>,
    /// Accepted audiences. Empty: a token has none.
    pub(super) audiences: Vec<Box<str>>,
    pub(super) requires_token: bool,
    /// True if a claim names the role: tokens of Dgraph have claims for rules, not roles of PostgreSQL,
    /// unless `--jwt-role` is given.
    pub(super) has_roles: bool,
}

impl Declared {
    /// Reads the settings, which exclude options for the same.
    pub(crate) fn new(settings: &Settings, options: &ServingOptions) -> Result<Self, Failure> {
        let tokens = settings.authorization.as_ref();
        let tokens = tokens.map(|authorization| DeclaredTokens::new(authorization, options));
        let origins = settings.allowed_origins.iter().map(|origin| {
            let parsed = origin.parse();
            parsed.map_err(|error: String| {
                Failure::Usage(format!("`# Dgraph.Allow-Origin \"{origin}\"`: {error}"))
            })
        });
        Ok(Self { tokens: tokens.transpose()?, origins: origins.collect::<Result<_, _>>()? })
    }
}

impl DeclaredTokens {
    fn new(authorization: &Authorization, serving: &ServingOptions) -> Result<Self, Failure> {
        let options = &serving.auth;
        let Authorization { header, namespace, keys, audiences, is_required, line } = authorization;
        let refuse = |message: String| {
            Failure::Usage(format!("line {line}: `# Dgraph.Authorization`: {message}"))
        };
        if options.has_keys() {
            return Err(refuse(
                "keys are set by options, too: remove the comment line, or `--jwt-secret`, \
                 `--jwt-public-key` and `--jwt-jwks`"
                    .to_owned(),
            ));
        }
        if options.verify.jwt_verify_audience.is_some()
            || !options.verify.jwt_verify_algorithms.is_empty()
        {
            return Err(refuse(
                "it sets the algorithm and the audiences: remove `--jwt-verify-algorithms` and \
                 `--jwt-verify-audience`"
                    .to_owned(),
            ));
        }
        let header = header
            .parse()
            .map_err(|_| refuse(format!("`{header}` is no name of a header: correct it")))?;
        let mut key_sets = Vec::new();
        let found = match keys {
            TokenKeys::Secret { algorithm, secret } => {
                if secret.len() < LEAST_SECRET_BYTES {
                    tracing::warn!(
                        "`VerificationKey` of `# Dgraph.Authorization` has less than \
                         {LEAST_SECRET_BYTES} bytes: whoever has one token can find the secret by \
                         brute force"
                    );
                }
                only_for(vec![Key::secret(secret.as_bytes())], algorithm)
            }
            TokenKeys::Public { algorithm, pem } => {
                let keys = Key::from_pem(pem.as_bytes());
                only_for(keys.map_err(|error| refuse(error.to_string()))?, algorithm)
            }
            TokenKeys::Sets(urls) => {
                for url in urls {
                    let parsed = url.parse();
                    key_sets.push(parsed.map_err(|error| refuse(format!("`{url}`: {error}")))?);
                }
                Vec::new()
            }
        };
        if found.is_empty() && key_sets.is_empty() {
            return Err(refuse("the key is none for its `Algo`: correct one of both".to_owned()));
        }
        Ok(Self {
            header,
            namespace: namespace.clone(),
            keys: found,
            key_sets,
            audiences: audiences.clone(),
            requires_token: *is_required,
            has_roles: serving.given.contains("jwt-role"),
        })
    }
}

/// The keys, for one algorithm only.
fn only_for(keys: Vec<Key>, algorithm: &str) -> Vec<Key> {
    let algorithm: Vec<Algorithm> = Algorithm::find(algorithm).into_iter().collect();
    keys.into_iter().filter_map(|key| key.only_for(&algorithm)).collect()
}
