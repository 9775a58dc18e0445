//! Predicates that several fields share, which have one type and one meaning, and names of columns,
//! each of which is one predicate.

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{Literal, TypeExpression};
use rustc_hash::{FxHashMap, FxHashSet};

use super::declared::{DeclaredField, DeclaredType};
use super::directives::{Known, find_argument};
use super::predicate;
use super::types::is_interface;
use crate::model::TypeIndex;

/// The first use of a predicate.
struct First {
    of: String,
    /// Its interface, if an interface declares it.
    interface: Option<TypeIndex>,
    r#type: String,
    is_id: bool,
    is_secret: bool,
}

/// Reports fields that use a predicate in another way than an earlier one. Interfaces are read
/// first, as in Dgraph.
pub(super) fn check(read: &[DeclaredType<'_>], problems: &mut Problems) {
    let mut firsts: FxHashMap<String, First> = FxHashMap::default();
    let indexed = || read.iter().enumerate().map(|(idx, one)| (TypeIndex(idx), one));
    let interfaces = indexed().filter(|(_, one)| is_interface(one.definition));
    let objects = indexed().filter(|(_, one)| !is_interface(one.definition));
    for (index, r#type) in interfaces.chain(objects) {
        check_interfaces(read, r#type, problems);
        check_columns(read, r#type, problems);
        let own = r#type.fields.iter().filter(|field| field.expanded.inherited.is_none());
        for field in own.filter(|field| field.base() != "ID") {
            let predicate = predicate_of(r#type, field);
            if !predicate.starts_with('~') {
                check_field(&mut firsts, (index, r#type), field, predicate, problems);
            }
        }
        check_secret(&mut firsts, (index, r#type), problems);
    }
}

fn check_field(
    firsts: &mut FxHashMap<String, First>,
    (index, r#type): (TypeIndex, &DeclaredType<'_>),
    field: &DeclaredField<'_>,
    predicate: String,
    problems: &mut Problems,
) {
    let definition = field.expanded.definition;
    let name = definition.r#type.base();
    let described = match definition.r#type {
        TypeExpression::Named { .. } => name.to_string(),
        TypeExpression::List { .. } => format!("[{name}]"),
    };
    let is_id = field.applied.has(Known::Id);
    let Some(first) = firsts.get(&predicate) else {
        let first = First {
            of: format!("{}.{}", r#type.definition.name, field.name()),
            interface: is_interface(r#type.definition).then_some(index),
            r#type: described,
            is_id,
            is_secret: false,
        };
        firsts.insert(predicate, first);
        return;
    };
    let at = field.at(At::r#type(r#type.definition));
    let of = &first.of;
    if first.is_secret {
        let message = format!(
            "the predicate `{predicate}` is the secret of `{of}`: choose another `@dgraph(pred:)`"
        );
        problems.refuse(at, message);
    } else if first.r#type != described {
        let message = format!(
            "`{of}` has the predicate `{predicate}` too, but the type {}: give both one type, or \
             choose another `@dgraph(pred:)`",
            first.r#type
        );
        problems.refuse(at, message);
    }
    if first.is_id != is_id {
        let message = format!(
            "`{of}` has the predicate `{predicate}` too: add `@id` to both or none, or choose \
             another `@dgraph(pred:)`"
        );
        problems.refuse(at, message);
    }
    if first.interface.is_some_and(|index| r#type.implements.contains(&index)) {
        let message = format!(
            "the type inherits `{of}` with the predicate `{predicate}`: choose another \
             `@dgraph(pred:)`"
        );
        problems.refuse(at, message);
    }
}

fn check_secret(
    firsts: &mut FxHashMap<String, First>,
    (index, r#type): (TypeIndex, &DeclaredType<'_>),
    problems: &mut Problems,
) {
    let Some(directive) = r#type.applied.find(Known::Secret) else { return };
    let predicate = find_argument(directive, "pred").map(|argument| &argument.value);
    let Some(Literal::String(predicate)) = predicate else { return };
    let at = At::r#type(r#type.definition).directive(directive);
    match firsts.get(&**predicate) {
        Some(first) if !first.is_secret => {
            let message = format!(
                "the predicate `{predicate}` is that of `{}`: choose another `pred`",
                first.of
            );
            problems.refuse(at, message);
        }
        Some(_) => {}
        None => {
            let first = First {
                of: r#type.definition.name.to_string(),
                interface: is_interface(r#type.definition).then_some(index),
                r#type: "String".to_owned(),
                is_id: false,
                is_secret: true,
            };
            firsts.insert(predicate.to_string(), first);
        }
    }
}

/// Reports a type whose interfaces share a predicate.
fn check_interfaces(read: &[DeclaredType<'_>], r#type: &DeclaredType<'_>, problems: &mut Problems) {
    let mut seen: FxHashMap<String, &str> = FxHashMap::default();
    for index in &r#type.implements {
        let interface = &read[index.0];
        let name = &*interface.definition.name;
        for field in interface.fields.iter().filter(|field| field.base() != "ID") {
            let predicate = predicate_of(interface, field);
            match seen.get(&predicate) {
                Some(other) if *other != name => {
                    let message = format!(
                        "its interfaces `{other}` and `{name}` share the predicate `{predicate}`: \
                         choose another `@dgraph(pred:)` in one of them"
                    );
                    problems.refuse(At::r#type(r#type.definition), message);
                }
                Some(_) => {}
                None => {
                    seen.insert(predicate, name);
                }
            }
        }
    }
}

/// Fields without `@dgraph(pred:)` whose column another predicate of a type has, by the type that
/// declares them: `Post.title` beside `title`. They are stored by their predicate.
pub(super) fn ambiguous<'d>(read: &[DeclaredType<'d>]) -> FxHashSet<(TypeIndex, &'d str)> {
    let mut ambiguous = FxHashSet::default();
    for (idx, r#type) in read.iter().enumerate() {
        let columns = columns(read, r#type);
        for (field, predicate, column) in &columns {
            let is_shared =
                columns.iter().any(|(_, other, name)| other != predicate && name == column);
            if is_shared && predicate::written(&field.applied).is_none() {
                let declaring = field.expanded.inherited.unwrap_or(TypeIndex(idx));
                ambiguous.insert((declaring, field.name()));
            }
        }
    }
    ambiguous
}

/// The predicate of a field without `@dgraph(pred:)`.
pub(super) fn own_predicate(
    read: &[DeclaredType<'_>],
    r#type: &DeclaredType<'_>,
    field: &DeclaredField<'_>,
) -> String {
    let declaring = field.expanded.inherited.map_or(r#type, |interface| &read[interface.0]);
    format!("{}.{}", declaring.stored_name(), field.name())
}

/// The stored fields of a type, each with its predicate, and with that without the name of the type.
fn columns<'a, 'd>(
    read: &'a [DeclaredType<'d>],
    r#type: &'a DeclaredType<'d>,
) -> Vec<(&'a DeclaredField<'d>, String, String)> {
    let owners = r#type.implements.iter().map(|index| read[index.0].stored_name());
    let owners: Vec<&str> = owners.chain([r#type.stored_name()]).collect();
    let stored = r#type
        .fields
        .iter()
        .filter(|field| field.base() != "ID" && !field.applied.has(Known::Custom));
    let columns = stored.map(|field| {
        let predicate = match predicate::written(&field.applied) {
            Some(written) => written.to_owned(),
            None => own_predicate(read, r#type, field),
        };
        let rest = owners.iter().find_map(|owner| predicate.strip_prefix(owner)?.strip_prefix('.'));
        let column = rest.unwrap_or(&predicate).to_owned();
        (field, predicate, column)
    });
    columns.collect()
}

/// Reports a predicate that is the field's own name beside the one that it has without: both would
/// be one column.
fn check_columns(read: &[DeclaredType<'_>], r#type: &DeclaredType<'_>, problems: &mut Problems) {
    let at = At::r#type(r#type.definition);
    let columns = columns(read, r#type);
    for (field, predicate, _) in &columns {
        if predicate != field.name() {
            continue;
        }
        let own = own_predicate(read, r#type, field);
        if let Some((other, ..)) = columns.iter().find(|(_, predicate, _)| *predicate == own) {
            let message = format!(
                "its predicate is `{predicate}`, and that of `{}` is `{own}`: choose another \
                 `@dgraph(pred:)`",
                other.name()
            );
            problems.refuse(field.at(at), message);
        }
    }
    check_secret_column(r#type, &columns, problems);
}

/// Reports a secret with the column of a field.
fn check_secret_column(
    r#type: &DeclaredType<'_>,
    columns: &[(&DeclaredField<'_>, String, String)],
    problems: &mut Problems,
) {
    let Some(directive) = r#type.applied.find(Known::Secret) else { return };
    let name = ["pred", "field"].iter().find_map(|name| {
        match find_argument(directive, name).map(|argument| &argument.value) {
            Some(Literal::String(name)) => Some(&**name),
            _ => None,
        }
    });
    let name = name.unwrap_or_default();
    let own = name.strip_prefix(r#type.stored_name()).and_then(|rest| rest.strip_prefix('.'));
    let column = own.unwrap_or(name);
    // A field with the name of the secret has a mistake of its own.
    let mut others = columns.iter().filter(|(field, ..)| field.name() != column);
    if let Some((field, ..)) = others.find(|(_, _, name)| name == column) {
        let message =
            format!("its column `{column}` is that of `{}`: choose another `pred`", field.name());
        problems.refuse(At::r#type(r#type.definition).directive(directive), message);
    }
}

fn predicate_of(r#type: &DeclaredType<'_>, field: &DeclaredField<'_>) -> String {
    match predicate::written(&field.applied) {
        Some(written) => written.to_owned(),
        None => format!("{}.{}", r#type.stored_name(), field.name()),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{accepted, refused};

    #[test]
    fn shared_predicates_have_one_type() {
        let text = "interface I { a: String @dgraph(pred: \"p\") }\n\
                    interface J @secret(field: \"s\", pred: \"q\") { b: Int @dgraph(pred: \"p\") }\n\
                    type T implements I & J { c: String! @id @dgraph(pred: \"r\") d: Int }\n\
                    type U implements I {\n e: String @dgraph(pred: \"r\")\n\
                    f: [Int] @dgraph(pred: \"T.d\")\n g: String @dgraph(pred: \"q\")\n\
                    h: String @dgraph(pred: \"p\")\n}\n\
                    type V @secret(field: \"s\", pred: \"r\") { i: Int }";
        refused(
            text,
            &expect![[r#"
            line 2, column 46: J.b: `I.a` has the predicate `p` too, but the type String: give both one type, or choose another `@dgraph(pred:)`
            line 3, column 6: T: its interfaces `I` and `J` share the predicate `p`: choose another `@dgraph(pred:)` in one of them
            line 5, column 2: U.e: `T.c` has the predicate `r` too: add `@id` to both or none, or choose another `@dgraph(pred:)`
            line 6, column 1: U.f: `T.d` has the predicate `T.d` too, but the type Int: give both one type, or choose another `@dgraph(pred:)`
            line 7, column 2: U.g: the predicate `q` is the secret of `J`: choose another `@dgraph(pred:)`
            line 8, column 1: U.h: the type inherits `I.a` with the predicate `p`: choose another `@dgraph(pred:)`
            line 10, column 9: V: the predicate `r` is that of `T.c`: choose another `pred`
        "#]],
        );
    }

    #[test]
    fn a_column_is_one_predicate() {
        let text = "type A { a: Int @dgraph(pred: \"a\")\n b: Int @dgraph(pred: \"a\")\n\
                    c: Int @dgraph(pred: \"A.a\")\n}\n\
                    type B @secret(field: \"pwd\") { d: String @dgraph(pred: \"B.pwd\") }";
        refused(
            text,
            &expect![[r#"
            line 1, column 10: A.a: its predicate is `a`, and that of `c` is `A.a`: choose another `@dgraph(pred:)`
            line 5, column 9: B: its column `pwd` is that of `d`: choose another `pred`
        "#]],
        );
    }

    #[test]
    fn nullability_is_each_field_s_own() {
        accepted(
            "type A { a: String @dgraph(pred: \"p\") b: [Int] @dgraph(pred: \"q\") }\n\
             type B { a: String! @dgraph(pred: \"p\") b: [Int!]! @dgraph(pred: \"q\") c: String\n\
             d: String @dgraph(pred: \"B.c\") }",
        );
    }
}
