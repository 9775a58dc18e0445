//! Requirements of `@authenticated`, `@requiresScopes` and `@policy`: interfaces have those of all
//! their implementations, and fields repeat those of the fields that they read.
//! <https://www.apollographql.com/docs/graphos/routing/security/authorization>

use graphql::definitions::{
    Directive as WrittenDirective, FieldDefinition, FieldSetSelection, Literal, TypeBody,
    TypeDefinition,
};
use graphql::parse_field_set;
use rustc_hash::FxHashMap;

use super::Merger;
use super::applied::conjunction;
use super::interface_keys::objects_of;
use crate::composition::directives::Written;
use crate::composition::roles::{context_types, split_context};
use crate::composition::schema::{Applied, At, Field, Subgraph, Type, all};
use crate::composition::specifications::{Directive, Meaning};
use crate::composition::{Code, Finding, field_sets};

/// What a client needs.
#[derive(Clone, Debug, Default, PartialEq)]
struct Requirement {
    is_authenticated: bool,
    /// Alternatives of scopes, all of which are needed.
    scopes: Option<Literal>,
    policies: Option<Literal>,
}

/// Requirements of types and fields that have some.
#[derive(Debug, Default)]
struct Requirements<'t> {
    types: FxHashMap<&'t str, Requirement>,
    fields: FxHashMap<(&'t str, &'t str), Requirement>,
}

impl Merger<'_> {
    /// Adds the requirements of implementations to their interfaces.
    pub(super) fn add_requirements_of_interfaces(&self, types: &mut [TypeDefinition]) {
        let mut changes = Vec::new();
        for (index, r#type) in types.iter().enumerate() {
            let TypeBody::Interface(composite) = &r#type.body else { continue };
            let names: Vec<_> = objects_of(types, &r#type.name).collect();
            let objects: Vec<_> = types.iter().filter(|one| names.contains(&&one.name)).collect();
            let of_types = objects.iter().map(|object| &object.directives);
            let own = self.conjunction(of_types.chain([&r#type.directives]));
            let fields = composite.fields.iter().map(|field| {
                let of_objects =
                    objects.iter().filter_map(|object| find_field(object, &field.name));
                let of_objects = of_objects.map(|own| &own.directives);
                self.conjunction(of_objects.chain([&field.directives]))
            });
            changes.push((index, own, fields.collect::<Vec<_>>()));
        }
        for (index, own, fields) in changes {
            let r#type = &mut types[index];
            self.replace(&mut r#type.directives, own);
            if let TypeBody::Interface(composite) = &mut r#type.body {
                for (field, requirement) in composite.fields.iter_mut().zip(fields) {
                    self.replace(&mut field.directives, requirement);
                }
            }
        }
    }

    /// Adds an error for each field that reads others without their requirements.
    pub(super) fn check_requirements(&mut self, types: &[TypeDefinition]) {
        let required = self.requirements(types);
        if required.types.is_empty() && required.fields.is_empty() {
            return;
        }
        for subgraph in self.subgraphs {
            for r#type in &subgraph.types {
                for field in r#type.fields() {
                    let own = required.of_field(&r#type.name, &field.name);
                    let own = own.and(required.of_type(&r#type.name));
                    let reading = Reading { subgraph, required: &required, own };
                    let missing = reading.missing(r#type, field);
                    self.errors.extend(missing);
                }
            }
        }
    }

    fn requirements<'t>(&self, types: &'t [TypeDefinition]) -> Requirements<'t> {
        let mut required = Requirements::default();
        for r#type in types {
            let name = &*r#type.name;
            let own = self.requirement(&r#type.directives);
            if own != Requirement::default() {
                required.types.insert(name, own);
            }
            let (TypeBody::Object(composite) | TypeBody::Interface(composite)) = &r#type.body
            else {
                continue;
            };
            for field in &composite.fields {
                let own = self.requirement(&field.directives);
                if own != Requirement::default() {
                    required.fields.insert((name, &field.name), own);
                }
            }
        }
        required
    }

    fn requirement(&self, directives: &[WrittenDirective]) -> Requirement {
        let find = |directive| {
            let name = self.name_of(directive);
            directives.iter().find(|one| one.name == name)
        };
        let argument = |directive| {
            let argument = find(directive)?.arguments.first()?;
            Some(argument.value.clone())
        };
        Requirement {
            is_authenticated: find(Directive::Authenticated).is_some(),
            scopes: argument(Directive::RequiresScopes),
            policies: argument(Directive::Policy),
        }
    }

    fn conjunction<'d>(&self, all: impl Iterator<Item = &'d Vec<WrittenDirective>>) -> Requirement {
        all.fold(Requirement::default(), |all, one| all.and(self.requirement(one)))
    }

    /// Replaces the requirements among directives.
    fn replace(&self, directives: &mut Vec<WrittenDirective>, requirement: Requirement) {
        use Directive::{Authenticated, Policy, RequiresScopes};
        let names = [Authenticated, RequiresScopes, Policy].map(|one| self.name_of(one));
        directives.retain(|one| !names.contains(&one.name));
        let [authenticated, scopes, policy] = names;
        if requirement.is_authenticated {
            directives.push(Written::new(authenticated).done());
        }
        if let Some(required) = requirement.scopes {
            directives.push(Written::new(scopes).with("scopes", required).done());
        }
        if let Some(required) = requirement.policies {
            directives.push(Written::new(policy).with("policies", required).done());
        }
    }
}

fn find_field<'t>(r#type: &'t TypeDefinition, name: &str) -> Option<&'t FieldDefinition> {
    match &r#type.body {
        TypeBody::Object(composite) | TypeBody::Interface(composite) => {
            composite.fields.iter().find(|field| *field.name == *name)
        }
        TypeBody::Scalar | TypeBody::Union(_) | TypeBody::Enum(_) | TypeBody::InputObject(_) => {
            None
        }
    }
}

