//! Variables of Hasura's environment: those that stand in for options, and those that are not served.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// The beginning of all names.
const PREFIX: &str = "HASURA_GRAPHQL_";

/// Hasura's variables, with what became of each.
#[derive(Clone, Default)]
pub(crate) struct HasuraEnvironment(BTreeMap<String, Variable>);

#[derive(Clone)]
struct Variable {
    value: Box<str>,
    fate: Fate,
}

/// What became of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It has no meaning here.
    NotServed,
    /// It is the value of an option.
    Read(&'static str),
    /// Another variable, or an option, has the value.
    Replaced(&'static str),
}

impl HasuraEnvironment {
    /// Hasura's variables among these. A value that is not text is left as it is shown.
    pub(crate) fn new(variables: impl Iterator<Item = (OsString, OsString)>) -> Self {
        let own = variables.filter_map(|(name, value)| {
            let name = name.into_string().ok().filter(|name| name.starts_with(PREFIX))?;
            let value = value.to_string_lossy().into();
            Some((name, Variable { value, fate: Fate::NotServed }))
        });
        Self(own.collect())
    }

    /// The value that stands in for an option, with the name of its variable: the first of these names
    /// that is set, unless the option is given.
    pub(crate) fn read(
        &mut self,
        option: &'static str,
        names: &[&'static str],
        is_given: bool,
    ) -> Option<(&'static str, Box<str>)> {
        let mut found: Option<(&'static str, Box<str>)> = None;
        for name in names {
            let Some(variable) = self.0.get_mut(*name) else { continue };
            variable.fate = match &found {
                _ if is_given => Fate::Replaced(option),
                Some((other, _)) => Fate::Replaced(other),
                None => {
                    found = Some((*name, variable.value.clone()));
                    Fate::Read(option)
                }
            };
        }
        found
    }

    /// Logs what became of the variables, without their values.
    pub(crate) fn log(&self) {
        for (name, variable) in &self.0 {
            match variable.fate {
                Fate::Read(option) => {
                    tracing::info!("the variable {name} is read, as the value of `{option}`");
                }
                Fate::Replaced(by) => {
                    tracing::warn!("the variable {name} is not read: `{by}` is given");
                }
                Fate::NotServed => {}
            }
        }
        let unserved: Vec<&str> = self.unserved().collect();
        if !unserved.is_empty() {
            tracing::warn!(
                "these variables of Hasura are set, and no option takes their values: {}",
                unserved.join(", ")
            );
        }
    }

    fn unserved(&self) -> impl Iterator<Item = &str> {
        let is_unserved = |(_, variable): &(&String, &Variable)| variable.fate == Fate::NotServed;
        self.0.iter().filter(is_unserved).map(|(name, _)| name.as_str())
    }
}

/// Values are secrets.
impl std::fmt::Debug for HasuraEnvironment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.0.iter().map(|(name, variable)| (name, variable.fate))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variable_of_hasura_is_read_or_told() {
        let variables = [
            ("HASURA_GRAPHQL_A", "1"),
            ("HASURA_GRAPHQL_B", "2"),
            ("HASURA_GRAPHQL_C", "3"),
            ("HASURA_GRAPHQL_D", "4"),
            ("PATH", "5"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let mut environment = HasuraEnvironment::new(variables.into_iter());
        let names = ["HASURA_GRAPHQL_X", "HASURA_GRAPHQL_B", "HASURA_GRAPHQL_A"];
        let found = environment.read("--a", &names, false);
        assert_eq!(found, Some(("HASURA_GRAPHQL_B", "2".into())));
        assert_eq!(environment.read("--c", &["HASURA_GRAPHQL_C"], true), None);
        assert_eq!(environment.unserved().collect::<Vec<_>>(), ["HASURA_GRAPHQL_D"]);
        assert_eq!(
            format!("{environment:?}"),
            "{\"HASURA_GRAPHQL_A\": Replaced(\"HASURA_GRAPHQL_B\"), \"HASURA_GRAPHQL_B\": \
             Read(\"--a\"), \"HASURA_GRAPHQL_C\": Replaced(\"--c\"), \"HASURA_GRAPHQL_D\": \
             NotServed}"
        );
    }
}
