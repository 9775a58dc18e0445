//! Merge of the fields of objects and interfaces.

use std::sync::Arc;

use graphql::definitions::FieldDefinition;

use super::enums::Usage;
use super::members::{Member, members};
use super::overrides::Overrides;
use super::type_references::Position;
use super::{Merger, Source};
use crate::composition::schema::{Field, Type};

/// A field in all subgraphs.
#[derive(Debug)]
pub(super) struct FieldMerge<'m, 's> {
    /// `Type.field`
    pub(super) coordinate: String,
    pub(super) name: &'m Arc<str>,
    /// The subgraphs with the parent type.
    pub(super) parents: &'m [Source<'s, Type>],
    pub(super) sources: &'m [Source<'s, Field>],
    /// Sources that resolve the field wherever they have its type.
    pub(super) resolved: Vec<Source<'s, Field>>,
    pub(super) overrides: Overrides,
    pub(super) is_same_type: bool,
}

impl<'s> Merger<'s> {
    pub(super) fn merge_fields(
        &mut self,
        parent: &Arc<str>,
        parents: &[Source<'s, Type>],
    ) -> Vec<FieldDefinition> {
        let fields = members(parents, Type::fields);
        let mut merged = Vec::with_capacity(fields.len());
        for Member { name, sources, .. } in &fields {
            let coordinate = [parent, ".", name].concat();
            let overrides = self.overrides(&coordinate, parents, sources);
            let resolved = sources.iter().filter(|it| !it.element.roles.is_external);
            let mut merge = FieldMerge {
                coordinate,
                name,
                parents,
                resolved: resolved.copied().collect(),
                sources,
                overrides,
                is_same_type: true,
            };
            self.check_sharing(&merge);
            if let Some(field) = self.merge_field(&mut merge) {
                merged.push(field);
            }
        }
        self.hint_fields(parent, parents, &fields);
        merged
    }

    fn merge_field(&mut self, merge: &mut FieldMerge<'_, 's>) -> Option<FieldDefinition> {
        if merge.resolved.is_empty() {
            if self.fields_of_interface_objects(merge).is_empty() {
                self.report_external_only(merge);
                return None;
            }
            merge.resolved = merge.sources.to_vec();
        }
        self.check_external_directives(merge);
        let coordinate = merge.coordinate.clone();
        let resolved = merge.resolved.clone();
        let description = self.merge_description(&coordinate, &resolved);
        // The field may be resolved for an interface, too.
        let mut requiring = resolved.clone();
        requiring.extend(self.fields_of_interface_objects(merge));
        let applied = self.merge_applied_requiring(&coordinate, &resolved, &requiring);
        let arguments = self.merge_arguments(&coordinate, &resolved);
        let reference = self.merge_reference(&coordinate, Position::Output, &resolved)?;
        merge.is_same_type = reference.is_same;
        self.use_type(&reference.r#type, Usage::Output, &coordinate);
        self.check_external(merge, &reference.r#type, &arguments);
        let mut directives = self.join_field(merge);
        directives.extend(applied);
        Some(FieldDefinition {
            name: Arc::clone(merge.name),
            line: 0,
            column: 0,
            description,
            r#type: reference.r#type,
            arguments,
            directives,
        })
    }
}
