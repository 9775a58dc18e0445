//! A supergraph of Hive's CDN: `hive:TARGET`.
//! <https://the-guild.dev/graphql/hive/docs/schema-registry/high-availability-cdn>

use hyper::Uri;
use hyper::header::HeaderValue;

use super::{Environment, RegistryOptions, Secret, endpoints, given};

/// Hive's CDN, and its mirror.
const CDNS: [&str; 2] = [
    "https://cdn.graphql-hive.com/artifacts/v1/",
    "https://cdn-mirror.graphql-hive.com/artifacts/v1/",
];

/// The name of the document in a target.
const DOCUMENT: &str = "/supergraph";

/// The supergraph of a target, or of a contract of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HiveTarget {
    /// The name in messages.
    pub(crate) name: Box<str>,
    /// A sensitive header.
    pub(crate) key: HeaderValue,
    /// The addresses of the document, at least one.
    pub(crate) endpoints: Box<[Uri]>,
}

impl RegistryOptions {
    pub(super) fn hive(
        &self,
        name: &str,
        environment: Environment<'_>,
    ) -> Result<HiveTarget, String> {
        let option = (&*self.hive_endpoints, "--hive-endpoints");
        let endpoints = match name {
            "" => endpoints(option, "HIVE_CDN_ENDPOINT", environment)?,
            _ if !option.0.is_empty() => {
                return Err(format!(
                    "`hive:{name}` is a target of Hive Cloud, and `--hive-endpoints` has addresses of a \
                     target: write `hive:` with them"
                ));
            }
            name if is_target(name) => {
                let urls = CDNS.map(|cdn| [cdn, name].concat().parse());
                let urls: Result<Vec<Uri>, _> = urls.into_iter().collect();
                urls.map_err(|_| no_target(name))?
            }
            name => return Err(no_target(name)),
        };
        let documents: Result<Vec<Uri>, String> = endpoints.iter().map(document).collect();
        let endpoints: Box<[Uri]> = documents?.into();
        let Some(first) = endpoints.first() else {
            return Err("`hive:` needs a target: `hive:TARGET` of Hive Cloud, or its address in \
                        `--hive-endpoints` or the environment variable `HIVE_CDN_ENDPOINT`"
                .into());
        };
        let name: Box<str> = match name {
            "" => redact::address(&first.to_string()).into(),
            name => ["hive:", name].concat().into(),
        };
        let key = given(self.hive_key.as_deref(), environment("HIVE_CDN_KEY")).ok_or_else(|| {
            format!(
                "the supergraph `{name}` needs an access key of Hive's CDN: set the environment \
                 variable `HIVE_CDN_KEY`, or `--hive-key`"
            )
        })?;
        let mut key = HeaderValue::from_str(Secret::from(key).expose())
            .map_err(|_| "the access key of Hive's CDN has characters that no key has")?;
        key.set_sensitive(true);
        Ok(HiveTarget { name, key, endpoints })
    }
}

/// Whether the text is the path of a target, such as `ID` or `ID/contracts/NAME`.
fn is_target(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    text.chars().all(is_letter)
}

fn no_target(text: &str) -> String {
    let shown = redact::address(text);
    format!(
        "`hive:{shown}`: the id of a target is wanted; the address of a target is for \
         `--hive-endpoints`"
    )
}

/// The address of the supergraph; that of the target may already be it.
fn document(endpoint: &Uri) -> Result<Uri, String> {
    let text = endpoint.to_string();
    let (path, query) =
        text.split_once('?').map_or((&*text, None), |(path, query)| (path, Some(query)));
    let path = path.trim_end_matches('/');
    let name = if path.ends_with(DOCUMENT) { "" } else { DOCUMENT };
    let query = query.map(|query| ["?", query].concat()).unwrap_or_default();
    let url = [path, name, &query].concat();
    url.parse().map_err(|_| {
        format!("`{}` is no address of a target in Hive's CDN", redact::address(&text))
    })
}
