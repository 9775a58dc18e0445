//! Inputs of stored values: those of new and of updated nodes, and the objects of changes of one
//! value.

use catalog::FieldId;

use crate::model::PropertyType;
use crate::shared::attribute::{Attribute, Origin};
use crate::shared::builder::Builder;
use crate::shared::changes::add_created;
use crate::shared::draft::{DraftInput, DraftKind};
use crate::shared::operators::{MUST_NOT_BE_NULL, arithmetic};
use crate::shared::values;
use api::binding::{AssignVerb, InputBinding, MultiEntityRole, WriteRole};

/// Value that is changed: a field, or that of each of several types of nodes, by its place.
#[derive(Clone, Copy)]
enum Stored {
    Field(FieldId),
    Common(u16),
}

/// Adds the objects of changes of one value: those that nothing leads to are left out.
pub(super) fn define(build: &mut Builder<'_>) {
    let built_in = [
        PropertyType::Boolean,
        PropertyType::Id,
        PropertyType::Int,
        PropertyType::BigInt,
        PropertyType::Float,
        PropertyType::String,
        PropertyType::Date,
        PropertyType::Time,
        PropertyType::LocalTime,
        PropertyType::DateTime,
        PropertyType::LocalDateTime,
        PropertyType::Duration,
        PropertyType::Point,
        PropertyType::CartesianPoint,
    ];
    let enums = (0..build.model.enums.len()).map(PropertyType::Enum);
    let scalars = (0..build.model.scalars.len()).map(PropertyType::Scalar);
    for r#type in built_in.into_iter().chain(enums).chain(scalars) {
        let name = values::type_name(build.model, &r#type);
        let input = values::input_name(build.model, &r#type);
        let verbs = [("set", AssignVerb::Set)].into_iter();
        let verbs = verbs.chain(arithmetic(&r#type).iter().map(|(verb, _, by)| (*verb, *by)));
        let fields = verbs.map(|(verb, by)| assign(verb, input, by)).collect();
        let text = match r#type {
            // As the library writes it.
            PropertyType::Scalar(_) => format!("{name} filters"),
            _ => format!("{name} mutations"),
        };
        let kind = DraftKind::Input { fields, form: None };
        build.draft.add(&one_name(build.model, &r#type), Some(&text), kind);

        let list = format!("[{input}!]");
        let pop = match r#type {
            PropertyType::Enum(_) | PropertyType::Scalar(_) => input,
            _ => "Int",
        };
        let fields = vec![
            assign("set", &list, AssignVerb::Set),
            assign("push", &list, AssignVerb::Push),
            assign("pop", pop, AssignVerb::Pop),
        ];
        let text = format!("Mutations for a list for {input}");
        let kind = DraftKind::Input { fields, form: None };
        build.draft.add(&list_name(build.model, &r#type), Some(&text), kind);
    }
}

fn assign(name: &str, r#type: &str, verb: AssignVerb) -> DraftInput {
    DraftInput::new(name, r#type, InputBinding::lenient(WriteRole::AssignBy(verb)))
}

fn one_name(model: &crate::model::Model, r#type: &PropertyType) -> String {
    let name = values::type_name(model, r#type);
    let ending = match r#type {
        PropertyType::Enum(_) => "EnumScalarMutations",
        PropertyType::Point | PropertyType::CartesianPoint => "Mutations",
        _ => "ScalarMutations",
    };
    format!("{name}{ending}")
}

fn list_name(model: &crate::model::Model, r#type: &PropertyType) -> String {
    let name = values::input_name(model, r#type);
    match r#type {
        PropertyType::Enum(_) => format!("{name}ListEnumScalarMutations"),
        PropertyType::Scalar(_) => format!("{name}ListScalarMutations"),
        _ => format!("List{name}Mutations"),
    }
}

/// The inputs of the properties of relationships.
pub(super) fn properties(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) {
    created(build, &format!("{name}CreateInput"), attributes);
    updated(build, &format!("{name}UpdateInput"), attributes, true);
}

/// Whether a new object has to say a value.
pub(super) fn needs_values(attributes: &[Attribute<'_>]) -> bool {
    attributes.iter().any(|attribute| attribute.is_created() && attribute.property.is_required)
}

/// The values of a new object.
pub(super) fn created(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) {
    add_created(build, name, attributes.iter().filter(|attribute| attribute.is_created()));
}

/// Adds the values of an updated object; `lists` adds the deprecated inputs of elements of lists.
pub(super) fn updated(
    build: &mut Builder<'_>,
    name: &str,
    attributes: &[Attribute<'_>],
    lists: bool,
) {
    build.draft.input(name);
    for attribute in attributes.iter().filter(|attribute| attribute.is_updated()) {
        let own = attribute.name();
        let r#type = &attribute.property.r#type;
        let object = match attribute.property.is_list {
            true => list_name(build.model, r#type),
            false => one_name(build.model, r#type),
        };
        let is_required = attribute.property.is_required;
        let stored = match attribute.origin {
            Origin::Node(field) | Origin::Edge(field) => Stored::Field(field),
            Origin::Common(place) => Stored::Common(place),
            Origin::Apart | Origin::Computed(_) => continue,
        };
        let binding = InputBinding::lenient(match stored {
            Stored::Field(field) => WriteRole::Assigns { field, is_required },
            Stored::Common(place) => {
                WriteRole::Several(MultiEntityRole::Assigns { place, is_required })
            }
        });
        let input = DraftInput::new(own, &object, binding);
        let deprecated = attribute.field.deprecated.as_ref();
        build.draft.add_input(name, input.deprecated(deprecated));
        if build.options.exclude_deprecated {
            continue;
        }
        let whole = build.given(attribute.property);
        let by = |ending: &str, r#type: &str, verb| {
            let role = match stored {
                Stored::Field(field) => WriteRole::Assign { field, verb },
                Stored::Common(place) => {
                    WriteRole::Several(MultiEntityRole::Assign { place, verb })
                }
            };
            let binding = match is_required {
                true => InputBinding::refuse_null(role, MUST_NOT_BE_NULL),
                false => InputBinding::lenient(role),
            };
            DraftInput::new(&format!("{own}_{ending}"), r#type, binding)
        };
        let reason = |verb: &str| {
            format!("Please use the generic mutation '{own}: {{ {verb}: ... }} }}' instead.")
        };
        let set = by("SET", &whole, AssignVerb::Set);
        build.draft.add_input(
            name,
            match deprecated {
                Some(_) => set.deprecated(deprecated),
                None => set.because(&reason("set")),
            },
        );
        if !attribute.property.is_list {
            for (_, ending, verb) in arithmetic(r#type) {
                // The library takes the word behind the first underscore for the verb.
                let word = own.split('_').nth(1).unwrap_or(ending).to_ascii_lowercase();
                let reason = format!(
                    "Please use the relevant generic mutation '{own}: {{ {word}: ... }} }}' instead."
                );
                build.draft.add_input(name, by(ending, &whole, *verb).because(&reason));
            }
        } else if lists && !matches!(r#type, PropertyType::Enum(_) | PropertyType::Scalar(_)) {
            let pop = by("POP", "Int", AssignVerb::Pop).because(&reason("pop"));
            build.draft.add_input(name, pop);
            let push = by("PUSH", &whole, AssignVerb::Push).because(&reason("push"));
            build.draft.add_input(name, push);
        }
    }
}
