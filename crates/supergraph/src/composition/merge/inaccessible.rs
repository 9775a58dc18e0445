//! Elements that are hidden from the API (`@inaccessible`): what is left must be a valid schema.
//! <https://specs.apollo.dev/inaccessible/v0.2/>

use std::sync::Arc;

use graphql::definitions::{
    Composite, Directive as WrittenDirective, FieldDefinition, InputDefinition, Literal, TypeBody,
    TypeDefinition, TypeExpression,
};
use rustc_hash::FxHashMap;

use super::Merger;
use crate::composition::schema::{Applied, Kind, all};
use crate::composition::specifications::{Directive, Meaning};
use crate::composition::{Code, Finding, Location};

/// The merged types, with what is hidden of them.
struct Visible<'t> {
    types: FxHashMap<&'t str, &'t TypeDefinition>,
    /// Name of the directive in the supergraph.
    directive: Arc<str>,
}

impl Visible<'_> {
    fn is_hidden(&self, directives: &[WrittenDirective]) -> bool {
        directives.iter().any(|directive| directive.name == self.directive)
    }

    fn is_hidden_type(&self, name: &str) -> bool {
        self.types.get(name).is_some_and(|r#type| self.is_hidden(&r#type.directives))
    }

    fn composite(&self, name: &str) -> Option<&Composite> {
        match &self.types.get(name)?.body {
            TypeBody::Object(composite) | TypeBody::Interface(composite) => Some(composite),
            TypeBody::Scalar
            | TypeBody::Union(_)
            | TypeBody::Enum(_)
            | TypeBody::InputObject(_) => None,
        }
    }
}

