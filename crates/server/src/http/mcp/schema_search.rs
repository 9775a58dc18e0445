//! Search of types and fields by words, with a bounded answer.

use graphql::schema::{FieldId, TypeDefinition, TypeId, TypeKind};
use graphql::{View, print_type};
use serde_json::{Value, json};

/// The most words of a search.
const MOST_WORDS: usize = 8;

/// The most arguments that a match shows.
const MOST_ARGUMENTS: usize = 12;

/// The most bytes of a description that a match shows.
const MOST_DESCRIPTION: usize = 200;

/// What a word in a name counts, and what it counts where it is all of the name or only in the
/// description.
const IN_NAME: u32 = 4;
const IS_NAME: u32 = 8;
const IN_DESCRIPTION: u32 = 1;

/// What a field of a root counts besides: an operation begins there.
const OF_ROOT: u32 = 2;

/// A type or a field with all of the words.
struct Match {
    score: u32,
    coordinate: String,
    element: SchemaElement,
}

enum SchemaElement {
    Type(TypeId),
    Field(FieldId),
}

/// The best matches.
pub(super) fn search(view: View<'_>, words: &str, limit: usize) -> Result<Value, String> {
    let lower = words.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    if words.is_empty() || words.len() > MOST_WORDS {
        return Err(format!("\"words\" must have from 1 to {MOST_WORDS} words."));
    }
    let roots = [view.query(), view.mutation(), view.subscription()];
    let mut matches = Vec::new();
    for (id, definition) in view.types() {
        let name = definition.name.to_lowercase();
        if let Some(score) = score(&words, "", &name, definition.description.as_deref()) {
            let coordinate = String::from(&*definition.name);
            matches.push(Match { score, coordinate, element: SchemaElement::Type(id) });
        }
        let is_root = roots.contains(&Some(id));
        // The name of a root says nothing about its fields.
        let owner = if is_root { "" } else { &name };
        for field in view.fields(fields_of(definition)) {
            let own = &view[field];
            let score = score(&words, owner, &own.name.to_lowercase(), own.description.as_deref());
            let Some(score) = score else { continue };
            matches.push(Match {
                score: score + if is_root { OF_ROOT } else { 0 },
                coordinate: format!("{}.{}", definition.name, own.name),
                element: SchemaElement::Field(field),
            });
        }
    }
    let found = matches.len();
    matches.sort_unstable_by(|one, other| {
        other.score.cmp(&one.score).then_with(|| one.coordinate.cmp(&other.coordinate))
    });
    let shown: Vec<Value> =
        matches.into_iter().take(limit).map(|one| describe(view, &one)).collect();
    Ok(json!({ "found": found, "matches": shown }))
}

fn fields_of(definition: &TypeDefinition) -> &[FieldId] {
    match &definition.kind {
        TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => fields,
        TypeKind::Scalar
        | TypeKind::Union { .. }
        | TypeKind::Enum { .. }
        | TypeKind::InputObject { .. } => &[],
    }
}

/// How well a position matches; `None` unless all words are in its names or its description, one of
/// them in its own.
fn score(words: &[&str], owner: &str, name: &str, description: Option<&str>) -> Option<u32> {
    let description = description.map(str::to_lowercase).unwrap_or_default();
    let (mut score, mut is_own) = (0, false);
    for word in words {
        let own = match () {
            () if name == *word => IS_NAME,
            () if name.contains(word) => IN_NAME,
            () if description.contains(word) => IN_DESCRIPTION,
            () if owner.contains(word) => 0,
            () => return None,
        };
        is_own |= own > 0;
        score += own;
    }
    is_own.then_some(score)
}

fn describe(view: View<'_>, found: &Match) -> Value {
    let (kind, definition, description) = match found.element {
        SchemaElement::Type(id) => {
            let definition = &view[id];
            let kind = match definition.kind {
                TypeKind::Scalar => "scalar",
                TypeKind::Object { .. } => "type",
                TypeKind::Interface { .. } => "interface",
                TypeKind::Union { .. } => "union",
                TypeKind::Enum { .. } => "enum",
                TypeKind::InputObject { .. } => "input",
            };
            (kind, None, definition.description.as_deref())
        }
        SchemaElement::Field(id) => {
            ("field", Some(signature(view, id)), view[id].description.as_deref())
        }
    };
    let mut described = json!({ "coordinate": found.coordinate, "kind": kind });
    if let Some(definition) = definition {
        described["definition"] = definition.into();
    }
    if let Some(description) = description {
        let shown = &description[..description.floor_char_boundary(MOST_DESCRIPTION)];
        described["description"] = shown.into();
    }
    described
}

/// A field with its arguments and its type, without descriptions.
fn signature(view: View<'_>, id: FieldId) -> String {
    let field = &view.whole[id];
    let r#type = print_type(view.whole, view.type_of(id));
    let arguments = view.inputs(&field.arguments).map(|input| {
        let input = &view.whole[input];
        format!("{}: {}", input.name, print_type(view.whole, input.r#type))
    });
    let mut arguments: Vec<String> = arguments.collect();
    if arguments.is_empty() {
        return format!("{}: {type}", field.name);
    }
    if arguments.len() > MOST_ARGUMENTS {
        arguments.truncate(MOST_ARGUMENTS);
        arguments.push("…".to_owned());
    }
    format!("{}({}): {type}", field.name, arguments.join(", "))
}
