//! Selections of a field set, on the types of the subgraph.

use std::sync::Arc;

use graphql::definitions::{FieldSetSelection, Literal};
use graphql::similar_names;

use super::field_sets::Owner;
use super::{Reference, Report, literals};
use crate::composition::Code;
use crate::composition::schema::{At, Field, Kind, Type};

/// A field set with its owner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Set<'s> {
    pub(super) owner: Owner,
    /// Coordinate of the element that has the directive.
    pub(super) coordinate: &'s str,
    pub(super) text: &'s str,
    pub(super) at: At,
}

#[derive(Debug)]
pub(super) struct Checker<'c, 's> {
    pub(super) report: &'c mut Report<'s>,
    pub(super) set: Set<'c>,
}

impl Checker<'_, '_> {
    /// Checks selections on a type; `is_external` below an external field. Recursion is bounded by
    /// the parser's limit.
    pub(super) fn check(
        &mut self,
        parent: &Type,
        selections: &[FieldSetSelection],
        is_external: bool,
    ) {
        for selection in selections {
            match selection {
                FieldSetSelection::Field { name, arguments, selections } => {
                    if &**name != "__typename" {
                        self.check_field(parent, name, arguments, selections, is_external);
                    }
                }
                FieldSetSelection::Fragment { on: None, selections } => {
                    self.check(parent, selections, is_external);
                }
                FieldSetSelection::Fragment { on: Some(on), selections } => {
                    match self.report.reference(on) {
                        Reference::Type(r#type) if is_composite(r#type) => {
                            self.check(r#type, selections, is_external);
                        }
                        Reference::Type(_) | Reference::Scalar | Reference::Unknown => {
                            let problem = format!("has a fragment on `{on}`, which has no fields");
                            self.invalid(&problem, "Name an object type, interface or union.");
                        }
                    }
                }
            }
        }
    }

    fn check_field(
        &mut self,
        parent: &Type,
        name: &Arc<str>,
        arguments: &[(Arc<str>, Literal)],
        selections: &[FieldSetSelection],
        is_external: bool,
    ) {
        let Some(field) = parent.find_field(name) else {
            let problem = format!("selects `{}.{name}`, which does not exist", parent.name);
            let known = parent.fields().iter().map(|field| &*field.name);
            let remedy = match similar_names(name, known).first() {
                Some(similar) => format!("Is `{similar}` meant?"),
                None if self.set.owner == Owner::Key => {
                    "Add the field to the type; with `@external`, if another subgraph resolves it."
                        .to_owned()
                }
                None => "Add the field to the type with `@external`.".to_owned(),
            };
            self.invalid(&problem, &remedy);
            return self.report.also_at(parent.at);
        };
        let coordinate = [&*parent.name, ".", name].concat();
        match self.set.owner {
            Owner::Requires => self.check_arguments(field, &coordinate, arguments),
            Owner::Key | Owner::Provides if !field.arguments.is_empty() => {
                let code = match self.set.owner {
                    Owner::Key => Code::KeyFieldsHasArgs,
                    Owner::Provides | Owner::Requires => Code::ProvidesFieldsHasArgs,
                };
                let problem = format!("selects `{coordinate}`, which has arguments");
                self.add(code, &problem, "Select only fields without arguments.");
                return self.report.also_at(field.at);
            }
            Owner::Key | Owner::Provides => {}
        }
        let base = field.r#type.base();
        let r#type = match self.report.reference(base) {
            Reference::Type(r#type) if is_composite(r#type) => r#type,
            // The unknown type is a finding of its own.
            Reference::Unknown => return,
            Reference::Type(_) | Reference::Scalar => {
                if !selections.is_empty() {
                    let problem = format!(
                        "selects fields of `{coordinate}`, whose type `{base}` has no fields"
                    );
                    self.invalid(&problem, "Remove the braces after it.");
                    return self.report.also_at(field.at);
                }
                return self.check_external(field, &coordinate, is_external);
            }
        };
        if self.set.owner == Owner::Key && !matches!(r#type.kind, Kind::Object(_)) {
            let problem =
                format!("selects `{coordinate}`, whose type `{base}` is an {}", r#type.kind.word());
            let problem = problem.replace("an union", "a union");
            let remedy = "Select only scalars, enums and objects.";
            self.add(Code::KeyFieldsSelectInvalidType, &problem, remedy);
            return self.report.also_at(field.at);
        }
        if selections.is_empty() {
            let problem = format!("selects `{coordinate}` without fields of its type `{base}`");
            self.invalid(&problem, &format!("Add fields of `{base}` in braces."));
            return self.report.also_at(field.at);
        }
        let is_external = is_external || self.report.subgraph.is_external_in(parent, field);
        self.check(r#type, selections, is_external);
    }

    /// Required and provided fields are those of other subgraphs.
    fn check_external(&mut self, field: &Field, coordinate: &str, is_external: bool) {
        let code = match self.set.owner {
            Owner::Key => return,
            Owner::Requires => Code::RequiresFieldsMissingExternal,
            Owner::Provides => Code::ProvidesFieldsMissingExternal,
        };
        if is_external || field.roles.is_external {
            return;
        }
        let problem = format!("selects `{coordinate}`, which the subgraph resolves itself");
        let remedy = "Remove the field from the field set, or mark it `@external`.";
        self.add(code, &problem, remedy);
        self.report.also_at(field.at);
    }

    fn check_arguments(
        &mut self,
        field: &Field,
        coordinate: &str,
        arguments: &[(Arc<str>, Literal)],
    ) {
        for (name, value) in arguments {
            let known = field.arguments.iter().find(|known| known.name == *name);
            let problem = match known {
                None => "does not exist".to_owned(),
                Some(known) if !literals::fits(self.report, value, &known.r#type) => {
                    format!("has no value of its type `{}`", known.r#type)
                }
                Some(_) => continue,
            };
            let problem =
                format!("selects `{coordinate}` with an argument `{name}` that {problem}");
            self.invalid(&problem, "Correct the argument.");
            self.report.also_at(field.at);
        }
        for known in field.arguments.iter().filter(|known| known.is_required()) {
            if !arguments.iter().any(|(name, _)| *name == known.name) {
                let problem =
                    format!("selects `{coordinate}` without its argument `{}`", known.name);
                self.invalid(&problem, "Add the argument, which is required.");
                self.report.also_at(known.at);
            }
        }
    }

    fn invalid(&mut self, problem: &str, remedy: &str) {
        self.add(self.set.owner.invalid_fields(), problem, remedy);
    }

    fn add(&mut self, code: Code, problem: &str, remedy: &str) {
        let Set { owner, coordinate, text, at } = self.set;
        let message =
            format!("`{}(fields: \"{text}\")` on `{coordinate}` {problem}.", owner.name());
        self.report.add(code, coordinate, at, &message, remedy);
    }
}

/// Whether a type has fields, or members that have.
pub(super) fn is_composite(r#type: &Type) -> bool {
    match r#type.kind {
        Kind::Object(_) | Kind::Interface(_) | Kind::Union(_) => true,
        Kind::Scalar | Kind::Enum(_) | Kind::Input(_) => false,
    }
}
