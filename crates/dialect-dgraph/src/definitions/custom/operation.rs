//! `graphql` of `@custom(http:)`: an operation of another server with one field.

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{RootField, Template, WrittenOperation, parse_operations};
use graphql::operation::OperationKind;

use super::{Context, variables};

/// Checks an operation. Of a batch, the body has the variables.
pub(super) fn check(
    context: Context<'_, '_>,
    at: At<'_>,
    text: &str,
    is_batch: bool,
    problems: &mut Problems,
) {
    let operations = match parse_operations(text) {
        Ok(operations) => operations,
        Err(error) => {
            let message =
                format!("`graphql` is malformed: {}: correct it", error.message.trim_end());
            problems.refuse(at, message);
            return;
        }
    };
    let [operation] = operations.as_slice() else {
        let message = format!("`graphql` has {} operations: write exactly one", operations.len());
        problems.refuse(at, message);
        return;
    };
    let mut wrong = |message: &str| problems.refuse(at, format!("`graphql` {message}"));
    if operation.kind == OperationKind::Subscription {
        wrong("is a subscription: write a query or a mutation");
    }
    if operation.name.is_some() {
        wrong("has an operation with a name: remove the name");
    }
    if operation.has_directives {
        wrong("has an operation with directives: remove them");
    }
    let [Some(field)] = operation.fields.as_slice() else {
        wrong("has not exactly one field: write one");
        return;
    };
    if field.alias.as_ref().is_some_and(|alias| *alias != field.name) {
        wrong("has a field with an alias: remove the alias");
    }
    if field.has_directives {
        wrong("has a field with directives: remove them");
    }
    if field.has_selections {
        wrong("has a field with a selection set: remove it, requests have their own");
    }
    check_arguments(at, operation, field, is_batch, problems);
    let names: Vec<&str> = operation.variables.iter().map(|name| &**name).collect();
    // The body of a batch has the fields of its type.
    if context.owner.kind.is_root() || !is_batch {
        variables::check(context, at, "`graphql`", &names, problems);
    }
}

fn check_arguments(
    at: At<'_>,
    operation: &WrittenOperation,
    field: &RootField,
    is_batch: bool,
    problems: &mut Problems,
) {
    if is_batch && !matches!(field.arguments.as_slice(), [] | [(_, Template::Variable(_))]) {
        let message = "`graphql` of a batch has one argument, a variable for all rows: write \
                       `query($input: [Input!]!) { field(input: $input) }`";
        problems.refuse(at, message);
        return;
    }
    for (_, value) in &field.arguments {
        value.visit_variables(&mut |name| {
            if !operation.variables.contains(name) {
                let message = format!(
                    "`graphql` uses `${name}`, but does not define it: write \
                     `query(${name}: …)`"
                );
                problems.refuse(at, message);
            }
        });
    }
}
