//! Types of columns: the API's type for each type of the catalog.

use catalog::{Composite, DomainId, Enum, Note, NoteKind, Scalar, Type};
use graphql::schema::{TypeKind, TypeRef};
use ir::Form;
use response::Leaf;

use super::api_types::ValueType;
use super::build::{Build, Named};
use super::claims::Claimant;
use super::scalars::ScalarForm;
use super::tags::Annotated;
use super::{enum_table_types, enums, figures, parts, scalars, token};
use api::binding::ValueShape;

/// The name and description of a type of the database.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) description: Option<Box<str>>,
}

/// The API's type for a type; `None` if there is none.
pub(super) fn value_type(build: &mut Build<'_>, r#type: &Type) -> Option<ValueType> {
    match r#type {
        Type::Scalar(scalar) => scalar_value(build, scalar, None),
        Type::Enum(id) => {
            let (id, catalog) = (*id, build.catalog);
            remember(build, Named::Enum(id), |build| {
                let Enum { namespace, name, labels, .. } = &catalog[id];
                let annotated = build.annotations.r#enum(id);
                let Annotated { tags, description } = annotated;
                let given = catalog.given();
                let type_name = match given.r#enum(id).or_else(|| tags.text("enumName")) {
                    Some(name) => name.into(),
                    None => build.inflection.other_type(tags.text("name").unwrap_or(name)),
                };
                let definition = Definition { name: type_name, description: description.clone() };
                let known = (namespace.as_deref(), &**name);
                match definition.claim(build, known, annotated, "served as text") {
                    Some(definition) => {
                        let given = build.given_labels(id);
                        enums::value(build, (labels, &given), name, definition)
                    }
                    None => scalar_value(build, &Scalar::Text, None),
                }
            })
        }
        Type::Domain(id) => {
            let id = *id;
            remember(build, Named::Domain(id), |build| domain_value(build, id))
        }
        Type::Composite(id) => {
            let (id, catalog) = (*id, build.catalog);
            remember(build, Named::Composite(id), |build| {
                let Composite { namespace, name, .. } = &catalog[id];
                let annotated = build.annotations.composite(id);
                let Annotated { tags, description } = annotated;
                let type_name = build.inflection.table_type(tags.text("name").unwrap_or(name));
                let definition = Definition { name: type_name, description: description.clone() };
                let name = (namespace.as_deref(), &**name);
                let definition = definition.claim(build, name, annotated, "left out")?;
                match &build.options.token {
                    Some(signed) if signed.is(&catalog[id]) => {
                        token::value(build, id, definition, signed)
                    }
                    Some(_) | None => parts::composite(build, id, definition, false),
                }
            })
        }
        Type::Range(id) => parts::range(build, *id, None),
        // Not a value, but rows below the row.
        Type::Row(_) => None,
        Type::List(element) => list_value(build, element),
    }
}

fn list_value(build: &mut Build<'_>, element_type: &Type) -> Option<ValueType> {
    let element = value_type(build, element_type)?;
    let is_box = is_box(build.catalog.base_type(element_type));
    let is_figure = matches!(element.value, ValueShape::Figure(_));
    let form = match element.form {
        Form::Stored if is_box => Form::Texts,
        Form::Stored => Form::Stored,
        Form::Number => Form::Numbers,
        // The source has no conversions of elements' elements.
        Form::Numbers | Form::OrEmpty | Form::Text | Form::Texts | Form::GeoJson | Form::Json => {
            return None;
        }
    };
    Some(ValueType {
        output: element.output.list(),
        value: ValueShape::List(Box::new(element.value)),
        // With the dimensions and the first index, by which arrays differ.
        json: Leaf::Any,
        form,
        // Boxes have another separator, so lists of their texts are not possible.
        input: element.input.filter(|_| !is_box || is_figure).map(TypeRef::list),
        equal: element.equal,
        ordered: element.ordered,
        database_name: format!("{}[]", element.database_name).into(),
    })
}

