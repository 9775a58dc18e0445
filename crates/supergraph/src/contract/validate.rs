//! Rules of `@inaccessible`: what stays visible must be a valid schema.
//! <https://specs.apollo.dev/inaccessible/v0.2/>

use std::sync::Arc;

use graphql::definitions::{
    Composite, FieldDefinition, InputDefinition, Literal, TypeBody, TypeDefinition,
};

use super::elements::Elements;
use super::{Violation, ViolationCode};
use crate::coordinate::Coordinate;

/// Returns all violations, in the order of the document.
pub(super) fn validate(elements: &Elements) -> Vec<Violation> {
    let mut validation = Validation { elements, violations: Vec::new() };
    for definition in elements.types() {
        let name = &definition.name;
        let place = (definition.line, definition.column);
        if elements.is_type_hidden(name) {
            if elements.root("query") == Some(name) {
                validation.push(
                    ViolationCode::QueryRootTypeInaccessible,
                    Coordinate::of_type(name),
                    place,
                    format!("`{name}`, the type of queries, is hidden: it must stay visible"),
                );
            }
            continue;
        }
        if elements.has_only_hidden_members(definition) {
            let members = members(&definition.body);
            let remedy = match elements.root("query") == Some(name) {
                true => "include one of them".to_owned(),
                false => format!("hide `{name}` as well, or include one of them"),
            };
            let message =
                format!("`{name}` is visible, and all its {members} are hidden: {remedy}");
            let code = ViolationCode::OnlyInaccessibleChildren;
            validation.push(code, Coordinate::of_type(name), place, message);
        }
        match &definition.body {
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                validation.composite(definition, composite);
            }
            TypeBody::InputObject(inputs) => validation.input_object(name, inputs),
            TypeBody::Scalar | TypeBody::Union(_) | TypeBody::Enum(_) => {}
        }
    }
    let directives = elements.definitions.directives.iter();
    for directive in directives.filter(|one| !elements.links.is_of_specification(&one.name)) {
        for argument in &directive.arguments {
            let coordinate = Coordinate::directive_argument(&directive.name, &argument.name);
            validation.input(coordinate, argument);
        }
    }
    validation.violations.sort_by_key(|violation| (violation.line, violation.column));
    validation.violations
}

struct Validation<'e> {
    elements: &'e Elements,
    violations: Vec<Violation>,
}

