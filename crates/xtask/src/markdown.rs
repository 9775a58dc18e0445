//! Links and anchors of Markdown files, as GitHub and mdBook read them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A link or an image, whose target stands at `range` of the text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) line: usize,
    pub(crate) target: String,
    pub(crate) range: Range<usize>,
    /// Of the whole link, with its text; the target alone where it is an attribute or a definition.
    pub(crate) whole: Range<usize>,
}

/// The links outside of code, in their order.
pub(crate) fn links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for (number, start, line) in prose(text) {
        let masked = without_code(line);
        let mut push = |range: Range<usize>, whole: Range<usize>| {
            let target = line.get(range.clone()).unwrap_or_default();
            let target = target.trim_matches(['<', '>']).to_owned();
            if !target.is_empty() {
                let shift = |range: Range<usize>| range.start + start..range.end + start;
                links.push(Link { line: number, target, range: shift(range), whole: shift(whole) });
            }
        };
        for (at, _) in masked.match_indices("](") {
            let from = at + 2;
            let Some(length) = target_length(&masked[from..]) else { continue };
            let begin = text_start(&masked, at).unwrap_or(from);
            let close = masked[from + length..].find(')').map_or(length, |end| length + end + 1);
            push(from..from + length, begin..from + close);
        }
        for attribute in ["href=\"", "src=\""] {
            for (at, _) in masked.match_indices(attribute) {
                let from = at + attribute.len();
                let length = masked[from..].find('"').unwrap_or(0);
                push(from..from + length, from..from + length);
            }
        }
        if masked.starts_with('[')
            && let Some(at) = masked.find("]: ")
        {
            push(at + 3..line.trim_end().len(), at + 3..line.trim_end().len());
        }
    }
    links
}

/// The names that links of the file may end with.
pub(crate) fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut headings: BTreeMap<String, usize> = BTreeMap::new();
    for (_, _, line) in prose(text) {
        let level = line.chars().take_while(|c| *c == '#').count();
        if level > 0 && line[level..].starts_with(' ') {
            let name = anchor(line[level..].trim());
            let count = headings.entry(name.clone()).or_default();
            anchors.insert(if *count == 0 { name } else { format!("{name}-{count}") });
            *count += 1;
        }
        for attribute in [" id=\"", " name=\""] {
            anchors.extend(attributes(line, attribute).map(str::to_owned));
        }
    }
    anchors
}

/// The values of an attribute, which is given with what stands around its name: ` id="`.
pub(crate) fn attributes<'t>(text: &'t str, attribute: &str) -> impl Iterator<Item = &'t str> {
    text.split(attribute).skip(1).filter_map(|rest| rest.split('"').next())
}

/// The name of a heading: its text in lower case, without punctuation, with hyphens for spaces.
fn anchor(heading: &str) -> String {
    let mut text = String::new();
    let mut rest = heading;
    // Of a link its text alone.
    while let Some((before, link)) = rest.split_once("](") {
        text.push_str(before);
        rest = link.split_once(')').map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    let kept = text.chars().filter(is_kept);
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The lines outside of fenced blocks, with their numbers and where they begin.
fn prose(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    let mut is_code = false;
    let mut start = 0;
    text.split_inclusive('\n').enumerate().filter_map(move |(index, line)| {
        let begin = start;
        start += line.len();
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((index + 1, begin, line))
    })
}

/// The line with its spans of code blanked, byte for byte.
fn without_code(line: &str) -> String {
    let mut masked = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let ticks = rest[at..].chars().take_while(|c| *c == '`').count();
        let fence = "`".repeat(ticks);
        let from = at + ticks;
        let Some(end) = rest[from..].find(&fence) else { break };
        let after = from + end + ticks;
        masked.push_str(&rest[..at]);
        masked.push_str(&" ".repeat(after - at));
        rest = &rest[after..];
    }
    masked.push_str(rest);
    masked
}

/// The length of a target up to its title or the closing parenthesis.
fn target_length(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            ' ' | '\n' => return Some(at),
            _ => {}
        }
    }
    None
}

/// Where the text of a link begins whose `]` is at `end`.
fn text_start(line: &str, end: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in line[..end].char_indices().rev() {
        match c {
            ']' => depth += 1,
            '[' if depth == 0 => return Some(at),
            '[' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Vec<String> {
        links(text).into_iter().map(|link| link.target).collect()
    }

    #[test]
    fn links_outside_of_code_are_found() {
        let text = "[a](b.md#c) `[x](y)` [`d`](e(f).md \"title\")\n```\n[g](h)\n```\n\
                    <img src=\"i.svg\"> ![j](k.png)\n[l]: m.md\n";
        assert_eq!(targets(text), ["b.md#c", "e(f).md", "k.png", "i.svg", "m.md"]);
        let link = &links("x [a [b]](c) y")[0];
        assert_eq!((link.range.clone(), link.whole.clone()), (10..11, 2..12));
    }

    #[test]
    fn headings_are_anchors() {
        let text = "# `--mcp`: Tools, & [more](x.md)\n## A_b\n## A_b\n<a id=\"old\"></a>\n```\n# no\n```\n";
        let expected = ["--mcp-tools--more", "a_b", "a_b-1", "old"];
        assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), expected);
    }
}
