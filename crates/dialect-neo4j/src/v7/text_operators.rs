//! Operators on texts, with those that options add.

use ir::{Comparison, TextMatch};

use super::operators::{add, add_list, operator};
use crate::shared::builder::Builder;
use crate::shared::draft::DraftInput;
use crate::shared::text_filters::{TextOperator, TextType, operators_of};
use api::binding::{FilterRole, InputBinding, OperatorRole};

/// The type of operators that ignore case.
const IGNORING_CASE: &str = "CaseInsensitiveStringScalarFilters";

/// Treatment of upper and lower case by operators.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    Different,
    Same,
}

pub(super) fn define(build: &mut Builder<'_>) {
    for r#type in [TextType::Id, TextType::String] {
        let name = r#type.name();
        let operators = operators(build, r#type, Letters::Different);
        add(build, &format!("{name}ScalarFilters"), &format!("{name} filters"), operators);
        add_list(build, &format!("{name}ListFilters"), &format!("{name} list filters"), name);
    }
    let operators = operators(build, TextType::String, Letters::Same);
    add(build, IGNORING_CASE, "Case insensitive String filters", operators);
}

fn operators(build: &Builder<'_>, r#type: TextType, letters: Letters) -> Vec<DraftInput> {
    let name = r#type.name();
    let compare = |field: &str, of: &str, comparison| {
        let role = match letters {
            Letters::Different => OperatorRole::Compare(comparison),
            Letters::Same => OperatorRole::CompareIgnoringCase(comparison),
        };
        DraftInput::new(field, of, operator(role))
    };
    let matches = |field: &str, r#match| {
        let role = OperatorRole::Match { r#match, ignore_case: letters == Letters::Same };
        DraftInput::new(field, name, operator(role))
    };
    let mut operators = vec![
        compare("eq", name, Comparison::Equal),
        compare("in", &format!("[{name}!]"), Comparison::In),
        matches("contains", TextMatch::Includes),
        matches("endsWith", TextMatch::EndsWith),
        matches("startsWith", TextMatch::StartsWith),
    ];
    for wanted in operators_of(&build.options.filters, r#type) {
        operators.push(match wanted {
            TextOperator::Ordered(order) => {
                compare(&wanted.name().to_lowercase(), name, order.comparison())
            }
            TextOperator::Matches => matches("matches", TextMatch::Regex),
            TextOperator::CaseInsensitive if letters == Letters::Same => continue,
            // The operators within are about what is around it.
            TextOperator::CaseInsensitive => {
                let role = InputBinding::lenient(FilterRole::Conditions);
                DraftInput::new("caseInsensitive", IGNORING_CASE, role)
            }
        });
    }
    operators
}
