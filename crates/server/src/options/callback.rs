//! Options of the callback endpoint, at which subgraphs send the events of subscriptions.

use std::str::FromStr;

use clap::Args;
use hyper::Uri;

use super::address::Address;
use super::given::{GivenOptions, names_of};

#[derive(Debug, Args)]
#[command(next_help_heading = "Subgraphs")]
pub(crate) struct CallbackOptions {
    /// The URL at which subgraphs reach the callback endpoint of this server, for subscriptions with the protocol `callback` [default: none]
    ///
    /// Subgraphs append the id of a subscription. Each server needs a URL of its own: another server
    /// does not know the subscription.
    #[arg(long, env = "THALWEG_CALLBACK_URL", value_name = "URL")]
    callback_url: Option<CallbackUrl>,
    /// The path of the callback endpoint, which differs from that of `--callback-url` if a proxy changes it
    #[arg(long, env = "THALWEG_CALLBACK_PATH", value_name = "PATH", default_value = "/callback")]
    callback_path: CallbackPath,
    /// The addresses of the callback endpoint, separated by commas, which serve nothing else [default: those of `--listen`]
    #[arg(long, env = "THALWEG_CALLBACK_LISTEN", value_name = "ADDRESSES", value_delimiter = ',')]
    callback_listen: Vec<Address>,
}

/// The callback endpoint of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallbackAddress {
    /// The URL for subgraphs.
    pub(crate) url: Box<str>,
    /// The path at the server, without a slash at its end.
    pub(crate) path: Box<str>,
    /// Its own addresses; empty if it is served beside the API.
    pub(crate) listen: Vec<Address>,
}

/// A URL without a query.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CallbackUrl(Box<str>);

/// A path below the root.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CallbackPath(Box<str>);

/// Paths of other endpoints.
const OTHERS: [&str; 3] = ["/graphql", "/explain", "/health"];

impl CallbackOptions {
    /// Returns the callback endpoint of a gateway whose subgraphs have subscriptions with callbacks or
    /// not. The errors are refusals.
    pub(crate) fn endpoint(
        &self,
        given: &GivenOptions,
        is_needed: bool,
    ) -> Result<Option<CallbackAddress>, Vec<String>> {
        if !is_needed {
            let names = names_of::<Self>().into_iter().filter(|name| given.contains(name));
            let refused = |name| {
                format!(
                    "`--{name}` is for subgraphs with the protocol `callback`, which `--subgraphs` sets \
                     for none: leave it out"
                )
            };
            let refusals: Vec<_> = names.map(refused).collect();
            return if refusals.is_empty() { Ok(None) } else { Err(refusals) };
        }
        let Some(CallbackUrl(url)) = &self.callback_url else {
            return Err(vec![
                "the protocol `callback` in the file of `--subgraphs` needs `--callback-url`, by which \
                 subgraphs reach this server"
                    .into(),
            ]);
        };
        Ok(Some(CallbackAddress {
            url: url.clone(),
            path: self.callback_path.0.clone(),
            listen: self.callback_listen.clone(),
        }))
    }
}

impl FromStr for CallbackUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = "a URL is wanted, such as `http://gateway-1.internal:4000/callback`";
        let url: Uri = text.parse().map_err(|_| wanted)?;
        let is_http = matches!(url.scheme_str(), Some("http" | "https"));
        let has_user = url.authority().is_none_or(|authority| authority.as_str().contains('@'));
        match is_http && !has_user && url.query().is_none() && !text.contains('#') {
            true => Ok(Self(text.trim_end_matches('/').into())),
            false => Err(wanted),
        }
    }
}

impl FromStr for CallbackPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = text.trim_end_matches('/');
        let is_valid = |c: char| c.is_ascii_graphic() && !matches!(c, '?' | '#' | '%');
        if !path.starts_with('/') || path.contains("//") || !path.chars().all(is_valid) {
            return Err("a path is wanted, such as `/callback`".into());
        }
        let is_below = |other: &str| {
            path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match OTHERS.into_iter().find(|other| is_below(other)) {
            Some(other) => Err(format!("`{other}` has another meaning; choose another path")),
            None => Ok(Self(path.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        callbacks: CallbackOptions,
    }

    #[test]
    fn a_url_and_a_path_are_wanted() {
        let check = |text: &str, is_valid: bool| {
            assert_eq!(text.parse::<CallbackUrl>().is_ok(), is_valid, "{text}");
        };
        check("http://a:4000/callback", true);
        check("https://a/callback/", true);
        for wrong in ["", "/callback", "ftp://a/b", "http://a/b?c", "http://u@a/b", "http://a/b#c"]
        {
            check(wrong, false);
        }
        let path = |text: &str| text.parse::<CallbackPath>().map(|path| path.0.into_string());
        assert_eq!(path("/callback/"), Ok("/callback".into()));
        assert_eq!(path("/graphql-callback"), Ok("/graphql-callback".into()));
        for wrong in ["", "/", "callback", "/a?b", "//a", "/graphql", "/graphql/a", "/health/x"] {
            assert!(path(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_endpoint_belongs_to_the_protocol() {
        let line = ["thalweg", "--callback-url", "http://a/b", "--callback-listen", "127.0.0.1:1"];
        let options = Line::try_parse_from(line).unwrap().callbacks;
        let given = GivenOptions::from(["callback-url", "callback-listen"]);
        let endpoint = options.endpoint(&given, true).unwrap().unwrap();
        assert_eq!((&*endpoint.url, &*endpoint.path), ("http://a/b", "/callback"));
        assert_eq!(endpoint.listen.len(), 1);
        assert_eq!(options.endpoint(&given, false).unwrap_err().len(), 2);
        let options = Line::try_parse_from(["thalweg"]).unwrap().callbacks;
        let given = GivenOptions::default();
        assert_eq!(options.endpoint(&given, false), Ok(None));
        assert_eq!(options.endpoint(&given, true).unwrap_err().len(), 1);
    }
}