impl Merger<'_> {
    /// Adds an error for each visible element that needs a hidden one.
    pub(super) fn check_inaccessible(&mut self, types: &[TypeDefinition]) {
        let visible = Visible {
            types: types.iter().map(|r#type| (&*r#type.name, r#type)).collect(),
            directive: self.name_of(Directive::Inaccessible),
        };
        self.check_composed(&visible);
        if !self.directives.contains(&Directive::Inaccessible) {
            return;
        }
        for r#type in types {
            if visible.is_hidden(&r#type.directives) {
                if &*r#type.name == "Query" {
                    let message = "The root type `Query` is `@inaccessible`.";
                    let finding = Finding::new(Code::QueryRootTypeInaccessible, message);
                    self.report_hidden(finding.remedy("Remove the directive."), "Query");
                }
                continue;
            }
            self.check_children(&visible, r#type);
            match &r#type.body {
                TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                    for field in &composite.fields {
                        self.check_field(&visible, (r#type, composite), field);
                    }
                }
                TypeBody::InputObject(inputs) => {
                    for input in inputs {
                        let coordinate = [&*r#type.name, ".", &input.name].concat();
                        self.check_input(&visible, &coordinate, input);
                    }
                }
                TypeBody::Scalar | TypeBody::Union(_) | TypeBody::Enum(_) => {}
            }
        }
    }

    /// Checks the definitions of composed directives, and the types of their specifications: nothing
    /// of them may be hidden.
    fn check_composed(&mut self, visible: &Visible<'_>) {
        let composed: Vec<_> = self.composed.definitions().collect();
        let prefixes = self.composed.prefixes();
        let is_of_specification =
            |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()));
        let mut disallowed = Vec::new();
        for definition in &composed {
            for argument in &definition.arguments {
                let coordinate = ["@", &definition.name, "(", &argument.name, ":)"].concat();
                if visible.is_hidden(&argument.directives) {
                    disallowed.push(coordinate);
                } else if !is_of_specification(argument.r#type.base()) {
                    self.check_reference(visible, &coordinate, &argument.r#type);
                }
            }
        }
        let hidden = self.types.all.iter().map(|(name, _)| name);
        let hidden =
            hidden.filter(|name| visible.is_hidden_type(name) && is_of_specification(name));
        disallowed.extend(hidden.map(|name| name.as_ref().to_owned()));
        for coordinate in disallowed {
            let message = format!(
                "`{coordinate}` belongs to a composed directive, and cannot be `@inaccessible`."
            );
            let finding = Finding::new(Code::DisallowedInaccessible, message);
            self.report_hidden(finding.remedy("Remove the directive."), &coordinate);
        }
    }

    /// Checks that a visible type has a visible field, member or value.
    fn check_children(&mut self, visible: &Visible<'_>, r#type: &TypeDefinition) {
        let hidden = |directives: &[WrittenDirective]| visible.is_hidden(directives);
        let (word, count, has_visible) = match &r#type.body {
            TypeBody::Object(it) | TypeBody::Interface(it) => {
                ("fields", it.fields.len(), it.fields.iter().any(|it| !hidden(&it.directives)))
            }
            TypeBody::InputObject(it) => {
                ("fields", it.len(), it.iter().any(|it| !hidden(&it.directives)))
            }
            TypeBody::Enum(it) => ("values", it.len(), it.iter().any(|it| !hidden(&it.directives))),
            TypeBody::Union(it) => {
                ("members", it.len(), it.iter().any(|it| !visible.is_hidden_type(&it.name)))
            }
            TypeBody::Scalar => return,
        };
        if count == 0 || has_visible {
            return;
        }
        let name = &r#type.name;
        let message = format!("`{name}` is in the API, but all its {word} are `@inaccessible`.");
        let finding = Finding::new(Code::OnlyInaccessibleChildren, message)
            .remedy("Mark the type `@inaccessible` too, or remove the directive of a member.");
        self.report_hidden(finding, name);
    }

    fn check_field(
        &mut self,
        visible: &Visible<'_>,
        (parent, composite): (&TypeDefinition, &Composite),
        field: &FieldDefinition,
    ) {
        let coordinate = [&*parent.name, ".", &field.name].concat();
        let is_hidden = visible.is_hidden(&field.directives);
        let interface_fields = composite.interfaces.iter().filter_map(|interface| {
            let own = visible.composite(&interface.name)?;
            let own = own.fields.iter().find(|own| own.name == field.name)?;
            let is_visible =
                !visible.is_hidden_type(&interface.name) && !visible.is_hidden(&own.directives);
            is_visible.then_some((&interface.name, own))
        });
        let interface_fields: Vec<_> = interface_fields.collect();
        if is_hidden {
            for (interface, _) in interface_fields {
                let of = [&**interface, ".", &field.name].concat();
                self.report_implementation(&coordinate, &of);
            }
            return;
        }
        self.check_reference(visible, &coordinate, &field.r#type);
        for argument in &field.arguments {
            let coordinate = [&coordinate, "(", &argument.name, ":)"].concat();
            if visible.is_hidden(&argument.directives) {
                for (interface, own) in &interface_fields {
                    let mut arguments = own.arguments.iter();
                    let own = arguments.find(|own| own.name == argument.name);
                    if own.is_some_and(|own| !visible.is_hidden(&own.directives)) {
                        let name = &argument.name;
                        let of = format!("{interface}.{}({name}:)", field.name);
                        self.report_implementation(&coordinate, &of);
                    }
                }
            }
            self.check_input(visible, &coordinate, argument);
        }
    }

    fn check_input(&mut self, visible: &Visible<'_>, coordinate: &str, input: &InputDefinition) {
        if visible.is_hidden(&input.directives) {
            if input.r#type.is_required() && input.default.is_none() {
                let message = format!(
                    "`{coordinate}` is required, but `@inaccessible`: clients cannot set it."
                );
                let finding = Finding::new(Code::RequiredInaccessible, message)
                    .remedy("Make it nullable, add a default, or remove the directive.");
                self.report_hidden(finding, coordinate);
            }
            return;
        }
        self.check_reference(visible, coordinate, &input.r#type);
        if let Some(default) = &input.default {
            let mut hidden = Vec::new();
            hidden_in(visible, &input.r#type, default, &mut hidden);
            for used in hidden {
                let message = format!(
                    "The default of `{coordinate}` contains `{used}`, which is `@inaccessible`."
                );
                let finding = Finding::new(Code::DefaultValueUsesInaccessible, message)
                    .on(coordinate)
                    .remedy("Choose another default, or remove the directive.");
                self.report_hidden(finding, &used);
            }
        }
    }

    fn check_reference(
        &mut self,
        visible: &Visible<'_>,
        coordinate: &str,
        r#type: &TypeExpression,
    ) {
        let base = r#type.base();
        if visible.is_hidden_type(base) {
            let message =
                format!("`{coordinate}` is in the API, but its type `{base}` is `@inaccessible`.");
            let finding = Finding::new(Code::ReferencedInaccessible, message)
                .on(coordinate)
                .remedy("Mark it `@inaccessible` too, or remove the directive of the type.");
            self.report_hidden(finding, base);
        }
    }

    fn report_implementation(&mut self, coordinate: &str, of: &str) {
        let message = format!(
            "`{coordinate}` is `@inaccessible`, but `{of}` of its interface is in the API."
        );
        let finding = Finding::new(Code::ImplementedByInaccessible, message).on(of).remedy(
            "Mark the element of the interface `@inaccessible` too, or remove the directive.",
        );
        self.report_hidden(finding, coordinate);
    }

    /// Adds an error about a hidden element, at its directives.
    fn report_hidden(&mut self, finding: Finding, coordinate: &str) {
        let mut finding = finding.on(coordinate);
        finding.locations.extend(self.locations_of_hidden(coordinate));
        self.errors.push(finding);
    }

    /// Returns the locations of `@inaccessible` on an element or, without any, on its members.
    fn locations_of_hidden(&self, coordinate: &str) -> Vec<Location> {
        let (name, rest) = coordinate.split_once('.').unwrap_or((coordinate, ""));
        let (member, argument) = rest.split_once('(').unwrap_or((rest, ""));
        let argument = argument.trim_end_matches(":)");
        let mut locations = Vec::new();
        for source in self.find_sources(name) {
            let mut add = |applied: &[Applied]| {
                let hidden = all(applied, Meaning::Merged(Directive::Inaccessible));
                let own = hidden.map(|one| self.subgraph(source.graph).location(one.at()));
                locations.extend(own);
            };
            if member.is_empty() {
                add(&source.element.applied);
            }
            match &source.element.kind {
                Kind::Object(composite) | Kind::Interface(composite) => {
                    for field in composite.fields.iter().filter(|field| *field.name == *member) {
                        match argument {
                            "" => add(&field.applied),
                            _ => field
                                .arguments
                                .iter()
                                .filter(|own| *own.name == *argument)
                                .for_each(|own| add(&own.applied)),
                        }
                    }
                }
                Kind::Input(inputs) => inputs
                    .iter()
                    .filter(|input| *input.name == *member)
                    .for_each(|input| add(&input.applied)),
                Kind::Enum(values) => values
                    .iter()
                    .filter(|value| *value.name == *member)
                    .for_each(|value| add(&value.applied)),
                Kind::Scalar | Kind::Union(_) => {}
            }
        }
        if locations.is_empty() {
            let sources = self.find_sources(name).iter();
            locations.extend(sources.map(|it| self.subgraph(it.graph).location(it.element.at)));
        }
        locations
    }
}

/// Adds the hidden enum values and input fields of a default. Recursion is bounded by the parser's
/// limit.
fn hidden_in(
    visible: &Visible<'_>,
    r#type: &TypeExpression,
    value: &Literal,
    into: &mut Vec<String>,
) {
    let base = r#type.base();
    match value {
        Literal::List(items) => {
            for item in items {
                hidden_in(visible, r#type, item, into);
            }
        }
        Literal::Enum(name) => {
            let Some(TypeBody::Enum(values)) = visible.types.get(&**base).map(|it| &it.body) else {
                return;
            };
            let value = values.iter().find(|value| value.name == *name);
            if value.is_some_and(|value| visible.is_hidden(&value.directives)) {
                into.push([&**base, ".", name].concat());
            }
        }
        Literal::Object(members) => {
            let body = visible.types.get(&**base).map(|it| &it.body);
            let Some(TypeBody::InputObject(inputs)) = body else { return };
            for (name, value) in members {
                let Some(input) = inputs.iter().find(|input| input.name == *name) else { continue };
                match visible.is_hidden(&input.directives) {
                    true => into.push([&**base, ".", name].concat()),
                    false => hidden_in(visible, &input.r#type, value, into),
                }
            }
        }
        Literal::Null
        | Literal::Boolean(_)
        | Literal::Int(_)
        | Literal::Float(_)
        | Literal::String(_) => {}
    }
}
