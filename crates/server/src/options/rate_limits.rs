//! Rate limits of clients.

use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use clients::egress::Network;
use clients::redis_client::RedisUrl;

use super::quantity::Time;

#[derive(Debug, Args)]
#[command(next_help_heading = "Rate limits")]
pub(crate) struct RateLimitOptions {
    /// How many operations a client may send in a time, such as `address=600/1m`; several rules are separated by semicolons
    ///
    /// A rule counts by `address`, `claim:NAME` or `operation`, or by several of them, joined with `+`. `burst=N`
    /// is the number that may come at once, and `of=cost` counts the estimated cost instead of operations:
    /// `claim:sub=50000/1h of=cost burst=5000`.
    #[arg(long, env = "THALWEG_RATE_LIMIT", value_name = "RULES", value_delimiter = ';')]
    pub(crate) rate_limit: Vec<RateLimitRule>,
    /// A Redis in which several servers count together, such as `redis://HOST:6379/0`, or `rediss://…` for TLS
    #[arg(long, env = "THALWEG_RATE_LIMIT_STORE", value_name = "URL")]
    pub(crate) rate_limit_store: Option<RedisUrl>,
    /// How long an operation waits for this Redis
    #[arg(
        long,
        env = "THALWEG_RATE_LIMIT_STORE_TIMEOUT",
        value_name = "TIME",
        default_value = "50ms"
    )]
    pub(crate) rate_limit_store_timeout: Time,
    /// What happens to operations while this Redis is not available
    #[arg(
        long,
        env = "THALWEG_RATE_LIMIT_FAILURE",
        value_name = "MODE",
        value_enum,
        default_value = "open"
    )]
    pub(crate) rate_limit_failure: RateLimitFailure,
    /// Networks of reverse proxies whose header `X-Forwarded-For` tells the address of the client, separated by commas
    #[arg(long, env = "THALWEG_TRUSTED_PROXIES", value_name = "NETWORKS", value_delimiter = ',')]
    pub(crate) trusted_proxies: Vec<Network>,
}

/// What happens to operations that cannot be counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RateLimitFailure {
    /// They are executed without limits
    #[default]
    Open,
    /// Each server counts by itself meanwhile
    Local,
    /// They are refused
    Closed,
}

/// A rule: what one bucket holds in a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RateLimitRule {
    /// The rule as it is written.
    pub(crate) text: Box<str>,
    /// There is one bucket for each combination of their values.
    pub(crate) by: Box<[CountedBy]>,
    pub(crate) amount: u64,
    pub(crate) window: Duration,
    /// What may come at once.
    pub(crate) burst: u64,
    pub(crate) unit: RateUnit,
}

/// What tells clients apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CountedBy {
    Address,
    /// The name of the operation.
    Operation,
    /// A claim of the session.
    Claim(Box<str>),
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateUnit {
    Operations,
    /// The estimated cost, at least one for each operation.
    Cost,
}

impl RateLimitRule {
    /// What it counts by, as it is written.
    pub(crate) fn name(&self) -> Box<str> {
        let name = self.text.split('=').next().unwrap_or_default();
        match self.unit {
            RateUnit::Operations => name.into(),
            RateUnit::Cost => [name, " cost"].concat().into(),
        }
    }
}

impl FromStr for RateLimitRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let wanted =
            "a rule such as `address=600/1m` or `claim:sub=100/1s burst=20 of=cost` is wanted";
        let (by, rate) = words.next().and_then(|rule| rule.split_once('=')).ok_or(wanted)?;
        let by = by.split('+').map(counted_by).collect::<Result<Box<[_]>, _>>()?;
        let (amount, window) = rate.split_once('/').ok_or(wanted)?;
        let amount = number("the amount", amount)?;
        let window = window.parse::<Time>()?.0;
        let (mut burst, mut unit) = (None, None);
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let is_given = match name {
                "burst" => burst.replace(number("`burst`", value)?).is_some(),
                "of" => unit.replace(unit_of(value)?).is_some(),
                _ => {
                    return Err(format!(
                        "`{name}` is none of `burst` and `of`, which follow the rate"
                    ));
                }
            };
            if is_given {
                return Err(format!("`{name}` is given twice"));
            }
        }
        Ok(Self {
            text: text.split_whitespace().collect::<Vec<_>>().join(" ").into(),
            by,
            amount,
            window,
            burst: burst.unwrap_or(amount),
            unit: unit.unwrap_or(RateUnit::Operations),
        })
    }
}

fn counted_by(text: &str) -> Result<CountedBy, String> {
    match text.split_once(':') {
        Some(("claim", name)) if !name.is_empty() => Ok(CountedBy::Claim(name.into())),
        None if text == "address" => Ok(CountedBy::Address),
        None if text == "operation" => Ok(CountedBy::Operation),
        Some(_) | None => Err(format!(
            "`{text}` is none of `address`, `claim:NAME` and `operation`, by which a rule counts"
        )),
    }
}

fn unit_of(text: &str) -> Result<RateUnit, String> {
    match text {
        "operations" => Ok(RateUnit::Operations),
        "cost" => Ok(RateUnit::Cost),
        _ => Err("`of`: `operations` or `cost` is wanted".to_owned()),
    }
}

fn number(what: &str, text: &str) -> Result<u64, String> {
    match text.parse() {
        // A rate of more than one in a nanosecond has no meaning.
        Ok(number @ 1..=1_000_000_000) => Ok(number),
        Ok(_) | Err(_) => Err(format!("{what}: a number from 1 to 1000000000 is wanted")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_a_rate_and_what_it_counts_by() {
        let rule = |text: &str| text.parse::<RateLimitRule>().unwrap();
        let address = rule(" address=600/1m ");
        assert_eq!(&*address.text, "address=600/1m");
        assert_eq!(*address.by, [CountedBy::Address]);
        assert_eq!((address.amount, address.burst), (600, 600));
        assert_eq!((address.window, address.unit), (Duration::from_secs(60), RateUnit::Operations));
        assert_eq!(&*address.name(), "address");
        let cost = rule("operation+claim:x-user-id=50000/1h  of=cost burst=5000");
        let claim = CountedBy::Claim("x-user-id".into());
        assert_eq!(*cost.by, [CountedBy::Operation, claim]);
        assert_eq!((cost.amount, cost.burst, cost.unit), (50_000, 5_000, RateUnit::Cost));
        assert_eq!(&*cost.text, "operation+claim:x-user-id=50000/1h of=cost burst=5000");
        assert_eq!(&*cost.name(), "operation+claim:x-user-id cost");
    }

    #[test]
    fn what_is_wrong_with_a_rule_is_told() {
        let check = |text: &str, wanted: &str| {
            let error = text.parse::<RateLimitRule>().unwrap_err();
            assert!(error.contains(wanted), "{text}: {error}");
        };
        check("", "a rule such as");
        check("600/1m", "a rule such as");
        check("address=600", "a rule such as");
        check("ip=600/1m", "`ip` is none of `address`");
        check("claim:=600/1m", "`claim:` is none of");
        check("address+=600/1m", "`` is none of");
        check("address=0/1m", "the amount: a number from 1");
        check("address=-1/1m", "the amount: a number from 1");
        check("address=600/1", "a time is wanted");
        check("address=600/0s", "a time is wanted");
        check("address=600/1m burst=0", "`burst`: a number from 1");
        check("address=600/1m burst=2 burst=3", "`burst` is given twice");
        check("address=600/1m of=rows", "`of`: `operations` or `cost`");
        check("address=600/1m per=cost", "`per` is none of `burst` and `of`");
    }
}
