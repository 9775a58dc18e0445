//! The type definitions of a suite's graph, with those that only make its schema large.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::Suite;

impl Suite {
    /// Writes the definitions in the form of a dialect into a folder; nothing where the suite has
    /// none.
    pub(crate) fn write_types(
        &self,
        dialect: &str,
        folder: &Path,
    ) -> Result<Option<PathBuf>, String> {
        let Some(types) = &self.file.types else { return Ok(None) };
        let name = types.files.get(dialect);
        let name = name.ok_or_else(|| format!("there are no types in the dialect `{dialect}`"))?;
        let told = |error: std::io::Error| format!("{name}: {error}");
        let mut text = fs::read_to_string(self.texts.join(name)).map_err(told)?;
        text.push_str(&others(types.others, text.contains("@node")));
        let path = folder.join(format!("{}-{dialect}.graphql", self.id));
        fs::write(&path, text).map_err(told)?;
        Ok(Some(path))
    }
}

/// So many types, each with a way to the next one.
fn others(count: u32, is_marked: bool) -> String {
    let mark = if is_marked { " @node" } else { "" };
    let mut text = String::new();
    for number in 1..=count {
        let next = number % count + 1;
        let _ = write!(
            text,
            "\ntype Thing{number:03}{mark} {{\n  name: String!\n  size: Int\n  weight: Float\n  \
             next: [Thing{next:03}!]! @relationship(type: \"NEXT\", direction: OUT)\n}}\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_stand_in_a_ring() {
        assert_eq!(others(0, true), "");
        let text = others(2, true);
        assert!(text.contains("type Thing001 @node {"), "{text}");
        assert!(text.contains("next: [Thing002!]!") && text.contains("next: [Thing001!]!"));
        assert!(others(1, false).contains("type Thing001 {"));
    }
}
