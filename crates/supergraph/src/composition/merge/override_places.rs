//! Places and labels of `@override`.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/directives#override>

use super::Merger;
use crate::composition::schema::{Applied, Kind, Subgraph, find};
use crate::composition::specifications::Meaning;
use crate::composition::{Code, Finding};

/// Largest number of decimal places of a percentage.
const DECIMALS: usize = 8;

impl Merger<'_> {
    /// Adds errors for overrides of fields that cannot be overridden, and for invalid labels.
    pub(super) fn check_override_places(&mut self) {
        for subgraph in self.subgraphs {
            for r#type in &subgraph.types {
                for field in r#type.fields() {
                    let Some(applied) = find(&field.applied, Meaning::Override) else { continue };
                    let coordinate = [&*r#type.name, ".", &field.name].concat();
                    let finding = if let Kind::Interface(_) = r#type.kind {
                        Some((
                            Code::OverrideOnInterface,
                            "is a field of an interface, and cannot have `@override`",
                            "Mark the fields of the implementations instead.",
                        ))
                    } else if r#type.is_interface_object() {
                        Some((
                            Code::OverrideCollisionWithAnotherDirective,
                            "is a field of an interface object, and cannot have `@override`",
                            "Remove `@override`, and the field from the other subgraph.",
                        ))
                    } else {
                        None
                    };
                    if let Some((code, problem, remedy)) = finding {
                        let message = format!(
                            "`{coordinate}` in the subgraph \"{}\" {problem}.",
                            subgraph.name
                        );
                        self.errors.push(located(
                            subgraph,
                            applied,
                            code,
                            &coordinate,
                            &message,
                            remedy,
                        ));
                    }
                    if let Some(label) = applied.text("label")
                        && !is_label(label)
                    {
                        let message = format!(
                            "The label `{label}` of `@override` on `{coordinate}` in the subgraph \
                             \"{}\" is invalid.",
                            subgraph.name
                        );
                        let remedy = "Write `percent(NUMBER)` with a number up to 100; or a name that \
                                      begins with a letter, of letters, digits and `_-:./`.";
                        let code = Code::OverrideLabelInvalid;
                        self.errors.push(located(
                            subgraph,
                            applied,
                            code,
                            &coordinate,
                            &message,
                            remedy,
                        ));
                    }
                }
            }
        }
    }
}

fn located(
    subgraph: &Subgraph,
    applied: &Applied,
    code: Code,
    coordinate: &str,
    message: &str,
    remedy: &str,
) -> Finding {
    let place = subgraph.place(applied.at());
    Finding::new(code, message).on(coordinate).at(place).remedy(remedy)
}

/// Whether a text is a name or a percentage.
fn is_label(label: &str) -> bool {
    let percentage = label.strip_prefix("percent(").and_then(|rest| rest.strip_suffix(')'));
    if percentage.is_some_and(is_percentage) {
        return true;
    }
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-:./".contains(letter);
    label.starts_with(|first: char| first.is_ascii_alphabetic()) && label.chars().all(is_letter)
}

fn is_percentage(text: &str) -> bool {
    if text == "100" {
        return true;
    }
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole) && are_digits(decimals) && whole.len() <= 2 && decimals.len() <= DECIMALS
}

#[cfg(test)]
mod tests {
    use super::is_label;

    #[test]
    fn labels_are_names_or_percentages() {
        for label in ["percent(0)", "percent(12.5)", "percent(100)", "team.one/flag-2", "a", "a:b"]
        {
            assert!(is_label(label), "{label}");
        }
        for label in ["", "percent(101)", "percent(1.123456789)", "percent(.5)", "1a", "a b"] {
            assert!(!is_label(label), "{label}");
        }
    }
}
