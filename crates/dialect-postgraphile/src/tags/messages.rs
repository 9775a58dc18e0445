//! Error texts of constraint violations: the tag `@error`, as in the plugin constraint-error-tags,
//! on constraints of every kind.

use catalog::Catalog;

use super::file::{Kind, Rule, TagsFile};
use super::parse;
use api::ConstraintMessage;

/// The tag.
const ERROR: &str = "error";

/// Those of the file first, and there the last ones: look-ups take the first.
pub(crate) fn messages(catalog: &Catalog, file: &TagsFile) -> Vec<ConstraintMessage> {
    let of_file = file.rules.iter().rev().filter_map(of_rule);
    let of_comments = catalog.constraint_comments().iter().filter_map(|comment| {
        let annotated = parse(&comment.description);
        Some(ConstraintMessage {
            namespace: comment.namespace.clone(),
            owner: comment.owner.clone(),
            constraint: comment.name.clone(),
            text: annotated.tags.text(ERROR)?.into(),
        })
    });
    of_file.chain(of_comments).collect()
}

/// True if a rule is about messages only: its constraint need not be in a catalog.
pub(super) fn is_message(rule: &Rule) -> bool {
    rule.kind == Kind::Constraint
        && !rule.tags.is_empty()
        && rule.tags.iter().all(|(name, _)| &**name == ERROR)
}

fn of_rule(rule: &Rule) -> Option<ConstraintMessage> {
    let (_, values) = rule.tags.iter().find(|(name, _)| &**name == ERROR)?;
    let text = values.iter().find_map(|value| value.as_deref())?;
    let (namespace, owner, constraint) = match (&*rule.parts, rule.kind) {
        ([namespace, owner, constraint], Kind::Constraint) => (Some(namespace), owner, constraint),
        ([owner, constraint], Kind::Constraint) => (None, owner, constraint),
        _ => return None,
    };
    Some(ConstraintMessage {
        namespace: namespace.cloned(),
        owner: owner.clone(),
        constraint: constraint.clone(),
        text: text.into(),
    })
}

#[cfg(test)]
mod tests {
    use catalog::{Builder, Capabilities, ConstraintComment};

    use super::*;

    #[test]
    fn the_file_speaks_before_the_comments() {
        let mut builder = Builder::new(Capabilities::default());
        let mut comment = |name: &str, description: &str| {
            builder.constraint_comment(ConstraintComment {
                namespace: Some("app".into()),
                owner: "person".into(),
                name: name.into(),
                description: description.into(),
            });
        };
        comment("mail_key", "@error This address is taken.\nFor all.");
        comment("age_check", "@omit\n@error Too young.");
        comment("other", "An @error for people.");
        let file = r#"{ version: 1, config: {
            constraint: { "person.mail_key": { tags: { error: "Taken." } } },
            class: { person: { constraint: { name_check: { tags: { error: "No name." } } } } },
        } }"#;
        let file = TagsFile::parse(file).expect("a tags file");
        let found = messages(&builder.finish(), &file);
        let found: Vec<_> = found.iter().map(|one| (&*one.constraint, &*one.text)).collect();
        assert_eq!(
            found,
            [
                ("mail_key", "Taken."),
                ("name_check", "No name."),
                ("mail_key", "This address is taken."),
                ("age_check", "Too young."),
            ]
        );
        assert!(file.rules.iter().filter(|rule| rule.kind == Kind::Constraint).all(is_message));
    }
}