impl Validation<'_> {
    fn push(
        &mut self,
        code: ViolationCode,
        coordinate: Coordinate,
        (line, column): (usize, usize),
        message: String,
    ) {
        self.violations.push(Violation { code, coordinate, message, line, column });
    }

    fn composite(&mut self, definition: &TypeDefinition, composite: &Composite) {
        let elements = self.elements;
        let name = &definition.name;
        for field in elements.fields(name, composite) {
            let coordinate = Coordinate::member(name, &field.name);
            let base = field.r#type.base();
            if elements.is_type_hidden(base) {
                let message = format!(
                    "`{coordinate}` is visible and returns `{base}`, which is hidden: hide \
                     `{coordinate}` as well, or include `{base}`"
                );
                let code = ViolationCode::ReferencedInaccessible;
                self.push(code, coordinate, (field.line, field.column), message);
            }
            for argument in &field.arguments {
                let coordinate = Coordinate::argument(name, &field.name, &argument.name);
                self.hidden_or_input(coordinate, argument);
            }
        }
        for interface in &composite.interfaces {
            if elements.is_type_hidden(&interface.name) {
                continue;
            }
            let interface = elements.find_type(&interface.name);
            if let Some((interface, TypeBody::Interface(body))) =
                interface.map(|interface| (interface, &interface.body))
            {
                self.implementation(definition, composite, &interface.name, body);
            }
        }
    }

    /// Checks that a type has the visible fields and arguments of an interface, and no other
    /// required arguments.
    fn implementation(
        &mut self,
        definition: &TypeDefinition,
        composite: &Composite,
        interface: &Arc<str>,
        body: &Composite,
    ) {
        let elements = self.elements;
        let name = &definition.name;
        for of_interface in elements.fields(interface, body) {
            let field = composite.fields.iter().find(|one| one.name == of_interface.name);
            let Some(field) = field else { continue };
            if elements.is_member_hidden(name, &field.name) {
                let coordinate = Coordinate::member(name, &field.name);
                let message = format!(
                    "`{coordinate}` is hidden, and `{interface}.{}`, which it implements, is \
                     visible: hide or include both",
                    field.name
                );
                let code = ViolationCode::ImplementedByInaccessible;
                self.push(code, coordinate, (field.line, field.column), message);
            } else {
                self.implemented_arguments((name, field), (interface, of_interface));
            }
        }
    }

    fn implemented_arguments(
        &mut self,
        (name, field): (&Arc<str>, &FieldDefinition),
        (interface, of_interface): (&Arc<str>, &FieldDefinition),
    ) {
        let elements = self.elements;
        for argument in &field.arguments {
            let is_hidden = |r#type: &Arc<str>| {
                let coordinate = Coordinate::argument(r#type, &field.name, &argument.name);
                elements.hidden.contains(&coordinate)
            };
            if !of_interface.arguments.iter().any(|one| one.name == argument.name) {
                continue;
            }
            let coordinate = Coordinate::argument(name, &field.name, &argument.name);
            let place = (argument.line, argument.column);
            let of_interface = Coordinate::argument(interface, &field.name, &argument.name);
            match (is_hidden(name), is_hidden(interface)) {
                (true, false) => {
                    let message = format!(
                        "`{coordinate}` is hidden, and `{of_interface}`, which it implements, is \
                         visible: hide or include both"
                    );
                    let code = ViolationCode::ImplementedByInaccessible;
                    self.push(code, coordinate, place, message);
                }
                (false, true) if is_required(argument) => {
                    let message = format!(
                        "`{of_interface}` is hidden, and `{coordinate}`, which implements it, is \
                         required: include `{of_interface}`"
                    );
                    let code = ViolationCode::RequiredInaccessible;
                    self.push(code, coordinate, place, message);
                }
                (_, _) => {}
            }
        }
    }

    fn input_object(&mut self, name: &Arc<str>, inputs: &[InputDefinition]) {
        for input in inputs {
            self.hidden_or_input(Coordinate::member(name, &input.name), input);
        }
    }

    fn hidden_or_input(&mut self, coordinate: Coordinate, input: &InputDefinition) {
        if !self.elements.hidden.contains(&coordinate) {
            return self.input(coordinate, input);
        }
        if is_required(input) {
            let message = format!(
                "`{coordinate}` is hidden and required: include it, or give it a default value or a \
                 nullable type"
            );
            let code = ViolationCode::RequiredInaccessible;
            self.push(code, coordinate, (input.line, input.column), message);
        }
    }

    /// Checks a visible argument or input field.
    fn input(&mut self, coordinate: Coordinate, input: &InputDefinition) {
        let base = input.r#type.base();
        let place = (input.line, input.column);
        if self.elements.is_type_hidden(base) {
            let message = format!(
                "`{coordinate}` is visible and of the type `{base}`, which is hidden: hide \
                 `{coordinate}` as well, or include `{base}`"
            );
            self.push(ViolationCode::ReferencedInaccessible, coordinate, place, message);
        } else if let Some(used) =
            input.default.as_ref().and_then(|default| self.hidden_part(base, default))
        {
            let message = format!(
                "the default value of `{coordinate}` uses `{used}`, which is hidden: include it, or \
                 change the default value"
            );
            self.push(ViolationCode::DefaultValueUsesInaccessible, coordinate, place, message);
        }
    }

    /// Returns the first hidden enum value or input field in a value.
    ///
    /// Recursion is bounded by the parser's limit.
    fn hidden_part(&self, name: &Arc<str>, value: &Literal) -> Option<Coordinate> {
        let body = self.elements.find_type(name).map(|definition| &definition.body);
        match (value, body) {
            (Literal::List(items), _) => items.iter().find_map(|item| self.hidden_part(name, item)),
            (Literal::Enum(value), Some(TypeBody::Enum(_))) => {
                let is_hidden = self.elements.is_member_hidden(name, value);
                is_hidden.then(|| Coordinate::member(name, value))
            }
            (Literal::Object(members), Some(TypeBody::InputObject(inputs))) => {
                members.iter().find_map(|(member, value)| {
                    if self.elements.is_member_hidden(name, member) {
                        return Some(Coordinate::member(name, member));
                    }
                    let input = inputs.iter().find(|input| input.name == *member)?;
                    self.hidden_part(input.r#type.base(), value)
                })
            }
            _ => None,
        }
    }
}

fn is_required(input: &InputDefinition) -> bool {
    input.r#type.is_required() && input.default.is_none()
}

fn members(body: &TypeBody) -> &'static str {
    match body {
        TypeBody::Object(_) | TypeBody::Interface(_) | TypeBody::Scalar => "fields",
        TypeBody::Union(_) => "members",
        TypeBody::Enum(_) => "values",
        TypeBody::InputObject(_) => "input fields",
    }
}
