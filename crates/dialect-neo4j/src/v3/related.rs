//! Relationships to nodes of one type: the fields that show them, and the conditions on them.

use ir::{Comparison, Quantifier};

use super::build::Build;
use super::objects::{in_interface, with_reason};
use super::relations::{Owner, Relation, target_name};
use super::roles::{Many, counted, directed, filter, related, together};
use super::texts::{quantified, use_instead};
use super::unserved;
use crate::model::Target;
use crate::shared::draft::{DraftField, DraftInput};
use api::binding::{
    ArgumentRole, FieldBinding, InputBinding, Meaning, RowsBinding, RowsForm, RowsFrom,
};
use api::plural::VERSION_8;
use graphql::value::Const;

/// How many of the related nodes must pass: what names end with, and what is said of it.
const QUANTITIES: [(&str, &str, Many); 4] = [
    ("ALL", "all", Many::All),
    ("NONE", "none", Many::Quantity(Quantifier::None)),
    ("SINGLE", "one", Many::Quantity(Quantifier::Single)),
    ("SOME", "some", Many::Quantity(Quantifier::Some)),
];

impl<'m> Build<'m> {
    /// The fields that show the nodes on the other side, and what is made of them.
    pub(super) fn add_related_fields(&mut self, relation: &Relation<'m>) {
        if !relation.field.offers.on_read {
            return;
        }
        let target = relation.relationship.target;
        let name = target_name(self.model, target);
        let r#where = DraftInput::new("where", &format!("{name}Where"), filter());
        let options = match target {
            Target::Union(_) => "QueryOptions".into(),
            Target::Node(_) | Target::Interface(_) => format!("{name}Options"),
        };
        let binding = InputBinding::lenient(ArgumentRole::Options);
        let options = DraftInput::new("options", &options, binding);
        let arguments = match target {
            Target::Node(_) => [r#where.clone(), options],
            Target::Interface(_) | Target::Union(_) => [options, r#where.clone()],
        };
        let form = match relation.relationship.is_list {
            true => RowsForm::List,
            false => RowsForm::First,
        };
        let r#type = relation.shown_type(self.model);
        let binding = self.rows(relation, form);
        let field = DraftField::new(&relation.field.name, &r#type, binding);
        let mut field = with_reason(field, relation.reason());
        field.description = relation.field.description.clone();
        field.arguments.extend(arguments);
        field.arguments.extend(directed_argument(relation));
        self.draft.add_field(relation.source, field);

        let (Owner::Node(_), Target::Node(_)) = (relation.owner, target) else { return };
        if !relation.relationship.is_aggregated {
            return;
        }
        let r#type = self.add_related_aggregates(relation);
        let binding = self.rows(relation, RowsForm::Aggregate);
        let field = DraftField::new(&format!("{}Aggregate", relation.field.name), &r#type, binding);
        let mut field = with_reason(field, relation.reason());
        field.arguments.push(r#where);
        field.arguments.extend(directed_argument(relation));
        self.draft.add_field(relation.source, field);
    }

    /// The rows on the other side.
    pub(super) fn rows(&self, relation: &Relation<'_>, form: RowsForm) -> FieldBinding {
        match (relation.owner, relation.way(), relation.relationship.target) {
            (Owner::Interface(_), _, _) => in_interface(),
            (Owner::Node(_), Some(way), Target::Node(node)) => FieldBinding::Rows(RowsBinding {
                from: RowsFrom::Relation(way.hop),
                entity: way.entity,
                form,
                default_limit: self.default_limit(node, form),
            }),
            (Owner::Node(_), _, _) => match (relation.variants, form) {
                (Some(variants), RowsForm::List | RowsForm::Connection | RowsForm::First) => {
                    let from = RowsFrom::Variants { variants: variants.usual, once: false };
                    let entity = variants.first;
                    FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
                }
                _ => unserved("What is made of nodes of several types"),
            },
        }
    }

    /// So many rows of a list of nodes where a request does not say.
    pub(super) fn default_limit(&self, node: usize, form: RowsForm) -> Option<u64> {
        let limit = self.model.nodes[node].limit;
        match form {
            RowsForm::List | RowsForm::Connection => limit.default.or(limit.max).map(u64::from),
            RowsForm::Single | RowsForm::First | RowsForm::Aggregate => None,
        }
    }

    /// The conditions on the nodes on the other side.
    pub(super) fn add_related_conditions(&mut self, relation: &Relation<'m>) {
        let r#where = format!("{}Where", relation.source);
        let name = target_name(self.model, relation.relationship.target);
        let r#type = format!("{name}Where");
        self.add_any(&r#where, &relation.field.name, &r#type, relation, Meaning::Unrelated);

        let aggregate = relation.own("AggregateInput");
        self.add_aggregate_input(relation, &aggregate);
        let field = format!("{}Aggregate", relation.field.name);
        self.put_for(&r#where, &field, &aggregate, together(relation), relation.reason());
        self.add_quantities(&r#where, &relation.field.name, (name, &r#type), relation, true);
    }

    /// The condition that some of them pass, and its opposite.
    pub(super) fn add_any(
        &mut self,
        r#where: &str,
        name: &str,
        r#type: &str,
        relation: &Relation<'m>,
        null: Meaning,
    ) {
        let is_list = relation.relationship.is_list;
        // One that there must be is that one, however many are there against the definitions.
        let any = match is_list || relation.relationship.is_required {
            true => Many::Quantity(Quantifier::Some),
            false => Many::Quantity(Quantifier::Single),
        };
        let none = Many::Quantity(Quantifier::None);
        let null_of_not = match null {
            Meaning::Unrelated => Meaning::Related,
            _ => null.clone(),
        };
        let conditions = [
            (name.to_owned(), any, null, "SOME"),
            (format!("{name}_NOT"), none, null_of_not, "NONE"),
        ];
        for (field, many, null, instead) in conditions {
            let binding = related(relation, many, null);
            let reason = is_list.then(|| use_instead(&format!("{name}_{instead}")));
            self.put_for(r#where, &field, r#type, binding, reason.as_deref());
        }
    }

    /// The conditions on how many of them pass, of a list. `shown` is what the descriptions call
    /// them.
    pub(super) fn add_quantities(
        &mut self,
        r#where: &str,
        name: &str,
        (shown, r#type): (&str, &str),
        relation: &Relation<'m>,
        of_nodes: bool,
    ) {
        if !relation.relationship.is_list {
            return;
        }
        let (sources, targets) = (VERSION_8.pluralize(relation.source), VERSION_8.pluralize(shown));
        for (suffix, quantity, many) in QUANTITIES {
            let null = if of_nodes { Meaning::Unrelated } else { null_connection() };
            let input =
                DraftInput::new(&format!("{name}_{suffix}"), r#type, related(relation, many, null));
            let mut input = input.described(&quantified(&sources, quantity, &targets));
            input.deprecated = relation.reason().map(Into::into);
            self.draft.add_input(r#where, input);
        }
    }

    /// The conditions on how many there are, and on what is made of them.
    fn add_aggregate_input(&mut self, relation: &Relation<'m>, name: &str) {
        let counts = [
            ("count", Comparison::Equal),
            ("count_LT", Comparison::Less),
            ("count_LTE", Comparison::LessOrEqual),
            ("count_GT", Comparison::Greater),
            ("count_GTE", Comparison::GreaterOrEqual),
        ];
        for (field, comparison) in counts {
            self.put(name, field, "Int", counted(comparison));
        }
        self.put_logic(name, ["AND", "OR", "NOT"]);
        for (field, r#type) in self.add_made_conditions(relation) {
            self.put(name, field, &r#type, filter());
        }
    }
}

/// The argument that says how a relationship is followed.
pub(super) fn directed_argument(relation: &Relation<'_>) -> Option<DraftInput> {
    let default = relation.directed()?;
    let argument = DraftInput::new("directed", "Boolean", directed(relation));
    Some(argument.defaulted(Const::Boolean(default)))
}

/// What null means as a condition on a connection.
pub(super) fn null_connection() -> Meaning {
    Meaning::Refuse("A condition on a connection cannot be null.".into())
}
