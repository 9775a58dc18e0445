//! Progressive override: labels of `@override`, some of which are active for a percentage of
//! requests.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/entities/migrate-fields>

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use gateway::planner;
use supergraph::Supergraph;

/// Override labels of a supergraph.
#[derive(Debug)]
pub(super) struct Labels {
    /// Active for every request.
    always: Arc<planner::Labels>,
    /// All labels of the supergraph, sorted.
    all: Vec<Box<str>>,
    /// Labels with a percentage, from 0 to 100.
    shares: Vec<(Box<str>, f64)>,
}

impl Labels {
    pub(super) fn new(supergraph: &Supergraph, always: &[Box<str>]) -> Self {
        let labels = supergraph.labels();
        let shares = labels.iter().filter_map(|label| Some(((&**label).into(), share(label)?)));
        let shares = shares.collect();
        let always = Arc::new(planner::Labels(always.iter().cloned().collect()));
        let all = labels.iter().map(|label| (&**label).into()).collect();
        Self { always, all, shares }
    }

    /// Returns the names that are labels of the supergraph; unknown names would cause separate
    /// plans without effect.
    pub(super) fn known<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<Box<str>> {
        let is_known =
            |name: &&str| self.all.binary_search_by(|known| (**known).cmp(*name)).is_ok();
        names.map(str::trim).filter(is_known).map(Into::into).collect()
    }

    /// Returns the active labels of a request, including the `named` ones. One random number
    /// decides about all percentages, so that there are no more combinations than labels.
    pub(super) fn draw(&self, named: Vec<Box<str>>) -> Arc<planner::Labels> {
        if self.shares.is_empty() && named.is_empty() {
            return Arc::clone(&self.always);
        }
        let drawn = percent();
        let on = self.shares.iter().filter(|(_, share)| drawn < *share);
        let mut labels = planner::Labels::clone(&self.always);
        labels.0.extend(on.map(|(label, _)| label.clone()));
        labels.0.extend(named);
        Arc::new(labels)
    }
}

/// Returns the percentage of a label such as `percent(5)`.
fn share(label: &str) -> Option<f64> {
    let digits = label.strip_prefix("percent(")?.strip_suffix(')')?;
    digits.trim().parse().ok().filter(|share| (0.0..=100.0).contains(share))
}

/// Returns a random number from 0 to 100; not for security purposes.
#[expect(clippy::cast_precision_loss, reason = "53 bits are plenty, and a float has them")]
fn percent() -> f64 {
    let drawn = RandomState::new().build_hasher().finish() >> 11;
    drawn as f64 / (1_u64 << 53) as f64 * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_names_a_share_is_one() {
        assert_eq!(share("percent(25)"), Some(25.0));
        assert_eq!(share("percent( 0.5 )"), Some(0.5));
        assert_eq!(share("percent(101)"), None);
        assert_eq!(share("moved"), None);
    }

    #[test]
    fn one_draw_decides_of_all_shares() {
        let shares = ["percent(0)", "percent(30)", "percent(70)", "percent(100)"];
        let labels = Labels {
            always: Arc::new(planner::Labels(std::iter::once("moved".into()).collect())),
            all: Vec::new(),
            shares: shares.iter().map(|label| ((*label).into(), share(label).unwrap())).collect(),
        };
        let mut seen = [0_usize; 5];
        for _ in 0..1_000 {
            let drawn = labels.draw(vec!["named".into()]);
            let on = shares.map(|label| drawn.0.contains(label));
            // A label with a larger percentage is active whenever one with a smaller is.
            assert!(on.is_sorted(), "{on:?}");
            assert!(!on[0] && on[3] && drawn.0.contains("moved") && drawn.0.contains("named"));
            seen[on.into_iter().filter(|on| *on).count()] += 1;
        }
        assert!(seen[1..4].iter().all(|count| *count > 0), "{seen:?}");
    }

    #[test]
    fn draws_are_spread() {
        let low = (0..10_000).filter(|_| percent() < 50.0).count();
        assert!((4_000..6_000).contains(&low), "{low} of 10,000 were below 50");
    }
}
