//! Options of hooks: webhooks before and after an operation.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use hyper::Uri;

use super::quantity::Time;

#[derive(Debug, Args)]
#[command(next_help_heading = "Hooks")]
pub(crate) struct HookOptions {
    /// A webhook that receives each operation before it is executed, and may change, refuse or answer it
    #[arg(long, env = "THALWEG_HOOK_REQUEST", hide_env_values = true, value_name = "URL")]
    pub(crate) hook_request: Option<HookUrl>,
    /// A webhook that receives each response before it is sent, and may replace or refuse it
    #[arg(long, env = "THALWEG_HOOK_RESPONSE", hide_env_values = true, value_name = "URL")]
    pub(crate) hook_response: Option<HookUrl>,
    /// How long a hook may take
    #[arg(long, env = "THALWEG_HOOK_TIMEOUT", value_name = "TIME", default_value = "1s")]
    pub(crate) hook_timeout: Time,
    /// What happens to an operation whose hook fails: `fail` refuses it, `continue` goes on without the hook
    #[arg(long, env = "THALWEG_HOOK_FAILURE", value_name = "WHAT", default_value = "fail")]
    pub(crate) hook_failure: HookFailure,
    /// What hooks receive of operations, separated by commas
    #[arg(
        long,
        env = "THALWEG_HOOK_SEND",
        value_name = "PARTS",
        value_delimiter = ',',
        default_value = "headers,claims,document,variables,response"
    )]
    pub(crate) hook_send: Vec<HookPart>,
}

/// What happens to an operation whose hook fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookFailure {
    Fail,
    Continue,
}

/// A part of an operation that hooks receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookPart {
    Headers,
    Claims,
    Document,
    Variables,
    /// The response, for the hook after the operation.
    Response,
}

/// The address of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HookUrl(pub(crate) Uri);

impl FromStr for HookUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url: Option<Uri> = text.trim().parse().ok();
        let is_http = |url: &Uri| matches!(url.scheme_str(), Some("http" | "https"));
        // A user and a password in front of the host would not be sent.
        let has_user = |url: &Uri| url.authority().is_some_and(|one| one.as_str().contains('@'));
        let url = url.filter(|url| is_http(url) && url.host().is_some() && !has_user(url));
        let wanted = "a URL without a user is wanted, such as `http://127.0.0.1:9000/hook`";
        url.map(Self).ok_or_else(|| wanted.to_owned())
    }
}
