//! Names of folders in arguments.

/// A name that leads to no other folder.
pub(crate) fn folder_name(name: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    match name.starts_with('.') || name.is_empty() || !name.chars().all(is_plain) {
        true => {
            Err("a folder's name has letters, digits, `-`, `_` and `.`, which is not the first"
                .into())
        }
        false => Ok(name.to_owned()),
    }
}
