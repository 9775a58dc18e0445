//! The methods of the mapping language.
//! <https://www.apollographql.com/docs/graphos/connectors/mapping/methods>

use std::ops::RangeInclusive;

use crate::version::Version;

macro_rules! methods {
    ($($variant:ident = $name:literal, $since:ident, $arguments:expr;)+) => {
        /// A method.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Method {
            $(#[doc = concat!("`->", $name, "`")] $variant,)+
        }

        impl Method {
            /// All methods, sorted by name.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name without `->`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The version that has brought it. Schemas of older versions may use it, too, as with the
            /// composition of others.
            #[must_use]
            pub const fn since(self) -> Version {
                match self {
                    $(Self::$variant => Version::$since,)+
                }
            }

            /// How many arguments it takes.
            #[must_use]
            pub const fn arguments(self) -> RangeInclusive<usize> {
                match self {
                    $(Self::$variant => $arguments,)+
                }
            }
        }
    };
}

const ANY: usize = usize::MAX;

methods! {
    Add = "add", V0_3, 1..=ANY;
    And = "and", V0_3, 1..=ANY;
    Contains = "contains", V0_3, 1..=1;
    Div = "div", V0_3, 1..=ANY;
    Echo = "echo", V0_1, 1..=1;
    Entries = "entries", V0_1, 0..=0;
    Eq = "eq", V0_3, 1..=1;
    Filter = "filter", V0_3, 1..=1;
    Find = "find", V0_3, 1..=1;
    First = "first", V0_1, 0..=0;
    Get = "get", V0_3, 1..=1;
    Gt = "gt", V0_3, 1..=1;
    Gte = "gte", V0_3, 1..=1;
    In = "in", V0_3, 1..=ANY;
    JoinNotNull = "joinNotNull", V0_2, 1..=1;
    JsonParse = "jsonParse", V0_4, 0..=0;
    JsonStringify = "jsonStringify", V0_1, 0..=0;
    KeysToCamelCase = "keysToCamelCase", V0_4, 0..=0;
    KeysToCamelCaseDeep = "keysToCamelCaseDeep", V0_4, 0..=0;
    Last = "last", V0_1, 0..=0;
    Lt = "lt", V0_3, 1..=1;
    Lte = "lte", V0_3, 1..=1;
    Map = "map", V0_1, 1..=1;
    Match = "match", V0_1, 1..=ANY;
    Mod = "mod", V0_3, 1..=ANY;
    Mul = "mul", V0_3, 1..=ANY;
    Ne = "ne", V0_3, 1..=1;
    Not = "not", V0_3, 0..=0;
    Or = "or", V0_3, 1..=ANY;
    ParseInt = "parseInt", V0_3, 0..=1;
    Size = "size", V0_1, 0..=0;
    Slice = "slice", V0_1, 1..=2;
    Split = "split", V0_4, 1..=2;
    Sub = "sub", V0_3, 1..=ANY;
    ToString = "toString", V0_3, 0..=0;
    Trim = "trim", V0_4, 0..=0;
    TrimEnd = "trimEnd", V0_4, 0..=0;
    TrimStart = "trimStart", V0_4, 0..=0;
}

impl Method {
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|method| method.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::Method;
    use crate::code::Code;

    const PAGE: &str = include_str!("../../../../docs/connectors.md");

    #[test]
    fn the_reference_has_each_method_with_its_version_and_each_code() {
        for method in Method::ALL {
            let since = &method.since().as_str()[1..];
            let row = |line: &&str| {
                let rest =
                    line.strip_prefix("| `->").and_then(|rest| rest.strip_prefix(method.name()));
                rest.is_some_and(|rest| rest.starts_with(['(', '`']))
            };
            let rows: Vec<_> = PAGE.lines().filter(row).collect();
            assert_eq!(rows.len(), 1, "{}", method.name());
            assert!(rows[0].contains(&format!("` | {since} | ")), "{}", rows[0]);
        }
        for code in Code::ALL {
            assert!(PAGE.contains(&format!("`{code}`")), "{code}");
        }
    }

    #[test]
    fn methods_are_sorted() {
        assert!(Method::ALL.is_sorted_by_key(|method| method.name()));
    }
}
