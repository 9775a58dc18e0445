//! Line breaks in descriptions, where PostGraphile has them: tools compare schemas by their text.

/// The maximum length of an unbroken line, beside its indentation.
const LINE: usize = 120;
/// The tolerance before a longer line is broken.
const GRACE: usize = 5;
/// The minimum length of a broken line …
const SHORTEST: usize = 15;
/// … and the distance of its minimum from the maximum.
const SHORTER: usize = 40;

/// The description of a type, with long lines broken at spaces.
pub(super) fn wrap(description: &str) -> String {
    let lines = description.split('\n').map(wrap_line);
    lines.collect::<Vec<_>>().join("\n")
}

fn wrap_line(line: &str) -> String {
    let characters: Vec<char> = line.chars().collect();
    if characters.len() < LINE + GRACE {
        return line.to_owned();
    }
    let text = |from: usize, end: usize| characters[from..end].iter().collect::<String>();
    // The text between two pieces ends the line of the first.
    let mut lines: Vec<String> = Vec::new();
    let mut from = 0;
    while let Some((start, end)) = find_piece(&characters, from) {
        match lines.last_mut() {
            Some(last) => {
                last.push_str(&text(from, start));
                // Without its leading space.
                lines.push(text(start + 1, end));
            }
            None => lines.push(text(0, end)),
        }
        from = end;
    }
    let rest = text(from, characters.len());
    match lines.last_mut() {
        Some(last) => last.push_str(&rest),
        None => lines.push(rest),
    }
    lines.join("\n")
}

/// The first and longest run of characters that begins at a space or at the beginning, and ends
/// before a space or at the end.
fn find_piece(characters: &[char], from: usize) -> Option<(usize, usize)> {
    let is_end = |end: &usize| characters.get(*end).is_none_or(|next| *next == ' ');
    let longest = LINE - SHORTER;
    (from..characters.len()).find_map(|start| {
        let text = match characters[start] {
            ' ' => start + 1,
            _ if start == 0 => start,
            _ => return None,
        };
        let ends = (text + SHORTEST..=(text + longest).min(characters.len())).rev();
        ends.into_iter().find(is_end).map(|end| (start, end))
    })
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn long_lines_are_broken_at_spaces() {
        let check = |expected: &str| {
            assert_eq!(wrap(&expected.replace('\n', " ")), expected);
        };
        check("A description of a type that is not long.");
        check(
            "A condition to be used against `ParentNode` object types. All fields are tested\n\
             for equality and combined with a logical ‘and.’",
        );
        check(
            "A condition to be used against `PersonSecret` object types. All fields are\n\
             tested for equality and combined with a logical ‘and.’",
        );
        check(
            "A point in time as described by the [ISO\n\
             8601](https://en.wikipedia.org/wiki/ISO_8601) standard. May or may not include a timezone.",
        );
        check(
            "A signed eight-byte integer. The upper big integer values are greater than the\n\
             max value for a JavaScript number. Therefore all big integers will be output as\n\
             strings and not numbers.",
        );
    }
}
