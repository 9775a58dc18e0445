//! Authorization requirements: interfaces have those of their implementations, and a field that reads
//! others has theirs.
//! <https://www.apollographql.com/docs/graphos/routing/security/authorization>

use std::collections::BTreeSet;
use std::sync::Arc;

use graphql::definitions::{
    Composite, Directive as WrittenDirective, FieldDefinition, FieldSetSelection, Literal,
    TypeBody, TypeDefinition,
};
use graphql::parse_field_set;
use rustc_hash::FxHashMap;

use super::Merger;
use super::applied::conjunction;
use crate::composition::directives::Written;
use crate::composition::field_sets;
use crate::composition::roles::{context_types, split_context};
use crate::composition::schema::{Applied, Field, Type, all};
use crate::composition::specifications::{Directive, Meaning};
use crate::composition::{Code, Finding};

/// Alternatives, of which all elements of one are required.
type Alternatives = Vec<BTreeSet<Arc<str>>>;

/// Requirements of an element.
#[derive(Clone, Debug, Default)]
struct Requirements {
    is_authenticated: bool,
    scopes: Option<Alternatives>,
    policies: Option<Alternatives>,
}

/// The merged types by name, and the directives' names in the supergraph.
struct Merged<'t> {
    types: FxHashMap<&'t str, &'t TypeDefinition>,
    names: [Arc<str>; 3],
}

const DIRECTIVES: [Directive; 3] =
    [Directive::Authenticated, Directive::RequiresScopes, Directive::Policy];

impl<'s> Merger<'s> {
    /// Whether any element has requirements.
    fn has_requirements(&self) -> bool {
        DIRECTIVES.iter().any(|directive| self.directives.contains(directive))
    }

