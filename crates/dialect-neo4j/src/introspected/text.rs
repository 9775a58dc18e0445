//! Prints type definitions in GraphQL's schema language.
//!
//! Names of types and fields were made to be GraphQL names; labels, types and properties are
//! texts that anybody may have chosen, in arguments of directives as well as in comments.

use std::fmt::Write as _;

use super::definition::{Argument, Directive, FieldDefinition, Keyword, TypeDefinition};

/// Prints the definitions below some lines of comments.
pub(super) fn print(head: &[String], definitions: &[TypeDefinition]) -> String {
    let mut output = String::new();
    comments(head, "", &mut output);
    for definition in definitions {
        if !output.is_empty() {
            output.push('\n');
        }
        type_definition(definition, &mut output);
    }
    output
}

/// A text of the graph as it may stand in a line of comments: between quotes, on one line.
pub(super) fn quoted(text: &str) -> String {
    let mut output = String::with_capacity(text.len() + 2);
    string(text, &mut output);
    output
}

fn type_definition(definition: &TypeDefinition, output: &mut String) {
    comments(&definition.comments, "", output);
    output.push_str(match definition.keyword {
        Keyword::Type => "type ",
        Keyword::Interface => "interface ",
    });
    output.push_str(&definition.name);
    directives(&definition.directives, output);
    output.push_str(" {\n");
    for field in &definition.fields {
        field_definition(field, output);
    }
    output.push_str("}\n");
}

fn field_definition(field: &FieldDefinition, output: &mut String) {
    comments(&field.comments, "  ", output);
    output.push_str("  ");
    output.push_str(&field.name);
    output.push_str(": ");
    output.push_str(&field.r#type);
    directives(&field.directives, output);
    output.push('\n');
}

fn comments(lines: &[String], indent: &str, output: &mut String) {
    for line in lines {
        output.push_str(indent);
        output.push_str("# ");
        output.push_str(line);
        output.push('\n');
    }
}

fn directives(directives: &[Directive], output: &mut String) {
    for directive in directives {
        output.push_str(" @");
        output.push_str(directive.name);
        if !directive.arguments.is_empty() {
            output.push('(');
            members(&directive.arguments, output);
            output.push(')');
        }
    }
}

fn members(members: &[(&'static str, Argument)], output: &mut String) {
    for (place, (name, value)) in members.iter().enumerate() {
        if place > 0 {
            output.push_str(", ");
        }
        output.push_str(name);
        output.push_str(": ");
        argument(value, output);
    }
}

fn argument(value: &Argument, output: &mut String) {
    match value {
        Argument::Text(text) => string(text, output),
        Argument::Word(word) => output.push_str(word),
        Argument::List(elements) => {
            output.push('[');
            for (place, element) in elements.iter().enumerate() {
                if place > 0 {
                    output.push_str(", ");
                }
                argument(element, output);
            }
            output.push(']');
        }
        Argument::Object(object) => {
            output.push_str("{ ");
            members(object, output);
            output.push_str(" }");
        }
    }
}

/// Everything that ends a line for somebody, or shows text in another order than it has, is
/// escaped: what stands in a comment must not be able to leave it, nor to hide in it.
fn string(text: &str, output: &mut String) {
    output.push('"');
    for character in text.chars() {
        match character {
            '"' => output.push_str("\\\""),
            '\\' => output.push_str("\\\\"),
            '\n' => output.push_str("\\n"),
            '\r' => output.push_str("\\r"),
            '\t' => output.push_str("\\t"),
            '\u{2028}'
            | '\u{2029}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{feff}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => escape(character, output),
            _ if character.is_control() => escape(character, output),
            _ => output.push(character),
        }
    }
    output.push('"');
}

/// All these characters have a code point of four digits.
fn escape(character: char, output: &mut String) {
    let written = write!(output, "\\u{:04X}", u32::from(character));
    debug_assert!(written.is_ok(), "writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_inside_their_quotes_and_on_their_line() {
        let cases = [
            ("plain", r#""plain""#),
            (r#"a "b" \c"#, r#""a \"b\" \\c""#),
            ("a\nb\r\tc", r#""a\nb\r\tc""#),
            ("\u{0}\u{7f}\u{85}", r#""\u0000\u007F\u0085""#),
            ("a\u{2028}b\u{202e}c", r#""a\u2028b\u202Ec""#),
            ("größe 🎬 `x`", r#""größe 🎬 `x`""#),
            ("", r#""""#),
        ];
        for (text, expected) in cases {
            assert_eq!(quoted(text), expected, "{text:?}");
        }
    }

    #[test]
    fn definitions_stand_below_their_comments_and_one_line_apart() {
        let field = |name: &str, comments: &[&str], directives| FieldDefinition {
            comments: comments.iter().map(|&line| line.to_owned()).collect(),
            name: name.to_owned(),
            r#type: "[Int!]".to_owned(),
            directives,
        };
        let object = Argument::Object(vec![
            ("fields", Argument::texts(["a", "b"])),
            ("name", Argument::Text("x".into())),
        ]);
        let index = Directive::with("index", [("by", Argument::List(vec![object]))]);
        let way = Directive::with("way", [("to", Argument::Word("IN"))]);
        let definitions = [
            TypeDefinition {
                comments: vec!["First.".into()],
                keyword: Keyword::Type,
                name: "A".into(),
                directives: vec![Directive::plain("node"), index],
                fields: vec![field("a", &["One.", "Two."], vec![way]), field("b", &[], vec![])],
            },
            TypeDefinition {
                comments: Vec::new(),
                keyword: Keyword::Interface,
                name: "B".into(),
                directives: Vec::new(),
                fields: vec![field("c", &[], vec![])],
            },
        ];
        expect_test::expect![[r##"
            # Head.

            # First.
            type A @node @index(by: [{ fields: ["a", "b"], name: "x" }]) {
              # One.
              # Two.
              a: [Int!] @way(to: IN)
              b: [Int!]
            }

            interface B {
              c: [Int!]
            }
        "##]]
        .assert_eq(&print(&["Head.".into()], &definitions));
    }
}
