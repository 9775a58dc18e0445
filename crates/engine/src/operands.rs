//! The coerced variables of a request as values of operands.

/// The values, without claims and files.
pub(crate) fn operands_of(variables: &graphql::variables::Variables) -> source::Variables<'_> {
    let numbers = variables.numbers.all();
    source::Variables { numbers, ..source::Variables::of(&variables.values) }
}
