//! Whether every field is resolved by some connector.

use std::collections::HashSet;

use super::entity::key_paths;
use super::{FieldCoordinate, Reader};
use crate::code::Code;
use crate::connector::Resolves;
use crate::definitions::{Kind, TypeDefinition};
use crate::variables::Variable;

impl<'d> Reader<'d> {
    pub(super) fn check_coverage(&mut self) {
        self.check_import();
        self.check_root_fields();
        if self.has_errors() {
            // What is not resolved may be of a connector with an error.
            return;
        }
        let mut resolved: HashSet<FieldCoordinate> =
            self.reading.resolved.iter().flatten().cloned().collect();
        self.add_keys(&mut resolved);
        let definitions = self.definitions;
        for definition in &definitions.types {
            let Kind::Object { fields, .. } = &definition.kind else { continue };
            if definitions.is_root(&definition.name) {
                continue;
            }
            for field in fields.iter().filter(|field| !field.is_external) {
                let type_name = definition.name.clone();
                let coordinate = FieldCoordinate { type_name, field: field.name.clone() };
                if !resolved.contains(&coordinate) {
                    let message = format!(
                        "no connector resolves `{}.{}`: add it to the selection of one, or add `{}` to it",
                        definition.name, field.name, definitions.connect_name
                    );
                    self.error(Code::ConnectorsUnresolvedField, field.place, message);
                }
            }
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        self.reading.findings.iter().any(|finding| finding.is_error)
    }

    /// Says that `@source` was probably forgotten in the link: its name has the prefix of the link.
    fn check_import(&mut self) {
        let definitions = self.definitions;
        let is_imported = !definitions.source_name.contains("__");
        let is_connect_imported = !definitions.connect_name.contains("__");
        if is_connect_imported && !is_imported && definitions.sources.is_empty() {
            let message = format!(
                "the link imports `{}` and not `@source`, which is `{}` then",
                definitions.connect_name, definitions.source_name
            );
            self.reading.findings.push(super::Finding {
                code: Code::NoSourceImport,
                message,
                place: crate::location::Location::default(),
                is_error: false,
            });
        }
    }

    fn check_root_fields(&mut self) {
        let definitions = self.definitions;
        let roots = [
            (&definitions.query, Code::QueryFieldMissingConnect),
            (&definitions.mutation, Code::MutationFieldMissingConnect),
        ];
        for (name, code) in roots {
            let definition = name.as_deref().and_then(|name| definitions.find(name));
            for field in definition.map_or(&[][..], TypeDefinition::fields) {
                let is_of_federation = matches!(&*field.name, "_entities" | "_service");
                if field.connects.is_empty() && !field.is_external && !is_of_federation {
                    let type_name = name.as_deref().unwrap_or_default();
                    let message = format!(
                        "`{type_name}.{}` has no `{}`: all fields of a subgraph with connectors are \
                         resolved by connectors",
                        field.name, definitions.connect_name
                    );
                    self.error(code, field.place, message);
                }
            }
        }
    }

    /// Adds fields of keys, which who refers to an object knows: those of `@key`, and those by which
    /// connectors find objects.
    fn add_keys(&self, resolved: &mut HashSet<FieldCoordinate>) {
        for definition in &self.definitions.types {
            for key in &definition.keys {
                for path in key_paths(&key.fields).unwrap_or_default() {
                    self.add_path(definition, path.split('.'), resolved);
                }
            }
        }
        for connector in &self.reading.connectors {
            let Some(definition) = self.definitions.find(&connector.coordinate.type_name) else {
                continue;
            };
            if connector.resolves != Resolves::Type {
                continue;
            }
            let inputs = connector.request_inputs();
            for variable in [Variable::This, Variable::Batch] {
                for path in inputs.of(variable).map(|members| members.paths()).unwrap_or_default() {
                    self.add_path(definition, path.into_iter(), resolved);
                }
            }
        }
    }

    fn add_path<'p>(
        &self,
        mut definition: &'d TypeDefinition,
        path: impl Iterator<Item = &'p str>,
        resolved: &mut HashSet<FieldCoordinate>,
    ) {
        for name in path {
            resolved
                .insert(FieldCoordinate { type_name: definition.name.clone(), field: name.into() });
            let field = definition.field(name);
            match field.and_then(|field| self.definitions.find(field.r#type.name())) {
                Some(next) => definition = next,
                None => return,
            }
        }
    }
}
