//! Relations: pairs of fields, of which one names the columns, or none with a table of pairs.

use super::arguments::{Arguments, field_names, place};
use super::keys;
use super::names::{Meaning, Types};
use crate::mistake::{At, Collected};
use crate::model::{FieldIndex, Model, Relation};
use crate::syntax::{Arity, Block, Expression, ExpressionKind};

/// What happens to rows when one that they refer to is deleted or changed.
const ACTIONS: [&str; 5] = ["Cascade", "Restrict", "NoAction", "SetNull", "SetDefault"];

/// A field of a relation.
struct End<'b> {
    index: FieldIndex,
    /// The model of the other end.
    target: usize,
    at: At,
    arity: Arity,
    name: Option<&'b str>,
    fields: Option<&'b Expression>,
    references: Option<&'b Expression>,
}

/// The relations, in the order of their first fields.
pub(super) fn relations(
    blocks: &[&Block],
    models: &[Model],
    types: &Types<'_>,
    mistakes: &mut Collected,
) -> Vec<Relation> {
    let ends = ends(blocks, models, types, mistakes);
    let mut reader = Reader { models, mistakes };
    let mut relations = Vec::new();
    for end in &ends {
        let Some(other) = reader.opposite(end, &ends) else { continue };
        if end.index < other.index
            && let Some(relation) = reader.relation(end, other)
        {
            relations.push(relation);
        }
    }
    relations
}

fn ends<'b>(
    blocks: &[&'b Block],
    models: &[Model],
    types: &Types<'_>,
    mistakes: &mut Collected,
) -> Vec<End<'b>> {
    let mut ends = Vec::new();
    for (model, block) in blocks.iter().enumerate() {
        for (field, line) in block.lines.iter().enumerate() {
            let Some(target) =
                line.r#type.as_ref().and_then(|reference| types.find_model(&reference.name.text))
            else {
                continue;
            };
            let Some(own) = models.get(model).and_then(|model| model.fields.get(field)) else {
                continue;
            };
            let mut end = End {
                index: FieldIndex { model, field },
                target,
                at: own.at,
                arity: own.arity,
                name: None,
                fields: None,
                references: None,
            };
            let mut attributes = line.attributes.iter();
            if let Some(attribute) = attributes.find(|own| own.name.text == "relation") {
                let mut arguments = Arguments::of_field(attribute);
                let name = arguments.first("name");
                end.name = name.and_then(Expression::text);
                if let (Some(name), None) = (name, end.name) {
                    mistakes.add(name.at, "the name of a relation is a string: write \"…\".");
                }
                end.fields = arguments.named("fields");
                end.references = arguments.named("references");
                check_actions(&mut arguments, mistakes);
                arguments.text("map", mistakes);
                arguments.finish(mistakes);
            }
            ends.push(end);
        }
    }
    ends
}

/// Actions are the database's own, or Prisma Client's: they change no name.
fn check_actions(arguments: &mut Arguments<'_>, mistakes: &mut Collected) {
    for name in ["onDelete", "onUpdate"] {
        let Some(value) = arguments.named(name) else { continue };
        let is_known = match &value.kind {
            ExpressionKind::Path(action) => ACTIONS.contains(&&**action),
            _ => false,
        };
        if !is_known {
            mistakes.add(value.at, format!("the action is one of {}.", ACTIONS.join(", ")));
        }
    }
}

struct Reader<'m> {
    models: &'m [Model],
    mistakes: &'m mut Collected,
}

