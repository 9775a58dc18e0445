//! The depth of an operation with its fragments expanded.
//!
//! It is computed before validation, whose recursion it bounds, and so detects cycles of fragments
//! too.

use std::collections::HashMap;

use apollo_compiler::ast;

use super::DocumentLimits;
use super::positions::Positions;
use crate::error::{ErrorCode, GraphQLError};

/// Checks the depth limits of a document, and for cycles.
pub(super) fn check_nesting(
    document: &ast::Document,
    positions: &Positions,
    limits: &DocumentLimits,
) -> Result<(), GraphQLError> {
    let mut fragments = HashMap::new();
    for definition in &document.definitions {
        if let ast::Definition::FragmentDefinition(fragment) = definition {
            // Validation reports the duplicate.
            fragments.entry(fragment.name.as_str()).or_insert(Fragment::Unmeasured(fragment));
        }
    }
    let mut measure = Measure { fragments, positions, limits };
    for definition in &document.definitions {
        match definition {
            ast::Definition::OperationDefinition(operation) => {
                let heights = measure.selections(&operation.selection_set, 1)?;
                measure.check(heights)?;
            }
            ast::Definition::FragmentDefinition(fragment) => {
                let heights = measure.selections(&fragment.selection_set, 1)?;
                measure.check(heights)?;
            }
            // Validation rejects definitions of types.
            _ => {}
        }
    }
    Ok(())
}

/// The depth below a selection set, itself included.
#[derive(Clone, Copy, Default)]
struct Heights {
    /// Nesting of fields.
    fields: usize,
    /// Nesting of selection sets, those of fragments too.
    sets: usize,
}

enum Fragment<'d> {
    Unmeasured(&'d ast::FragmentDefinition),
    BeingMeasured,
    Measured(Heights),
}

struct Measure<'d> {
    fragments: HashMap<&'d str, Fragment<'d>>,
    positions: &'d Positions,
    limits: &'d DocumentLimits,
}

impl<'d> Measure<'d> {
    /// `level` is the depth of this recursion, which the limit bounds as well.
    fn selections(
        &mut self,
        selections: &'d [ast::Selection],
        level: usize,
    ) -> Result<Heights, GraphQLError> {
        if level > self.limits.recursion {
            return Err(self.too_deep());
        }
        let mut highest = Heights::default();
        for selection in selections {
            let heights = match selection {
                ast::Selection::Field(field) => {
                    let below = if field.selection_set.is_empty() {
                        Heights::default()
                    } else {
                        self.selections(&field.selection_set, level + 1)?
                    };
                    Heights { fields: below.fields + 1, ..below }
                }
                ast::Selection::InlineFragment(fragment) => {
                    self.selections(&fragment.selection_set, level + 1)?
                }
                ast::Selection::FragmentSpread(spread) => self.spread(spread, level + 1)?,
            };
            highest.fields = highest.fields.max(heights.fields);
            highest.sets = highest.sets.max(heights.sets);
        }
        Ok(Heights { sets: highest.sets + 1, ..highest })
    }

    fn spread(
        &mut self,
        spread: &'d apollo_compiler::Node<ast::FragmentSpread>,
        level: usize,
    ) -> Result<Heights, GraphQLError> {
        let name = spread.fragment_name.as_str();
        let Some(entry) = self.fragments.get_mut(name) else {
            // Validation reports the unknown fragment.
            return Ok(Heights::default());
        };
        match std::mem::replace(entry, Fragment::BeingMeasured) {
            Fragment::Unmeasured(fragment) => {
                let heights = self.selections(&fragment.selection_set, level)?;
                self.fragments.insert(name, Fragment::Measured(heights));
                Ok(heights)
            }
            Fragment::Measured(heights) => {
                *entry = Fragment::Measured(heights);
                Ok(heights)
            }
            Fragment::BeingMeasured => Err(GraphQLError::new(
                ErrorCode::ValidationFailed,
                format!("Cannot spread fragment \"{name}\" within itself."),
            )
            .at(self.positions.location(spread.location()))),
        }
    }

    fn check(&self, heights: Heights) -> Result<(), GraphQLError> {
        if heights.fields > self.limits.depth {
            let message = format!(
                "The document is nested deeper than {} levels (--max-depth).",
                self.limits.depth
            );
            return Err(GraphQLError::new(ErrorCode::QueryTooDeep, message));
        }
        if heights.sets > self.limits.recursion {
            return Err(self.too_deep());
        }
        Ok(())
    }

    fn too_deep(&self) -> GraphQLError {
        GraphQLError::new(
            ErrorCode::QueryTooDeep,
            format!("The document is nested deeper than {} levels.", self.limits.recursion),
        )
    }
}
