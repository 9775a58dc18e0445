//! Descriptions as block strings: <https://spec.graphql.org/draft/#sec-String-Value.Semantics>.

/// The length beyond which a description has lines of its own.
const LONG: usize = 70;

/// Writes a description above what it describes, with an empty line before it unless it is the
/// first of its block.
pub(crate) fn print_description(
    description: Option<&str>,
    indentation: &str,
    first_in_block: bool,
    output: &mut String,
) {
    let Some(description) = description else { return };
    if !indentation.is_empty() && !first_in_block {
        output.push('\n');
    }
    let text = if is_printable_as_block_string(description) {
        print_block_string(description)
    } else {
        let mut text = String::new();
        super::print_string(description, &mut text);
        text
    };
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            output.push('\n');
        }
        // An empty line has the indentation too, as the reference implementation writes it.
        output.push_str(indentation);
        output.push_str(line);
    }
    output.push('\n');
}

fn print_block_string(text: &str) -> String {
    let escaped = text.replace("\"\"\"", "\\\"\"\"");
    let single_line = !escaped.contains('\n');
    let starts_blank = |line: &str| line.starts_with([' ', '\t']);
    let force_leading_line = !single_line
        && escaped.split('\n').skip(1).all(|line| line.is_empty() || starts_blank(line));
    let trailing_triple_quotes = escaped.ends_with("\\\"\"\"");
    let force_trailing_line =
        (text.ends_with('"') && !trailing_triple_quotes) || text.ends_with('\\');
    let several_lines = !single_line
        || text.encode_utf16().count() > LONG
        || force_trailing_line
        || force_leading_line
        || trailing_triple_quotes;
    let skip_leading_line = single_line && starts_blank(text);

    let mut output = String::from("\"\"\"");
    if (several_lines && !skip_leading_line) || force_leading_line {
        output.push('\n');
    }
    output.push_str(&escaped);
    if several_lines {
        output.push('\n');
    }
    output.push_str("\"\"\"");
    output
}

/// True if the block string's value would be the text itself: no control characters, no blank first
/// or last line, no indentation common to all lines but the first.
fn is_printable_as_block_string(text: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    let blank = |line: &str| line.chars().all(|character| matches!(character, ' ' | '\t'));
    if text.chars().any(|character| character < ' ' && !matches!(character, '\n' | '\t')) {
        return false;
    }
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.collect();
    if blank(first) || rest.last().is_some_and(|line| blank(line)) {
        return false;
    }
    let mut filled = std::iter::once(first).chain(rest.iter().copied()).filter(|line| !blank(line));
    let all_indented = filled.all(|line| line.starts_with([' ', '\t']));
    rest.is_empty() || !all_indented
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn printed(texts: &[&str]) -> String {
        let mut output = String::from("type T {\n");
        for text in texts {
            print_description(Some(text), "  ", false, &mut output);
        }
        output + "}\n"
    }

    #[test]
    fn descriptions_are_block_strings_where_their_value_survives() {
        let long =
            "A description of more than seventy characters stands on lines of its own, always.";
        let texts = [
            "short",
            long,
            "two\nlines",
            "ends with \"quote\"",
            " leading",
            "has \"\"\" inside",
            "a\tb\u{1}",
            "\nblank first",
            "a\n  b",
        ];
        expect![[r#"
            type T {

              """short"""

              """
              A description of more than seventy characters stands on lines of its own, always.
              """

              """
              two
              lines
              """

              """
              ends with "quote"
              """

              """ leading"""

              """has \""" inside"""

              "a\tb\u0001"

              "\nblank first"

              """
              a
                b
              """
            }
        "#]]
        .assert_eq(&printed(&texts));
    }
}