impl Reader<'_> {
    fn field_name(&self, index: FieldIndex) -> String {
        let model = self.models.get(index.model);
        let field = model.and_then(|model| model.fields.get(index.field));
        match (model, field) {
            (Some(model), Some(field)) => format!("{}.{}", model.name, field.name),
            _ => String::new(),
        }
    }

    fn model_name(&self, index: usize) -> &str {
        self.models.get(index).map_or("", |model| &model.name)
    }

    /// The field at the other end of a relation. Without exactly one, it is a mistake.
    fn opposite<'e, 'b>(&mut self, end: &End<'b>, ends: &'e [End<'b>]) -> Option<&'e End<'b>> {
        let of = |from: usize, to: usize| {
            let all = ends.iter();
            all.filter(move |own| {
                own.index.model == from && own.target == to && own.name == end.name
            })
        };
        let others: Vec<&End<'_>> =
            of(end.target, end.index.model).filter(|own| own.index != end.index).collect();
        let is_of_itself = end.target == end.index.model;
        let rivals = of(end.index.model, end.target).count();
        let is_ambiguous = !is_of_itself && rivals > 1;
        let own = self.field_name(end.index);
        match others.as_slice() {
            [other] if !is_ambiguous => return Some(other),
            [] => {
                let message = format!(
                    "{own}: the model {} has no field for the other end of the relation: add one \
                     of the type {}{}.",
                    self.model_name(end.target),
                    self.model_name(end.index.model),
                    end.name
                        .map(|name| format!(", with @relation(\"{name}\")"))
                        .unwrap_or_default()
                );
                self.mistakes.add(end.at, message);
            }
            _ => {
                let message = format!(
                    "{own}: several relations between {} and {} have one name: give both fields \
                     of each @relation(\"a name\") of its own.",
                    self.model_name(end.index.model),
                    self.model_name(end.target)
                );
                self.mistakes.add(end.at, message);
            }
        }
        None
    }

    fn relation(&mut self, one: &End<'_>, other: &End<'_>) -> Option<Relation> {
        if one.arity == Arity::List && other.arity == Arity::List {
            return self.pairs(one, other);
        }
        let (from, to) = match (one.fields, other.fields) {
            (Some(_), None) => (one, other),
            (None, Some(_)) => (other, one),
            (None, None) => {
                let holder = if one.arity == Arity::List { other } else { one };
                let message = format!(
                    "{}: the relation has no columns: write @relation(fields: […], references: \
                     […]) at one of its fields.",
                    self.field_name(holder.index)
                );
                self.mistakes.add(holder.at, message);
                return None;
            }
            (Some(_), Some(fields)) => {
                let message = format!(
                    "{}: the other field of the relation has `fields` already: remove them at one.",
                    self.field_name(other.index)
                );
                self.mistakes.add(fields.at, message);
                return None;
            }
        };
        let own = self.field_name(from.index);
        if from.arity == Arity::List {
            let message = format!(
                "{own}: a list has no columns of its own: write `fields` at {}.",
                self.field_name(to.index)
            );
            self.mistakes.add(from.at, message);
            return None;
        }
        if let Some(references) = to.references {
            let message = format!("{own}: `references` belongs to the field with `fields`.");
            self.mistakes.add(references.at, message);
        }
        let fields = self.columns(from.index.model, from.fields)?;
        let Some(references) = from.references else {
            let message = format!("{own}: write the fields that it refers to: references: […].");
            self.mistakes.add(from.at, message);
            return None;
        };
        let references_at = references.at;
        let references = self.columns(to.index.model, Some(references))?;
        if fields.len() != references.len() {
            let message = format!("{own}: `fields` and `references` have different lengths.");
            self.mistakes.add(references_at, message);
            return None;
        }
        let is_key = |model: &Model| {
            model.keys.iter().any(|key| key.fields.iter().all(|field| fields.contains(field)))
        };
        if to.arity != Arity::List && !self.models.get(from.index.model).is_some_and(is_key) {
            let message = format!(
                "{own}: {} has one row at most, so the columns have to be @unique; else make it a \
                 list.",
                self.field_name(to.index)
            );
            self.mistakes.add(from.at, message);
        }
        let (from_index, to_index) = (from.index, to.index);
        Some(Relation::ForeignKey { from: from_index, to: to_index, fields, references })
    }

    /// The fields of columns that an argument names.
    fn columns(&mut self, model: usize, value: Option<&Expression>) -> Option<Vec<usize>> {
        let (model, value) = (self.models.get(model)?, value?);
        let names = field_names(value, self.mistakes);
        if names.is_empty() {
            self.mistakes.add(value.at, "write the name of a field at least.");
            return None;
        }
        let found: Vec<Option<usize>> = names
            .iter()
            .map(|(index, name)| keys::column(model, name, place(value, *index), self.mistakes))
            .collect();
        found.into_iter().collect()
    }

    fn pairs(&mut self, one: &End<'_>, other: &End<'_>) -> Option<Relation> {
        for end in [one, other] {
            if let Some(fields) = end.fields {
                let message = format!(
                    "{}: a relation of two lists has no columns: remove `fields`, or make one \
                     field no list.",
                    self.field_name(end.index)
                );
                self.mistakes.add(fields.at, message);
                return None;
            }
            let model = self.models.get(end.index.model)?;
            let has_id = model.keys.iter().any(|key| key.is_primary && key.fields.len() == 1);
            if !has_id {
                let message = format!(
                    "{}: {} needs an id of one field for a relation of two lists: write @id.",
                    self.field_name(end.index),
                    model.name
                );
                self.mistakes.add(end.at, message);
                return None;
            }
        }
        let order = |end: &End<'_>| {
            let model = self.models.get(end.index.model)?;
            let field = model.fields.get(end.index.field)?;
            Some((model.name.clone(), field.name.clone()))
        };
        let (a, b) = if order(one) <= order(other) { (one, other) } else { (other, one) };
        let table = match one.name {
            Some(name) => format!("_{name}"),
            None => {
                format!("_{}To{}", self.model_name(a.index.model), self.model_name(b.index.model))
            }
        };
        Some(Relation::Pairs { a: a.index, b: b.index, table: table.into() })
    }
}

impl Types<'_> {
    /// The index of a model by its name.
    fn find_model(&self, name: &str) -> Option<usize> {
        match self.find(name)? {
            Meaning::Model(index) => Some(index),
            Meaning::Column(_) => None,
        }
    }
}
