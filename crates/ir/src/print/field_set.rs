//! Keys of federation as field sets: `sku variation { id }`.

use crate::operand::FieldPath;

/// Prints the fields at the end of the paths, adjacent ones of one object together.
#[must_use]
pub fn print_field_set(paths: &[FieldPath]) -> String {
    let paths: Vec<&[Box<str>]> = paths.iter().map(AsRef::as_ref).collect();
    let mut text = String::new();
    print_paths(&paths, &mut text);
    text
}

/// Recursion is bounded by the length of the paths.
fn print_paths(paths: &[&[Box<str>]], text: &mut String) {
    let mut rest = paths;
    while let Some(name) = rest.first().and_then(|path| path.first()) {
        let same = rest.iter().take_while(|path| path.first() == Some(name)).count();
        let (own, others) = rest.split_at(same);
        if !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(name);
        let below = own.iter().filter_map(|path| path.get(1..)).filter(|path| !path.is_empty());
        let below: Vec<&[Box<str>]> = below.collect();
        if !below.is_empty() {
            text.push_str(" { ");
            print_paths(&below, text);
            text.push_str(" }");
        }
        rest = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paths: &[&[&str]], expected: &str) {
        let path = |path: &&[&str]| path.iter().map(|name| (*name).into()).collect();
        let paths: Vec<FieldPath> = paths.iter().map(path).collect();
        assert_eq!(print_field_set(&paths), expected);
    }

    #[test]
    fn fields_of_one_object_stand_together() {
        check(&[&["id"]], "id");
        check(&[&["sku"], &["package"]], "sku package");
        check(&[&["sku"], &["variation", "id"]], "sku variation { id }");
        check(&[&["a", "b", "c"], &["a", "b", "d"], &["a", "e"], &["f"]], "a { b { c d } e } f");
        check(&[], "");
    }
}
