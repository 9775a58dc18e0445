//! Permitted answers where subgraphs fail: a null without an error is a true null, an error has the
//! path of a null that it causes, and fields that do not depend on a failure are answered.

use gateway::execute::{ErrorKind, ExecutionError, Step};
use serde_json::Value as Json;
use supergraph::SubgraphId;

use super::world::{Identity, World};

/// The true value, before nulls propagate.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Truth {
    Null,
    /// Its resolver fails, or that of a required field.
    Failed,
    Leaf(Json),
    List(Vec<Truth>),
    Object(Vec<Member>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) key: String,
    /// The identity of its object.
    pub(super) of: Identity,
    /// The field; empty for `__typename`.
    pub(super) name: String,
    pub(super) value: Truth,
}

/// The part that has to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// All fields that do not depend on a failure.
    All,
    /// Values lost to null propagation are unknown.
    Explained,
}

/// An answer with its errors.
pub(super) struct Answered<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) errors: &'a [ExecutionError],
    /// A subgraph of which no answer can be used.
    pub(super) spoilt: Option<SubgraphId>,
    pub(super) expected: Expected,
}

/// The path of a value, and its object.
#[derive(Clone, Copy)]
struct At<'a> {
    path: &'a [Step],
    member: Option<&'a Member>,
    /// The objects around it.
    above: &'a [Identity],
}

