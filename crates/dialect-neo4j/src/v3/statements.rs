//! Fields that statements of the author give, of nodes and of the roots.

use super::build::{Build, reason};
use super::objects::in_interface;
use super::roles::{Values, unserved};
use crate::model::{
    ApiVersion, FieldKind, Given, ModelField, PlacedField, PlacedStatement, PropertyType,
    StatementField, Target,
};
use crate::shared::draft::{DraftField, DraftInput};
use crate::shared::stated::{Asked, Stated};
use api::binding::{FieldBinding, InputBinding, OrderRole, RowsBinding, RowsForm, RowsFrom};

/// The enum of directions.
const DIRECTION: &str = "SortDirection";

impl<'m> Build<'m> {
    /// The types of objects that requests give to statements.
    pub(super) fn add_statement_inputs(&mut self) {
        let stated = self.stated();
        stated.add_inputs(&mut self.draft);
    }

    /// The fields of a type that statements give.
    pub(super) fn statement_fields(&mut self, owner: Values) -> Vec<DraftField> {
        let mut drawn = Vec::new();
        for (place, field, statement) in statements(self.fields_of(owner)) {
            if !field.offers.on_read {
                continue;
            }
            drawn.push(match self.placed_statement(owner, place) {
                Some(placed) => {
                    self.statement_field(field, Asked { statement, placed, of_row: true })
                }
                // Those of an interface are those of its types.
                None => self.stated().drawn(field, statement, true, in_interface()),
            });
        }
        drawn
    }

    /// The nodes or maps in maps, by what they are: interfaces, types and unions, each in the order
    /// of the definitions.
    pub(super) fn part_fields(&mut self, owner: Values) -> Vec<DraftField> {
        // An interface has its unions before the others.
        let rank = |given: &Given| match (given, owner) {
            (Given::Several(Target::Union(_), _), Values::Interface(_)) => 0,
            (Given::Several(Target::Interface(_), _), _) => 1,
            (Given::Node(..) | Given::Value(_) | Given::Object(..), _) => 2,
            (Given::Several(..), _) => 3,
        };
        let fields = self.fields_of(owner).iter().enumerate();
        let mut parts: Vec<(usize, &ModelField, &Given)> = fields
            .filter(|(_, field)| field.offers.on_read)
            .filter_map(|(place, field)| match &field.kind {
                FieldKind::Part(given) => Some((place, field, given)),
                FieldKind::Property(_) | FieldKind::Relationship(_) | FieldKind::Statement(_) => {
                    None
                }
            })
            .collect();
        parts.sort_by_key(|(_, _, given)| rank(given));
        let stated = self.stated();
        let drawn = |(place, field, given): (usize, &ModelField, &Given)| {
            let version = match given.wrapping().is_list {
                true => RowsForm::List,
                false => RowsForm::Single,
            };
            let binding = match owner.field(self.placed, place) {
                Some(id) => stated.rows(given, RowsFrom::Value(id), version),
                None => in_interface(),
            };
            let mut draft = DraftField::new(&field.name, &stated.written(given), binding);
            draft.description.clone_from(&field.description);
            draft.deprecated(field.deprecated.as_ref())
        };
        parts.into_iter().map(drawn).collect()
    }

    /// The fields of the roots, behind all others.
    pub(super) fn add_statement_roots(&mut self) {
        let (model, placed) = (self.model, self.placed);
        for (root, fields, placed) in [
            ("Query", &model.queries, &placed.queries),
            ("Mutation", &model.mutations, &placed.mutations),
        ] {
            for (field, placed) in fields.iter().zip(placed) {
                if let FieldKind::Statement(statement) = &field.kind {
                    let asked = Asked { statement, placed: *placed, of_row: false };
                    let drawn = self.statement_field(field, asked);
                    self.draft.add_field(root, drawn);
                }
            }
        }
    }

    /// The orders by values that statements give.
    pub(super) fn statement_orders(&self, owner: Values) -> Vec<DraftInput> {
        let sorted =
            statements(self.fields_of(owner)).filter(|(_, _, statement)| match &statement.result {
                Given::Value(value) => !value.is_list && is_sorted(&value.r#type),
                Given::Node(..) | Given::Object(..) | Given::Several(..) => false,
            });
        let order = |(place, field, _): (usize, &ModelField, _)| {
            let binding = match self.placed_statement(owner, place) {
                Some(placed) => InputBinding::lenient(OrderRole::Computed(placed.function)),
                None => unserved("An order by what statements give of nodes of several types"),
            };
            let input = DraftInput::new(&field.name, DIRECTION, binding);
            match reason(field) {
                Some(reason) => input.because(reason),
                None => input,
            }
        };
        sorted.map(order).collect()
    }

    fn statement_field(&mut self, field: &ModelField, asked: Asked<'_>) -> DraftField {
        let (function, of_row) = (asked.placed.function, asked.of_row);
        let several = match &asked.statement.result {
            Given::Several(target, _) => self.variants_of(*target).map(|(variants, entity)| {
                let from = RowsFrom::FunctionOfVariants { function, of_row, variants };
                let form = asked.rows_form();
                FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
            }),
            Given::Value(_) | Given::Node(..) | Given::Object(..) => None,
        };
        self.stated().field(field, asked, several)
    }

    fn stated(&self) -> Stated<'m> {
        Stated { model: self.model, placed: self.placed, version: ApiVersion::V3 }
    }

    fn fields_of(&self, owner: Values) -> &'m [ModelField] {
        let model = self.model;
        match owner {
            Values::Node(place) => &model.nodes[place].fields,
            Values::Interface(place) => &model.interfaces[place].fields,
            // Relationships have none.
            Values::Edge(_) => &[],
        }
    }

    fn placed_statement(&self, owner: Values, field: usize) -> Option<PlacedStatement> {
        let Values::Node(place) = owner else { return None };
        match self.placed.nodes.get(place)?.fields.get(field)? {
            PlacedField::Statement(placed) => Some(*placed),
            PlacedField::Property(_) | PlacedField::Ways(_) => None,
        }
    }
}

/// The fields of statements, each with its place.
fn statements(
    fields: &[ModelField],
) -> impl Iterator<Item = (usize, &ModelField, &StatementField)> {
    fields.iter().enumerate().filter_map(|(place, field)| match &field.kind {
        FieldKind::Statement(statement) => Some((place, field, statement)),
        FieldKind::Property(_) | FieldKind::Relationship(_) | FieldKind::Part(_) => None,
    })
}

/// Whether rows can be sorted by values of a type that statements give.
fn is_sorted(r#type: &PropertyType) -> bool {
    match r#type {
        PropertyType::Boolean
        | PropertyType::Id
        | PropertyType::Int
        | PropertyType::BigInt
        | PropertyType::Float
        | PropertyType::String
        | PropertyType::Date
        | PropertyType::Time
        | PropertyType::LocalTime
        | PropertyType::DateTime
        | PropertyType::LocalDateTime
        | PropertyType::Duration => true,
        PropertyType::Point
        | PropertyType::CartesianPoint
        | PropertyType::Enum(_)
        | PropertyType::Scalar(_) => false,
    }
}