fn is_box(r#type: &Type) -> bool {
    matches!(r#type, Type::Scalar(Scalar::Other(name)) if &**name == "box")
}

/// A domain is a type of its own name that otherwise equals its base. PostgreSQL's domains over
/// arrays are output as lists, which have no name.
fn domain_value(build: &mut Build<'_>, id: DomainId) -> Option<ValueType> {
    let catalog = build.catalog;
    let domain = &catalog[id];
    let base = catalog.base_type(&domain.base);
    if let Type::List(_) | Type::Domain(_) = base {
        return value_type(build, base);
    }
    if let Some(value) = enum_table_types::domain_type(build, id) {
        return Some(value);
    }
    let annotated = build.annotations.domain(id);
    let Annotated { tags, description } = annotated;
    let type_name = build.inflection.other_type(tags.text("name").unwrap_or(&domain.name));
    let definition = Definition { name: type_name, description: description.clone() };
    let name = (domain.namespace.as_deref(), &*domain.name);
    let instead = "served as the type that it restricts";
    let Some(definition) = definition.claim(build, name, annotated, instead) else {
        return value_type(build, base);
    };
    match base {
        Type::Scalar(scalar) => scalar_value(build, scalar, Some(definition)),
        Type::Enum(base) => {
            let Enum { labels, name, .. } = &catalog[*base];
            let given = build.given_labels(*base);
            enums::value(build, (labels, &given), name, definition)
        }
        Type::Composite(base) => parts::composite(build, *base, definition, true),
        Type::Range(base) => parts::range(build, *base, Some(definition)),
        Type::Row(_) | Type::List(_) | Type::Domain(_) => None,
    }
}

/// A scalar, under the name of a domain if there is one.
fn scalar_value(
    build: &mut Build<'_>,
    scalar: &Scalar,
    definition: Option<Definition>,
) -> Option<ValueType> {
    let scalar_type = match scalars::scalar_form(scalar, build.json(), build.options) {
        ScalarForm::Leaf(scalar_type) => scalar_type,
        ScalarForm::Interval => return parts::interval(build, definition),
        ScalarForm::Point => return parts::point(build, definition),
        ScalarForm::Figure(figure) => {
            return match definition {
                Some(definition) => figures::value(build, scalar, figure, definition),
                None => remember(build, Named::Figure(figure), |build| {
                    let definition = figures::definition(build, scalar, figure)?;
                    figures::value(build, scalar, figure, definition)
                }),
            };
        }
    };
    let output = match definition {
        Some(Definition { name, description }) => {
            let made = build.add_type(&name, description, TypeKind::Scalar)?;
            if let Some(form) = scalars::form(scalar_type.name, build.json()) {
                build.api.bind_form(made, form);
            }
            TypeRef::named(made)
        }
        None => build.scalar(scalar_type.name)?,
    };
    let is_upload = *scalar == Scalar::Bytes && build.options.upload_scalar;
    let input = if is_upload { build.scalar(scalars::UPLOAD)? } else { output };
    let json_equality = build.catalog.capabilities().json_equality;
    Some(ValueType {
        output,
        value: ValueShape::Leaf(scalar_type.leaf),
        json: scalar_type.json,
        form: if *scalar == Scalar::Money { Form::Number } else { Form::Stored },
        input: Some(input),
        equal: scalars::has_equality(scalar, json_equality),
        ordered: scalars::is_ordered(scalar),
        database_name: scalars::database_name(scalar).into(),
    })
}

impl Definition {
    /// Takes the name for a type of the database. If it is taken, a note describes the replacement
    /// `instead`.
    pub(super) fn claim(
        self,
        build: &mut Build<'_>,
        (namespace, name): (Option<&str>, &str),
        annotated: &Annotated,
        instead: &str,
    ) -> Option<Self> {
        let subject = &qualified(namespace, name);
        match build.types.claim(&self.name, Claimant { subject, what: "type" }) {
            Ok(()) => Some(self),
            Err(mut note) => {
                note.message = format!("{} Columns of it are {instead}.", note.message).into();
                build.note_with(note, |build| build.rename_type(namespace, name, annotated));
                None
            }
        }
    }
}

/// `namespace.name`, or the name alone.
fn qualified(namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(namespace) => format!("{namespace}.{name}"),
        None => name.into(),
    }
}

/// Makes a type once. During its construction, a recursive type gets nothing for itself.
pub(super) fn remember(
    build: &mut Build<'_>,
    named: Named,
    make: impl FnOnce(&mut Build<'_>) -> Option<ValueType>,
) -> Option<ValueType> {
    if let Some(known) = build.named.get(&named) {
        return known.clone();
    }
    build.named.insert(named, None);
    let made = make(build);
    build.named.insert(named, made.clone());
    made
}

/// Adds a note that a column of rows is not in the API, since their type is not.
pub(super) fn note_rows_left_out(build: &mut Build<'_>, subject: &str) {
    build.note(Note {
        kind: NoteKind::LeftOut,
        subject: subject.into(),
        message: "it holds rows of a table that is not served.".into(),
        remedy: "serve the table, too.".into(),
    });
}

/// Adds a note that a column or an attribute is not in the API.
pub(super) fn note_left_out(build: &mut Build<'_>, subject: &str) {
    build.note(Note {
        kind: NoteKind::LeftOut,
        subject: subject.into(),
        message: "its type cannot be represented.".into(),
        remedy: format!("add a view that casts {subject} to another type.").into(),
    });
}
