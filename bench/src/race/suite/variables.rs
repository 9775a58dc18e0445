//! The values of variables: every contestant is asked the same ones in the same order.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::race::random::Random;

/// Rule for the value of a variable in each request.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Rule {
    /// A constant.
    Value(Value),
    /// An integer from the first to the last, each as likely.
    Between(i64, i64),
    /// One of the list, each as likely.
    OneOf(Vec<Value>),
}

/// So many sets of values; one where every set would be the same.
pub(crate) fn sets(rules: &BTreeMap<String, Rule>, count: usize) -> Vec<Map<String, Value>> {
    let differ = rules.values().any(|rule| !matches!(rule, Rule::Value(_)));
    let mut random = Random::new(0);
    (0..if differ { count } else { 1 })
        .map(|_| {
            let values = rules.iter().map(|(name, rule)| (name.clone(), rule.choose(&mut random)));
            values.collect()
        })
        .collect()
}

/// The rules as lines of a script of pgbench, where they are numbers.
pub(crate) fn pgbench_lines(rules: &BTreeMap<String, Rule>) -> String {
    let lines = rules.iter().filter_map(|(name, rule)| rule.pgbench_lines(name));
    lines.collect()
}

impl Rule {
    /// The reason why a rule chooses no value.
    pub(super) fn problem(&self) -> Option<&'static str> {
        match self {
            Self::Between(first, last) if first > last => Some("the first is beyond the last"),
            Self::OneOf(values) if values.is_empty() => Some("there is nothing to choose from"),
            Self::Value(_) | Self::Between(..) | Self::OneOf(_) => None,
        }
    }

    fn choose(&self, random: &mut Random) -> Value {
        match self {
            Self::Value(value) => value.clone(),
            Self::Between(first, last) => {
                let offset = random.below(first.abs_diff(*last).saturating_add(1));
                Value::from(first.saturating_add_unsigned(offset))
            }
            Self::OneOf(values) => {
                let index = random.below(values.len() as u64);
                usize::try_from(index)
                    .ok()
                    .and_then(|index| values.get(index))
                    .cloned()
                    .unwrap_or_default()
            }
        }
    }

    fn pgbench_lines(&self, name: &str) -> Option<String> {
        match self {
            Self::Value(value) => value.as_i64().map(|number| format!("\\set {name} {number}\n")),
            Self::Between(first, last) => Some(format!("\\set {name} random({first}, {last})\n")),
            Self::OneOf(values) => {
                let numbers: Vec<i64> = values.iter().map(Value::as_i64).collect::<Option<_>>()?;
                let arms: String = (1..)
                    .zip(&numbers)
                    .map(|(place, number)| format!(" when :{name}_place = {place} then {number}"))
                    .collect();
                // The draw has a line of its own, because each arm would draw again.
                let draw = format!("\\set {name}_place random(1, {})\n", numbers.len());
                Some(format!("{draw}\\set {name} case{arms} end\n"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules(text: &str) -> BTreeMap<String, Rule> {
        toml::from_str(text).expect("rules")
    }

    #[test]
    fn values_follow_their_rules_and_are_the_same_each_time() {
        let rules =
            rules("id = { between = [3, 5] }\nlimit = { one_of = [50, 100] }\nx = { value = 'a' }");
        let sets = sets(&rules, 64);
        assert_eq!(sets.len(), 64);
        for set in &sets {
            assert!((3..=5).contains(&set["id"].as_i64().expect("a number")));
            assert!([json!(50), json!(100)].contains(&set["limit"]));
            assert_eq!(set["x"], json!("a"));
        }
        for id in 3..=5 {
            assert!(sets.iter().any(|set| set["id"] == json!(id)), "{id} never comes");
        }
        assert_eq!(sets, super::sets(&rules, 64));
    }

    #[test]
    fn what_never_differs_is_one_set() {
        assert_eq!(sets(&rules("id = { value = 3 }"), 64).len(), 1);
        assert_eq!(sets(&BTreeMap::new(), 64), [Map::new()]);
    }

    #[test]
    fn pgbench_gets_the_same_rules() {
        let rules = rules(
            "id = { between = [3, 5] }\nlimit = { one_of = [50, 100] }\nname = { value = 'a' }\n\
             offset = { value = 7 }",
        );
        assert_eq!(
            pgbench_lines(&rules),
            "\\set id random(3, 5)\n\
             \\set limit_place random(1, 2)\n\
             \\set limit case when :limit_place = 1 then 50 when :limit_place = 2 then 100 end\n\
             \\set offset 7\n"
        );
    }
}
