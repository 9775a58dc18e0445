//! Names of the built-in scalars: <https://spec.graphql.org/draft/#sec-Scalars.Built-in-Scalars>.

/// Scalars that every schema has; their definitions are never printed.
pub const BUILT_IN_SCALARS: [&str; 5] = ["Int", "Float", "String", "Boolean", "ID"];
