//! Texts in several languages: a column for each language, and fields that read the first of them.

use storage::model as target;

use super::columns::{entity, index_of, merge};
use super::names::{self, without_type};
use super::{FieldStorage, Language, Layout};
use crate::language_tags::{self, ANY, is_multilingual};
use crate::model::{Type, TypeKind};

/// A language of a predicate, and the field of the entity with its texts.
struct LanguageColumn {
    predicate: String,
    /// `None` for the text without a tag.
    tag: Option<String>,
    position: usize,
}

/// Adds the columns of languages that no field of its own writes, and the places of the fields that
/// read several.
pub(super) fn add(layout: &mut Layout<'_>) {
    for (idx, r#type) in layout.stored_types() {
        if r#type.kind == TypeKind::Object {
            add_columns(layout, idx, r#type);
        }
    }
    for (idx, r#type) in layout.stored_types() {
        if r#type.kind == TypeKind::Object {
            place_fields(layout, idx, r#type);
        }
    }
}

fn add_columns(layout: &mut Layout<'_>, idx: usize, r#type: &Type) {
    let Some(entity) = entity(layout, idx) else { return };
    for (predicate, tags) in multilingual_predicates(layout, r#type) {
        for tag in tags.split(':') {
            let tag = (tag != ANY).then_some(tag);
            let known = language_columns(layout, entity);
            let is_known =
                |one: &LanguageColumn| one.predicate == predicate && one.tag.as_deref() == tag;
            if known.iter().any(is_known) {
                continue;
            }
            let own = tag.map_or_else(|| predicate.clone(), |tag| format!("{predicate}@{tag}"));
            let short = without_type(layout.source, r#type, &own);
            let fields = &layout.target.entities[entity].fields;
            let is_taken = fields.iter().any(|field| *field.name == *short);
            let name: Box<str> = if is_taken { own.as_str().into() } else { short.into() };
            let added = target::Field::optional(name, target::FieldType::Text);
            let position = merge(&mut layout.target.entities[entity].fields, added);
            if let Some(stored) = &mut layout.types[idx] {
                stored.languages.push(Language { predicate: own, position });
            }
        }
    }
}

fn place_fields(layout: &mut Layout<'_>, idx: usize, r#type: &Type) {
    let Some(entity) = entity(layout, idx) else { return };
    let known = language_columns(layout, entity);
    let predicates = names::predicates(layout.source, r#type);
    for (index, field) in r#type.fields.iter().enumerate() {
        let Some((predicate, tags)) =
            language_tags::split(&predicates[index]).filter(|_| is_multilingual(field))
        else {
            continue;
        };
        let mut found: Vec<usize> = Vec::new();
        for tag in tags.split(':') {
            let mut own: Vec<&LanguageColumn> =
                known.iter().filter(|one| one.predicate == predicate).collect();
            match tag {
                // The text without a tag comes first.
                ANY => own.sort_by_key(|one| (one.tag.is_some(), one.position)),
                tag => own.retain(|one| one.tag.as_deref() == Some(tag)),
            }
            for one in own {
                if !found.contains(&one.position) {
                    found.push(one.position);
                }
            }
        }
        // Each language may pass the conditions on any.
        let indexes = field.search.iter().filter_map(|search| index_of(field, *search));
        let indexes: Vec<target::Index> = indexes.collect();
        for position in &found {
            let fields = &mut layout.target.entities[entity].fields;
            let searched = target::Field { indexes: indexes.clone(), ..fields[*position].clone() };
            merge(fields, searched);
        }
        layout.place((idx, index), FieldStorage::Coalesce(found));
    }
}

/// The predicates and the tags of fields that read several languages.
fn multilingual_predicates(layout: &Layout<'_>, r#type: &Type) -> Vec<(String, String)> {
    let predicates = names::predicates(layout.source, r#type);
    let fields = r#type.fields.iter().zip(&predicates).filter(|(field, _)| is_multilingual(field));
    let read = fields.filter_map(|(_, predicate)| language_tags::split(predicate));
    read.map(|(predicate, tags)| (predicate.to_owned(), tags.to_owned())).collect()
}

/// The texts of an entity, by predicates and languages.
fn language_columns(layout: &Layout<'_>, entity: usize) -> Vec<LanguageColumn> {
    let mut known: Vec<LanguageColumn> = Vec::new();
    let mut add = |predicate: &str, position: usize| {
        let (name, tag) = match language_tags::split(predicate) {
            Some((name, tag)) => (name, Some(tag.to_owned())),
            None => (predicate, None),
        };
        let field = &layout.target.entities[entity].fields[position];
        let is_text = field.r#type == target::FieldType::Text && !field.is_list;
        if is_text && !known.iter().any(|one| one.position == position) {
            known.push(LanguageColumn { predicate: name.to_owned(), tag, position });
        }
    };
    for index in &layout.of_entities[entity] {
        let Some(stored) = &layout.types[index.0] else { continue };
        let predicates = names::predicates(layout.source, &layout.source.types[index.0]);
        for (place, predicate) in stored.fields.iter().zip(&predicates) {
            if let Some(FieldStorage::Field(position)) = place {
                add(predicate, *position);
            }
        }
        for language in &stored.languages {
            add(&language.predicate, language.position);
        }
    }
    known
}