    /// Adds the requirements of implementations to interfaces and their fields: clients that select
    /// a field of an interface read the fields of its implementations.
    pub(super) fn require_of_implementations(&mut self, types: &mut [TypeDefinition]) {
        if !self.has_requirements() {
            return;
        }
        let names = DIRECTIVES.map(|directive| self.name_of(directive));
        let mut required: FxHashMap<(Arc<str>, Arc<str>), Vec<WrittenDirective>> =
            FxHashMap::default();
        let mut combined: Vec<(Arc<str>, Arc<str>)> = Vec::new();
        for r#type in types.iter() {
            let TypeBody::Object(composite) = &r#type.body else { continue };
            for interface in &composite.interfaces {
                let own = (interface.name.clone(), Arc::from(""));
                if add(&names, &r#type.directives, required.entry(own.clone()).or_default()) {
                    combined.push(own);
                }
                for field in &composite.fields {
                    let own = (interface.name.clone(), field.name.clone());
                    let of_field = required.entry(own.clone()).or_default();
                    if add(&names, &field.directives, of_field) {
                        combined.push(own);
                    }
                }
            }
        }
        for r#type in types {
            let TypeBody::Interface(composite) = &mut r#type.body else { continue };
            let own = (r#type.name.clone(), Arc::from(""));
            if let Some(more) = required.get(&own)
                && add(&names, more, &mut r#type.directives)
            {
                combined.push(own);
            }
            for field in &mut composite.fields {
                let own = (r#type.name.clone(), field.name.clone());
                if let Some(more) = required.get(&own)
                    && add(&names, more, &mut field.directives)
                {
                    combined.push(own);
                }
            }
        }
        combined.sort_unstable();
        combined.dedup();
        for (interface, field) in combined {
            let coordinate = match field.is_empty() {
                true => interface.as_ref().to_owned(),
                false => [&*interface, ".", &field].concat(),
            };
            let message = format!(
                "`{coordinate}` has the requirements of all its implementations, which differ; the \
                 supergraph combines them."
            );
            let code = Code::MergedNonRepeatableDirectiveArguments;
            self.hints.push(Finding::new(code, message).on(coordinate));
        }
    }

    /// Adds an error for each field that reads a field with requirements that it does not have.
    pub(super) fn check_transitive_requirements(&mut self, types: &[TypeDefinition]) {
        if !self.has_requirements() {
            return;
        }
        let merged = Merged {
            types: types.iter().map(|r#type| (&*r#type.name, r#type)).collect(),
            names: DIRECTIVES.map(|directive| self.name_of(directive)),
        };
        for graph in 0..self.subgraphs.len() {
            for r#type in &self.subgraph(graph).types {
                for field in r#type.fields() {
                    self.check_requires(&merged, graph, (r#type, field));
                    self.check_contexts(&merged, graph, (r#type, field));
                }
            }
        }
    }

    fn check_requires(
        &mut self,
        merged: &Merged<'_>,
        graph: usize,
        (parent, field): (&Type, &Field),
    ) {
        for requires in all(&field.applied, Meaning::Requires) {
            let text = field_sets::text(requires).unwrap_or_default();
            let Ok(selections) = parse_field_set(&text) else { continue };
            let own = merged.requirements_of(&parent.name, &field.name);
            if let Some(read) = merged.unmet(&own, &parent.name, &selections) {
                self.report_transitive(graph, (parent, field), requires, &read);
            }
        }
    }

    fn check_contexts(
        &mut self,
        merged: &Merged<'_>,
        graph: usize,
        (parent, field): (&Type, &Field),
    ) {
        for argument in &field.arguments {
            for source in all(&argument.applied, Meaning::FromContext) {
                let Some((name, selection)) =
                    source.text("field").and_then(|text| split_context(text))
                else {
                    continue;
                };
                let Ok(selections) = parse_field_set(selection) else { continue };
                let own = merged.requirements_of(&parent.name, &field.name);
                let unmet = |r#type: &Type| match includes(
                    &own,
                    &merged.requirements_of_type(&r#type.name),
                ) {
                    true => merged.unmet(&own, &r#type.name, &selections),
                    false => Some(r#type.name.as_ref().to_owned()),
                };
                let read = context_types(self.subgraph(graph), name).find_map(unmet);
                if let Some(read) = read {
                    self.report_transitive(graph, (parent, field), source, &read);
                }
            }
        }
    }

    fn report_transitive(
        &mut self,
        graph: usize,
        (parent, field): (&Type, &Field),
        applied: &Applied,
        read: &str,
    ) {
        let coordinate = [&*parent.name, ".", &field.name].concat();
        let subgraph = self.subgraph(graph);
        let message = format!(
            "The field `{coordinate}` of the subgraph \"{}\" reads `{read}` by `@{}`, but lacks its \
             authorization requirements.",
            subgraph.name, applied.directive.name
        );
        let finding = Finding::new(Code::MissingTransitiveAuthRequirements, message)
            .on(coordinate)
            .on(read)
            .at(subgraph.location(applied.at()))
            .remedy(format!(
                "Repeat `@authenticated`, `@requiresScopes` and `@policy` of `{read}` on the field."
            ));
        self.errors.push(finding);
    }
}

/// Combines the requirements of `from` with those of `into`.
/// Adds requirements; returns true if different ones are combined.
fn add(names: &[Arc<str>; 3], from: &[WrittenDirective], into: &mut Vec<WrittenDirective>) -> bool {
    let mut is_combined = false;
    for directive in from.iter().filter(|directive| names.contains(&directive.name)) {
        let Some(known) = into.iter_mut().find(|known| known.name == directive.name) else {
            into.push(directive.clone());
            continue;
        };
        let [Some(own), Some(more)] = [&*known, directive].map(|it| it.arguments.first()) else {
            continue;
        };
        if own.value != more.value {
            let both = conjunction(&own.value, &more.value);
            *known = Written::new(known.name.clone()).with(&own.name, both).done();
            is_combined = true;
        }
    }
    is_combined
}

impl Merged<'_> {
    fn requirements(&self, directives: &[WrittenDirective]) -> Requirements {
        let mut requirements = Requirements::default();
        let [authenticated, scopes, policies] = &self.names;
        for directive in directives {
            let value = directive.arguments.first().map(|argument| &argument.value);
            if directive.name == *authenticated {
                requirements.is_authenticated = true;
            } else if directive.name == *scopes {
                requirements.scopes = value.map(alternatives);
            } else if directive.name == *policies {
                requirements.policies = value.map(alternatives);
            }
        }
        requirements
    }

    fn find_field(&self, parent: &str, name: &str) -> Option<&FieldDefinition> {
        let (TypeBody::Object(Composite { fields, .. })
        | TypeBody::Interface(Composite { fields, .. })) = &self.types.get(parent)?.body
        else {
            return None;
        };
        fields.iter().find(|field| *field.name == *name)
    }

    fn requirements_of_type(&self, name: &str) -> Requirements {
        let r#type = self.types.get(name);
        r#type.map(|r#type| self.requirements(&r#type.directives)).unwrap_or_default()
    }

    /// Returns the requirements of a field and its parent type.
    fn requirements_of(&self, parent: &str, name: &str) -> Vec<Requirements> {
        let field = self.find_field(parent, name);
        let field = field.map(|field| self.requirements(&field.directives));
        [Some(self.requirements_of_type(parent)), field].into_iter().flatten().collect()
    }

    /// Returns the first selected field whose requirements `own` does not include. Recursion is
    /// bounded by the parser's limit.
    fn unmet(
        &self,
        own: &[Requirements],
        parent: &str,
        selections: &[FieldSetSelection],
    ) -> Option<String> {
        selections.iter().find_map(|selection| match selection {
            FieldSetSelection::Field { name, selections, .. } => {
                let field = self.find_field(parent, name)?;
                let base = field.r#type.base();
                let needed =
                    [self.requirements(&field.directives), self.requirements_of_type(base)];
                if !needed.iter().all(|needed| includes(own, needed)) {
                    return Some([parent, ".", name].concat());
                }
                self.unmet(own, base, selections)
            }
            FieldSetSelection::Fragment { on, selections } => {
                let on = on.as_deref().unwrap_or(parent);
                match includes(own, &self.requirements_of_type(on)) {
                    true => self.unmet(own, on, selections),
                    false => Some(on.to_owned()),
                }
            }
        })
    }
}

/// Whether everybody who fulfils all of `own` fulfils `needed`.
fn includes(own: &[Requirements], needed: &Requirements) -> bool {
    let implies = |own: Vec<&Alternatives>, needed: &Option<Alternatives>| {
        let Some(needed) = needed else { return true };
        let mut combined: Alternatives = vec![BTreeSet::new()];
        for alternatives in own {
            let pairs = combined.iter().flat_map(|one| {
                alternatives.iter().map(move |other| one.union(other).cloned().collect())
            });
            combined = pairs.collect();
        }
        combined.iter().all(|one| needed.iter().any(|other| other.is_subset(one)))
    };
    let scopes = own.iter().filter_map(|own| own.scopes.as_ref()).collect();
    let policies = own.iter().filter_map(|own| own.policies.as_ref()).collect();
    (!needed.is_authenticated || own.iter().any(|own| own.is_authenticated))
        && implies(scopes, &needed.scopes)
        && implies(policies, &needed.policies)
}

fn alternatives(value: &Literal) -> Alternatives {
    let list = |value: &Literal| match value {
        Literal::List(items) => items.clone(),
        Literal::Null => Vec::new(),
        other => vec![other.clone()],
    };
    let set = |value: &Literal| {
        let names = list(value).into_iter().filter_map(|item| match item {
            Literal::String(name) => Some(name),
            _ => None,
        });
        names.collect()
    };
    list(value).iter().map(set).collect()
}
