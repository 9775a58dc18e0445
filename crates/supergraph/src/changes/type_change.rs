//! Changes of types that keep operations valid.

use graphql::definitions::TypeExpression;

/// Whether every value of the new type of a field is one of the old type: the type may become
/// non-null, at any depth of its lists.
pub(super) fn is_safe_for_output(old: &TypeExpression, new: &TypeExpression) -> bool {
    use TypeExpression as T;
    if old.is_required() && !new.is_required() {
        return false;
    }
    match (old, new) {
        (T::Named { name: old, .. }, T::Named { name: new, .. }) => old == new,
        (T::List { of: old, .. }, T::List { of: new, .. }) => is_safe_for_output(old, new),
        (T::Named { .. }, T::List { .. }) | (T::List { .. }, T::Named { .. }) => false,
    }
}

/// Whether every value of the old type of an argument or input field is one of the new type: the
/// type may become nullable, at any depth of its lists.
pub(super) fn is_safe_for_input(old: &TypeExpression, new: &TypeExpression) -> bool {
    is_safe_for_output(new, old)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_become_non_null_and_inputs_nullable() {
        for (old, new, is_safe) in [
            ("A", "A!", true),
            ("A!", "A", false),
            ("[A]", "[A!]!", true),
            ("[A!]", "[A]!", false),
            ("[A]!", "[A!]!", true),
            ("[[A]]", "[[A!]]", true),
            ("A", "B", false),
            ("A", "[A]", false),
            ("[A]", "A", false),
            ("A!", "[A!]!", false),
        ] {
            let parse = |text| TypeExpression::parse(text).unwrap();
            assert_eq!(is_safe_for_output(&parse(old), &parse(new)), is_safe, "{old} {new}");
            assert_eq!(is_safe_for_input(&parse(new), &parse(old)), is_safe, "{new} {old}");
        }
    }
}