impl Answered<'_> {
    /// Checks the data of the answer; returns the first difference.
    pub(super) fn check(&self, data: &str, truth: &Truth) -> Result<(), String> {
        let data: Json = serde_json::from_str(data).map_err(|error| error.to_string())?;
        self.value(&data, truth, At { path: &[], member: None, above: &[] })?;
        for (place, error) in self.errors.iter().enumerate() {
            self.error(&data, truth, error)?;
            if self.errors.get(..place).is_some_and(|before| before.contains(error)) {
                return Err(format!("{error:?} is told twice"));
            }
        }
        Ok(())
    }

    fn value(&self, data: &Json, truth: &Truth, at: At<'_>) -> Result<(), String> {
        let At { path, member, above } = at;
        match (data, truth) {
            (Json::Null, Truth::Null) => Ok(()),
            (Json::Null, _) => self.null(truth, at),
            (Json::Object(members), Truth::Object(all)) => {
                if members.len() != all.len() {
                    return Err(format!("{path:?} has other members"));
                }
                all.iter().try_for_each(|member| {
                    let Some(value) = members.get(&member.key) else {
                        return Err(format!("{path:?} lacks `{}`", member.key));
                    };
                    let path = [path, &[Step::Key((&*member.key).into())]].concat();
                    let above = [above, &[member.of]].concat();
                    let at = At { path: &path, member: Some(member), above: &above };
                    self.value(value, &member.value, at)
                })
            }
            (Json::Array(items), Truth::List(all)) if items.len() == all.len() => {
                items.iter().zip(all).enumerate().try_for_each(|(place, (item, truth))| {
                    let path = [path, &[Step::Index(place)]].concat();
                    self.value(item, truth, At { path: &path, member, above })
                })
            }
            (leaf, Truth::Leaf(truth)) if is_equal(leaf, truth) => Ok(()),
            (value, truth) => Err(format!("{path:?} is {value} and should be {truth:?}")),
        }
    }

    /// Checks a null where the truth is another value, or where a resolver fails.
    fn null(&self, truth: &Truth, At { path, member, above }: At<'_>) -> Result<(), String> {
        let is_counted = |error: &ExecutionError| matches!(error.kind, ErrorKind::More { .. });
        if self.errors.iter().any(is_counted) {
            return Ok(());
        }
        let is_gone = member.is_some_and(|member| {
            let mut owners = self.world.owners(member.of, &member.name).into_iter();
            owners.any(|subgraph| self.world.is_gone(member.of, subgraph))
        });
        // Values of an object come with it, where its subgraph resolves them.
        let is_of_gone = member.is_some_and(|member| {
            let owners = self.world.owners(member.of, &member.name);
            above.iter().any(|of| owners.iter().any(|owner| self.world.is_gone(*of, *owner)))
        });
        let is_concerned = self.spoilt.is_some_and(|spoilt| {
            member.is_none_or(|member| self.world.concerns(member.of, &member.name, spoilt))
                || self.concerns(truth, spoilt)
        });
        // A request's own error concerns all of its fields.
        let is_whole = self.spoilt.is_some_and(|spoilt| {
            self.errors.iter().any(|error| match error.kind {
                ErrorKind::FetchFailed { subgraph, .. }
                | ErrorKind::InvalidResponse { subgraph, .. } => subgraph == spoilt,
                _ => false,
            })
        });
        let is_told = self.errors.iter().any(|error| error.path.starts_with(path));
        if !(is_told || is_gone || is_whole && is_concerned) {
            return Err(format!("{path:?} is null without an error, and not in truth"));
        }
        let needs_gone =
            member.is_some_and(|member| self.world.input_is_gone(member.of, &member.name));
        // A null in a non-null position propagates to the objects around it.
        let is_below =
            |error: &ExecutionError| error.path.len() > path.len() && error.path.starts_with(path);
        let has_gone = self.world.failing.is_some_and(|failing| failing.gone > 0);
        let has_taken = self.errors.iter().any(is_below) && (has_gone || self.is_taken(truth));
        let is_excused = is_of_gone || needs_gone || is_concerned || has_taken;
        if self.expected == Expected::All && *truth != Truth::Failed && !is_excused {
            return Err(format!("{path:?} is not answered, and nothing that it needs failed"));
        }
        Ok(())
    }

    /// Whether a failure inside a value makes the value null.
    fn is_taken(&self, truth: &Truth) -> bool {
        match truth {
            Truth::Null | Truth::Leaf(_) => false,
            Truth::Failed => true,
            Truth::List(items) => items.iter().any(|item| self.is_taken(item)),
            Truth::Object(members) => members.iter().any(|member| {
                let Member { of, name, value, .. } = member;
                self.world.is_promised(of.r#type, name) && self.is_taken(value)
            }),
        }
    }

    /// Whether a part of a value may be resolved by a subgraph.
    fn concerns(&self, truth: &Truth, subgraph: SubgraphId) -> bool {
        match truth {
            Truth::Null | Truth::Failed | Truth::Leaf(_) => false,
            Truth::List(items) => items.iter().any(|item| self.concerns(item, subgraph)),
            Truth::Object(members) => members.iter().any(|member| {
                let Member { of, name, value, .. } = member;
                self.world.concerns(*of, name, subgraph) || self.concerns(value, subgraph)
            }),
        }
    }

    /// Checks an error: its path has the response names of a null that it causes.
    fn error(&self, data: &Json, truth: &Truth, error: &ExecutionError) -> Result<(), String> {
        let is_whole = match error.kind {
            ErrorKind::More { .. } => return Ok(()),
            ErrorKind::FetchFailed { .. } | ErrorKind::InvalidResponse { .. } => true,
            _ => false,
        };
        let mut data = Some(data);
        let mut truth = Some(truth);
        for step in &error.path {
            let found = data.filter(|data| !data.is_null()).map(|data| match step {
                Step::Key(key) => data.get(&**key),
                Step::Index(place) => data.get(*place),
            });
            data = match found {
                Some(Some(below)) => Some(below),
                Some(None) => return Err(format!("{error:?} stands where the answer has nothing")),
                // Beyond the null.
                None => None,
            };
            truth = match (truth, step) {
                (Some(Truth::Object(members)), Step::Key(key)) => {
                    let member = members.iter().find(|member| *member.key == **key);
                    let lacking = || format!("{error:?} stands where nothing was asked");
                    Some(&member.ok_or_else(lacking)?.value)
                }
                (Some(Truth::List(items)), Step::Index(place)) => items.get(*place),
                _ => None,
            };
        }
        match data {
            Some(value) if !value.is_null() && !is_whole => {
                Err(format!("{error:?} stands where there is a value"))
            }
            _ => Ok(()),
        }
    }
}

/// Whether two leaves are equal; ids are texts, whatever their subgraph writes.
fn is_equal(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::String(text), Json::Number(number)) => *text == number.to_string(),
        (one, other) => one == other,
    }
}