impl Requirement {
    fn and(self, other: Self) -> Self {
        let both = |one: Option<Literal>, other: Option<Literal>| match (one, other) {
            (Some(one), Some(other)) if one == other => Some(one),
            (Some(one), Some(other)) => Some(conjunction(&one, &other)),
            (one, other) => one.or(other),
        };
        Self {
            is_authenticated: self.is_authenticated || other.is_authenticated,
            scopes: both(self.scopes, other.scopes),
            policies: both(self.policies, other.policies),
        }
    }

    /// Whether whoever fulfils this fulfils the other.
    fn implies(&self, other: &Self) -> bool {
        (self.is_authenticated || !other.is_authenticated)
            && implies(self.scopes.as_ref(), other.scopes.as_ref())
            && implies(self.policies.as_ref(), other.policies.as_ref())
    }
}

/// Whether each alternative of one contains an alternative of the other.
fn implies(one: Option<&Literal>, other: Option<&Literal>) -> bool {
    let Some(other) = other else { return true };
    let Some(one) = one else { return false };
    let contains = |alternative: &Literal| {
        let own = items(alternative);
        items(other).iter().any(|other| items(other).iter().all(|item| own.contains(item)))
    };
    items(one).iter().all(contains)
}

fn items(literal: &Literal) -> &[Literal] {
    match literal {
        Literal::List(items) => items,
        single => std::slice::from_ref(single),
    }
}

impl Requirements<'_> {
    fn of_type(&self, name: &str) -> Requirement {
        self.types.get(name).cloned().unwrap_or_default()
    }

    fn of_field(&self, parent: &str, name: &str) -> Requirement {
        self.fields.get(&(parent, name)).cloned().unwrap_or_default()
    }
}

/// A field of a subgraph that reads others.
#[derive(Debug)]
struct Reading<'r> {
    subgraph: &'r Subgraph,
    required: &'r Requirements<'r>,
    /// Requirement of the field itself.
    own: Requirement,
}

impl Reading<'_> {
    fn missing(&self, r#type: &Type, field: &Field) -> Vec<Finding> {
        let mut findings = Vec::new();
        for requires in all(&field.applied, Meaning::Requires) {
            let text = field_sets::text(requires).unwrap_or_default();
            let selections = parse_field_set(&text).unwrap_or_default();
            if let Some(read) = self.find_missing(&r#type.name, &selections) {
                findings.push(self.finding(r#type, field, requires.at(), "@requires", &read));
            }
        }
        for argument in &field.arguments {
            for source in all(&argument.applied, Meaning::FromContext) {
                if let Some(read) = self.find_missing_in_context(source) {
                    findings.push(self.finding(r#type, field, source.at(), "@fromContext", &read));
                }
            }
        }
        findings
    }

    fn find_missing_in_context(&self, source: &Applied) -> Option<String> {
        let (context, selection) = split_context(source.text("field")?)?;
        let selections = parse_field_set(selection).ok()?;
        context_types(self.subgraph, context).find_map(|r#type| {
            if !self.own.implies(&self.required.of_type(&r#type.name)) {
                return Some(r#type.name.as_ref().to_owned());
            }
            self.find_missing(&r#type.name, &selections)
        })
    }

    /// Returns the first selected element whose requirement is not implied. Recursion is bounded by
    /// the parser's limit.
    fn find_missing(&self, parent: &str, selections: &[FieldSetSelection]) -> Option<String> {
        selections.iter().find_map(|selection| match selection {
            FieldSetSelection::Field { name, selections, .. } => {
                let field = self.subgraph.find_field(parent, name)?;
                let base = field.r#type.base();
                let needed = self.required.of_field(parent, name);
                if !self.own.implies(&needed.and(self.required.of_type(base))) {
                    return Some([parent, ".", name].concat());
                }
                self.find_missing(base, selections)
            }
            FieldSetSelection::Fragment { on, selections } => {
                let on = on.as_deref().unwrap_or(parent);
                if on != parent && !self.own.implies(&self.required.of_type(on)) {
                    return Some(on.to_owned());
                }
                self.find_missing(on, selections)
            }
        })
    }

    fn finding(
        &self,
        r#type: &Type,
        field: &Field,
        at: At,
        directive: &str,
        read: &str,
    ) -> Finding {
        let coordinate = [&*r#type.name, ".", &field.name].concat();
        let message = format!(
            "`{coordinate}` in the subgraph \"{}\" reads `{read}` by `{directive}`, without its \
             requirements of authorization.",
            self.subgraph.name
        );
        let remedy = format!(
            "Add the `@authenticated`, `@requiresScopes` and `@policy` of `{read}` to `{coordinate}`."
        );
        Finding::new(Code::MissingTransitiveAuthRequirements, message)
            .on(coordinate)
            .at(self.subgraph.place(at))
            .remedy(remedy)
    }
}
