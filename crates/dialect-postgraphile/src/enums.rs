//! Enums: labels as names.

use std::collections::HashSet;
use std::sync::Arc;

use catalog::{EnumLabel, Scalar, Type};
use graphql::schema::{EnumValueDefinition, TypeKind, TypeRef, is_name};
use ir::{Form, ValueForm};
use response::{EnumNames, Leaf};

use super::Version;
use super::api_types::ValueType;
use super::build::Build;
use super::types::{Definition, value_type};
use api::binding::{ValueBinding, ValueShape};
use api::case::{constant_case, spell, spell_foreign};

/// The type of an enum, or of a domain over it. Labels may have given names.
pub(super) fn value(
    build: &mut Build<'_>,
    (labels, given): (&[EnumLabel], &[Option<&str>]),
    database_name: &str,
    definition: Definition,
) -> Option<ValueType> {
    if labels.is_empty() {
        // No value can be stored, and GraphQL has no empty enums.
        return value_type(build, &Type::Scalar(Scalar::Text));
    }
    let kind = TypeKind::Enum { values: Vec::new() };
    let r#type = build.add_type(&definition.name, definition.description, kind)?;
    let names = value_names(labels.iter().enumerate().map(|(place, label)| {
        match given.get(place).copied().flatten() {
            Some(name) => name.to_owned(),
            None => match build.options.version {
                Version::Four => value_name(&label.label),
                Version::Five => unchanged_name(&label.label),
            },
        }
    }));
    for (label, name) in labels.iter().zip(&names) {
        let description = label.description.as_deref().map(Into::into);
        let value = EnumValueDefinition { description, ..EnumValueDefinition::new(name) };
        build.api.add_enum_value(r#type, value, ValueBinding::Label(label.label.clone()));
    }
    let labelled = labels.iter().zip(&names);
    let labelled = labelled.map(|(label, name)| (name.as_str().into(), label.label.clone()));
    build.api.bind_form(r#type, ValueForm::Name(labelled.collect()));
    let pairs = labels.iter().zip(names).map(|(label, name)| (label.label.clone(), name.into()));
    let output = TypeRef::named(r#type);
    Some(ValueType {
        output,
        value: ValueShape::Leaf(Leaf::Enum(Arc::new(EnumNames::new(pairs)))),
        json: Leaf::Text,
        form: Form::Stored,
        input: Some(output),
        equal: true,
        ordered: true,
        database_name: database_name.into(),
    })
}

/// A name for each label. Of several labels with one name the first keeps it; the others get a
/// number, since a label without a name could not be output.
fn value_names(wanted: impl Iterator<Item = String>) -> Vec<String> {
    let wanted: Vec<String> = wanted.collect();
    let mut taken: HashSet<String> = HashSet::new();
    let free: HashSet<&String> = wanted.iter().collect();
    let mut names = Vec::with_capacity(wanted.len());
    for name in &wanted {
        let mut unique = name.clone();
        let mut number = 2;
        while taken.contains(&unique) || (unique != *name && free.contains(&unique)) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        taken.insert(unique.clone());
        names.push(unique);
    }
    names
}

/// A label as it is, where it is a name: version 5 does not change its case.
fn unchanged_name(label: &str) -> String {
    if label.is_empty() {
        return "_EMPTY_".into();
    }
    let mut name = String::new();
    for sign in word(label).chars() {
        match sign {
            sign if sign.is_ascii_alphanumeric() || sign == '_' => name.push(sign),
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, '_');
    }
    // GraphQL reserves these three words: no value of an enum can have one of them as its name.
    let is_reserved = matches!(name.as_str(), "true" | "false" | "null");
    match is_name(&name) && !name.starts_with("__") && !is_reserved {
        true => name,
        false => value_name(label),
    }
}

fn value_name(label: &str) -> String {
    if label.is_empty() {
        return "_EMPTY_".into();
    }
    let name = constant_case(&word(label));
    if is_name(&name) {
        return name;
    }
    // Labels without Latin letters, and those that begin with two underscores: PostGraphile's
    // whole schema fails for them.
    let spelled = constant_case(&spell(label));
    let rest = spelled.trim_start_matches('_');
    match (spelled.len() - rest.len(), rest) {
        (0 | 1, _) if is_name(&spelled) => spelled,
        (_, rest) if !rest.is_empty() => format!("_{rest}"),
        _ => label.chars().map(|sign| format!("U{:04X}", u32::from(sign))).collect(),
    }
}

/// A label of signs only, in words; asterisks in words anywhere.
fn word(label: &str) -> String {
    let known = match label {
        ">" => "GREATER_THAN",
        ">=" => "GREATER_THAN_OR_EQUAL",
        "=" => "EQUAL",
        "!=" => "NOT_EQUAL",
        "<>" => "DIFFERENT",
        "<=" => "LESS_THAN_OR_EQUAL",
        "<" => "LESS_THAN",
        "~~" => "LIKE",
        "!~~" => "NOT_LIKE",
        "~" => "TILDE",
        "!~" => "NOT_TILDE",
        "%" => "PERCENT",
        "+" => "PLUS",
        "-" => "MINUS",
        "/" => "SLASH",
        "\\" => "BACKSLASH",
        "_" => "UNDERSCORE",
        "#" => "POUND",
        "£" => "STERLING",
        "$" => "DOLLAR",
        "&" => "AMPERSAND",
        "@" => "AT",
        "'" => "APOSTROPHE",
        "\"" => "QUOTE",
        "`" => "BACKTICK",
        ":" => "COLON",
        ";" => "SEMICOLON",
        "!" => "EXCLAMATION_POINT",
        "?" => "QUESTION_MARK",
        "," => "COMMA",
        "." => "DOT",
        "^" => "CARET",
        "|" => "BAR",
        "[" => "OPEN_BRACKET",
        "]" => "CLOSE_BRACKET",
        "(" => "OPEN_PARENTHESIS",
        ")" => "CLOSE_PARENTHESIS",
        "{" => "OPEN_BRACE",
        "}" => "CLOSE_BRACE",
        _ => return with_asterisks(label),
    };
    known.into()
}

/// `*_x` → `ASTERISK_x`. Of the underscores around the word, one stays where the label had one.
fn with_asterisks(label: &str) -> String {
    if !label.contains('*') {
        return spell_foreign(label);
    }
    let spelled = spell_foreign(&label.replace('*', "_ASTERISK_"));
    let rest = spelled.trim_start_matches('_');
    let start = if rest.starts_with("ASTERISK") {
        // The label's own underscore, beside the one of the word.
        if spelled.len() - rest.len() > 1 { "_" } else { "" }
    } else {
        spelled.get(..spelled.len() - rest.len()).unwrap_or_default()
    };
    let middle = rest.trim_end_matches('_');
    let end = if middle.ends_with("ASTERISK") {
        if rest.len() - middle.len() > 1 { "_" } else { "" }
    } else {
        rest.get(middle.len()..).unwrap_or_default()
    };
    format!("{start}{middle}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_the_names_of_postgraphile() {
        let labels = [
            "b",
            "a",
            "C d",
            "x-y",
            "true",
            "null",
            "a.b",
            "1",
            "+",
            "mixedCase",
            "$",
            "",
            "<",
            "!=",
            "very-happy",
            "1st",
            "a*",
            "*",
            "*b",
        ];
        let names = [
            "B",
            "A",
            "C_D",
            "X_Y",
            "TRUE",
            "NULL",
            "A_B",
            "_1",
            "PLUS",
            "MIXED_CASE",
            "DOLLAR",
            "_EMPTY_",
            "LESS_THAN",
            "NOT_EQUAL",
            "VERY_HAPPY",
            "_1ST",
            "A_ASTERISK",
            "ASTERISK",
            "ASTERISK_B",
        ];
        assert_eq!(value_names(labels.into_iter().map(value_name)), names);
    }

    #[test]
    fn version_5_keeps_labels_except_the_words_that_graphql_reserves() {
        let labels = ["draft", "mixedCase", "x-y", "true", "false", "null", "True", "1st", "__x"];
        let names = ["draft", "mixedCase", "x_y", "TRUE", "FALSE", "NULL", "True", "_1st", "_X"];
        assert_eq!(labels.map(unchanged_name), names);
    }

    #[test]
    fn every_label_has_a_name_of_its_own() {
        let labels = ["A_B", "a:b", "a b", "A_B_2", "__x", "é", "имя", "☂", "__"];
        let names =
            ["A_B", "A_B_3", "A_B_4", "A_B_2", "_X", "E", "U0438U043CU044F", "U2602", "U005FU005F"];
        assert_eq!(value_names(labels.into_iter().map(value_name)), names);
    }
}
