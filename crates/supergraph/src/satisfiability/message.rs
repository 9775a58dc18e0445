//! Messages of findings. Their meaning and form follow those of Apollo's composition, so that a
//! search for a message finds its explanations.

use std::fmt;

use super::{Attempt, Reason, UnresolvableField, Unsatisfiable};

impl fmt::Display for Unsatisfiable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) => field.fmt(f),
            Self::RootField { coordinate, executors, .. } => {
                write!(
                    f,
                    "The root field \"{coordinate}\" of several subgraphs must be executed by one \
                     of them, and none of these satisfies all operations below it. Make one of \
                     them satisfy them:"
                )?;
                for (subgraph, finding) in executors {
                    write!(f, "\n- when subgraph \"{subgraph}\" executes \"{coordinate}\":")?;
                    for line in finding.to_string().lines() {
                        write!(f, "\n  {line}")?;
                    }
                }
                Ok(())
            }
            Self::RuntimeTypes { operation, coordinate, r#type, subgraphs } => {
                write!(
                    f,
                    "For the following supergraph API query:\n{operation}\nthe shared field \
                     \"{coordinate}\" of type \"{type}\" has no possible runtime type that all its \
                     subgraphs have in common. The runtime types are:"
                )?;
                for (subgraph, types) in subgraphs {
                    let word = match types.len() {
                        0 => "no type",
                        1 => "type ",
                        _ => "types ",
                    };
                    write!(f, "\n- in subgraph \"{subgraph}\", {word}{};", quoted(types))?;
                }
                f.write_str(
                    "\nAll subgraphs must resolve a shared field in the same way, so they must have \
                     some runtime types in common.",
                )
            }
            Self::TooManyPaths(limits) => write!(
                f,
                "The satisfiability of the supergraph was not decided within {} states and {} \
                 conditions of override labels. Reduce the number of different sets of subgraphs \
                 that resolve fields of the same type, or the number of override labels.",
                limits.states, limits.conditions
            ),
        }
    }
}

impl fmt::Display for UnresolvableField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "The following supergraph API query:\n{}", self.operation)?;
        if !self.labels.is_empty() {
            let labels = self.labels.iter().map(|(label, is_active)| {
                format!("\"{label}\" is {}", if *is_active { "active" } else { "inactive" })
            });
            let labels = labels.collect::<Vec<_>>().join(" and ");
            writeln!(f, "if the override label {labels}")?;
        }
        f.write_str("cannot be satisfied by the subgraphs because:")?;
        for Attempt { subgraph, reasons } in &self.attempts {
            match reasons.as_slice() {
                [reason] => write!(f, "\n- from subgraph \"{subgraph}\": {reason}")?,
                reasons => {
                    write!(f, "\n- from subgraph \"{subgraph}\":")?;
                    for reason in reasons {
                        write!(f, "\n  - {reason}")?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoField { field } => write!(f, "cannot find field \"{field}\"."),
            Self::External { field } => {
                write!(f, "field \"{field}\" is not resolvable because marked @external.")
            }
            Self::Overridden { subgraph, field, label, is_active } => {
                let state = if *is_active { "active" } else { "inactive" };
                write!(
                    f,
                    "subgraph \"{subgraph}\" does not resolve field \"{field}\" because the \
                     override label \"{label}\" is {state}."
                )
            }
            Self::Requires { subgraph, field, fields } => write!(
                f,
                "cannot satisfy @requires conditions on field \"{field}\" of subgraph \
                 \"{subgraph}\": {} cannot be resolved.",
                quoted(fields)
            ),
            Self::NoKeyForInputs { subgraph, field, on } => write!(
                f,
                "cannot satisfy @requires or @fromContext conditions on field \"{field}\": the values \
                 are sent with a @key of type \"{on}\", and none in subgraph \"{subgraph}\" is \
                 resolvable here."
            ),
            Self::Context { subgraph, field } => write!(
                f,
                "could not find a match for the context that field \"{field}\" of subgraph \
                 \"{subgraph}\" requires (@fromContext)."
            ),
            Self::NoKey { to, field, on } => write!(
                f,
                "cannot move to subgraph \"{to}\", which has field \"{field}\", because type \
                 \"{on}\" has no @key defined in subgraph \"{to}\"."
            ),
            Self::NoResolvableKey { to, field, on } => write!(
                f,
                "cannot move to subgraph \"{to}\", which has field \"{field}\", because none of the \
                 @key defined on type \"{on}\" in subgraph \"{to}\" are resolvable (they are all \
                 declared with their \"resolvable\" argument set to false)."
            ),
            Self::Key { to, on, key, from, fields } => {
                write!(
                    f,
                    "cannot move to subgraph \"{to}\" using @key(fields: \"{key}\") of \"{on}\", \
                     the key field(s) cannot be resolved from subgraph \"{from}\""
                )?;
                match fields.as_slice() {
                    [] => f.write_str("."),
                    [field] if field == key => f.write_str("."),
                    fields => write!(f, " (missing: {}).", quoted(fields)),
                }
            }
            Self::NoRuntimeType { interface } => write!(
                f,
                "no subgraph can be reached to resolve the implementation type of @interfaceObject \
                 type \"{interface}\"."
            ),
        }
    }
}

/// Joins names in quotation marks.
fn quoted<T: AsRef<str>>(names: &[T]) -> String {
    let names = names.iter().map(|name| format!("\"{}\"", name.as_ref()));
    names.collect::<Vec<_>>().join(", ")
}
