//! Consistency of external fields with the fields that other subgraphs resolve.

use graphql::definitions::{InputDefinition, Literal, TypeExpression};

use super::arguments::is_same_value;
use super::fields::FieldMerge;
use super::{Merger, Source};
use crate::composition::schema::Field;
use crate::composition::specifications::Meaning;
use crate::composition::{Code, Finding};

impl<'s> Merger<'s> {
    pub(super) fn report_external_only(&mut self, merge: &FieldMerge<'_, 's>) {
        let message = format!(
            "The field `{}` is external in {}, but no subgraph resolves it.",
            merge.coordinate,
            self.named_subgraphs(merge.sources.iter().map(|source| source.graph))
        );
        let finding = Finding::new(Code::ExternalMissingOnBase, message)
            .on(&*merge.coordinate)
            .remedy("Remove `@external`, or add the field to a subgraph that resolves it.");
        let finding = self.located(finding, merge.sources);
        self.errors.push(finding);
    }

    /// Compares external fields with the merged field.
    pub(super) fn check_external(
        &mut self,
        merge: &FieldMerge<'_, 's>,
        r#type: &TypeExpression,
        arguments: &[InputDefinition],
    ) {
        let external = merge.sources.iter().filter(|source| source.element.roles.is_external);
        let external: Vec<_> = external.copied().collect();
        if external.is_empty() {
            return;
        }
        let coordinate = &merge.coordinate;
        let differs = |source: &&Source<'s, Field>| {
            let own = &source.element.r#type;
            let is_narrower = !merge.is_same_type && self.hierarchy.is_sub_type(own, r#type);
            own != r#type && !is_narrower
        };
        let differing: Vec<_> = external.iter().filter(differs).copied().collect();
        if !differing.is_empty() {
            let types = differing.iter().map(|source| {
                (source.graph, ["`", &source.element.r#type.to_string(), "`"].concat())
            });
            let message = format!(
                "The field `{coordinate}` has the type `{type}`, but it is external with the type {}.",
                self.by_value(types)
            );
            let finding = Finding::new(Code::ExternalTypeMismatch, message)
                .on(&**coordinate)
                .remedy("Declare the external field with the type of the other subgraphs.");
            let finding = self.located(finding, &differing);
            self.errors.push(finding);
        }
        for argument in arguments {
            self.check_external_argument(coordinate, argument, &external);
        }
    }

    /// Adds an error for each directive that the supergraph would lose with an external field.
    pub(super) fn check_external_directives(&mut self, merge: &FieldMerge<'_, 's>) {
        for source in merge.sources.iter().filter(|it| it.element.roles.is_external) {
            for applied in &source.element.applied {
                let Meaning::Merged(_) = applied.meaning else { continue };
                let subgraph = self.subgraph(source.graph);
                let message = format!(
                    "`@{}` has no effect on the field `{}`, which is external in the subgraph \
                     \"{}\".",
                    applied.directive.name, merge.coordinate, subgraph.name
                );
                let finding = Finding::new(Code::MergedDirectiveApplicationOnExternal, message)
                    .on(&*merge.coordinate)
                    .at(subgraph.location(applied.at()))
                    .remedy("Apply the directive in the subgraph that resolves the field.");
                self.errors.push(finding);
            }
        }
    }

    fn check_external_argument(
        &mut self,
        field: &str,
        argument: &InputDefinition,
        external: &[Source<'s, Field>],
    ) {
        let coordinate = [field, "(", &argument.name, ":)"].concat();
        let find = |source: &Source<'s, Field>| {
            let mut own = source.element.arguments.iter();
            own.find(|own| own.name == argument.name)
        };
        let missing: Vec<_> = external.iter().filter(|it| find(it).is_none()).copied().collect();
        let types = external.iter().filter(|source| {
            let is_wider = |own: &TypeExpression| {
                own == &argument.r#type || self.hierarchy.is_sub_type(&argument.r#type, own)
            };
            find(source).is_some_and(|own| !is_wider(&own.r#type))
        });
        let types: Vec<_> = types.copied().collect();
        let defaults = external.iter().filter(|source| {
            find(source).is_some_and(|own| differs(&own.default, &argument.default))
        });
        let defaults: Vec<_> = defaults.copied().collect();
        let checks = [
            (missing, Code::ExternalArgumentMissing, "is missing"),
            (types, Code::ExternalArgumentTypeMismatch, "has another type"),
            (defaults, Code::ExternalArgumentDefaultMismatch, "has another default"),
        ];
        for (sources, code, words) in checks {
            if sources.is_empty() {
                continue;
            }
            let message = format!(
                "The argument `{coordinate}` {words} on the external field in {}.",
                self.named_subgraphs(sources.iter().map(|source| source.graph))
            );
            let finding = Finding::new(code, message)
                .on(&*coordinate)
                .remedy("Declare the external field with the arguments of the other subgraphs.");
            let finding = self.located(finding, &sources);
            self.errors.push(finding);
        }
    }
}

fn differs(one: &Option<Literal>, other: &Option<Literal>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => !is_same_value(one, other),
        (None, None) => false,
        (Some(_), None) | (None, Some(_)) => true,
    }
}
