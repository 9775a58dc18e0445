//! The report as one page, which asks nobody for anything: a policy that names its style and its
//! script by their hashes forbids everything else.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::summary::Report;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");

/// One script of all, in the order in which they need each other.
const SCRIPTS: [&str; 12] = [
    include_str!("page/format.js"),
    include_str!("page/element.js"),
    include_str!("page/model.js"),
    include_str!("page/scale.js"),
    include_str!("page/plot.js"),
    include_str!("page/bars.js"),
    include_str!("page/overview.js"),
    include_str!("page/explore.js"),
    include_str!("page/starts.js"),
    include_str!("page/numbers.js"),
    include_str!("page/about.js"),
    include_str!("page/page.js"),
];

pub(super) fn page(report: &Report) -> Result<String, serde_json::Error> {
    let script = SCRIPTS.join("\n");
    let style_hash = hash(STYLE);
    let script_hash = hash(&script);
    let policy = format!(
        "default-src 'none'; style-src '{style_hash}'; script-src '{script_hash}'; img-src data:; \
         base-uri 'none'; form-action 'none'"
    );
    let data = embedded(&serde_json::to_string(report)?);
    Ok(fill(PAGE, &[("policy", &policy), ("style", STYLE), ("script", &script), ("data", &data)]))
}

/// The hash by which a policy names an allowed text.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// JSON that ends no element of a page: `<` stands only in its strings, where it can be escaped.
fn embedded(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// Puts each text where its name stands in braces; what a text says is not looked at.
fn fill(template: &str, texts: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let found = after.split_once("}}").and_then(|(name, after)| {
            let (_, text) = texts.iter().find(|(known, _)| *known == name)?;
            Some((*text, after))
        });
        if let Some((text, after)) = found {
            filled.push_str(text);
            rest = after;
        } else {
            filled.push_str("{{");
            rest = after;
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_data() {
        let json = serde_json::to_string("</script><!--<script>").unwrap();
        let embedded = embedded(&json);
        assert!(!embedded.contains('<'), "{embedded}");
        let read: String = serde_json::from_str(&embedded).unwrap();
        assert_eq!(read, "</script><!--<script>");
    }

    #[test]
    fn a_text_with_braces_is_not_filled() {
        let filled = fill("a {{one}} {{two}} {{three}} b", &[("one", "{{two}}"), ("two", "2")]);
        assert_eq!(filled, "a {{two}} 2 {{three}} b");
    }
}
