//! Random changes, and their text.

use testkit::fuzz::Choices;

use super::model::{Field, TYPES, fields};

/// Limit of changes within each other.
const DEPTH: usize = 3;

/// A change of a root field.
#[derive(Debug)]
pub(super) struct Change {
    pub r#type: usize,
    pub kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Create(Data),
    Update(Key, Data),
    Upsert { key: Key, create: Data, update: Data },
    Delete(Key),
    UpdateMany(Filter, Data),
    DeleteMany(Filter),
}

/// The values of a row, and the changes of its relations.
#[derive(Debug, Default)]
pub(super) struct Data {
    /// Of new rows.
    pub id: Option<&'static str>,
    pub name: Option<Option<&'static str>>,
    pub age: Option<Option<usize>>,
    pub marks: Option<Vec<usize>>,
    /// In the order of the fields.
    pub relations: Vec<(Field, Vec<Verb>)>,
}

#[derive(Debug)]
pub(super) enum Key {
    Id(&'static str),
    Name(&'static str),
}

#[derive(Debug)]
pub(super) enum Filter {
    All,
    OlderThan(usize),
    Ids(Vec<&'static str>),
    NotOlder(usize),
}

/// Changes of one kind along a relation. Of a single row, lists have one element, and the row needs
/// no key.
#[derive(Debug)]
pub(super) enum Verb {
    Create(Vec<Data>),
    Update(Vec<(Option<Key>, Data)>),
    Upsert(Vec<(Option<Key>, Data, Data)>),
    Delete(Vec<Option<Key>>),
    Connect(Vec<Key>),
    Set(Vec<Key>),
    Disconnect(Vec<Option<Key>>),
    UpdateMany(Vec<(Filter, Data)>),
    DeleteMany(Vec<Filter>),
}

const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];
const NAMES: [&str; 4] = ["red", "green", "blue", "grey"];

pub(super) fn change(choices: &mut Choices<'_>) -> Change {
    let r#type = [0, 1, 0, 5, 2, 3, 4, 1][choices.below(8)];
    let kind = match choices.below(12) {
        0..4 => Kind::Create(new(r#type, None, DEPTH, choices)),
        4..8 => Kind::Update(key(choices), changed(r#type, None, DEPTH, choices)),
        8 => Kind::Upsert {
            key: key(choices),
            create: new(r#type, None, DEPTH - 1, choices),
            update: changed(r#type, None, DEPTH - 1, choices),
        },
        9 => Kind::Delete(key(choices)),
        10 => Kind::UpdateMany(filter(choices), values_of_many(choices)),
        _ => Kind::DeleteMany(filter(choices)),
    };
    Change { r#type, kind }
}

fn id(choices: &mut Choices<'_>) -> &'static str {
    IDS[choices.below(IDS.len())]
}

fn key(choices: &mut Choices<'_>) -> Key {
    match choices.chance(15) {
        true => Key::Name(NAMES[choices.below(NAMES.len())]),
        false => Key::Id(id(choices)),
    }
}

fn filter(choices: &mut Choices<'_>) -> Filter {
    match choices.below(4) {
        0 => Filter::OlderThan(choices.below(5)),
        1 => Filter::Ids((0..choices.below(4)).map(|_| id(choices)).collect()),
        2 => Filter::NotOlder(choices.below(5)),
        _ => Filter::All,
    }
}

fn marks(choices: &mut Choices<'_>) -> Option<Vec<usize>> {
    choices.chance(30).then(|| (0..choices.below(4)).map(|_| choices.below(3)).collect())
}

fn values(choices: &mut Choices<'_>) -> Data {
    let name = choices.chance(30).then(|| match choices.chance(20) {
        true => None,
        false => Some(NAMES[choices.below(NAMES.len())]),
    });
    let age = choices.chance(50).then(|| match choices.chance(20) {
        true => None,
        false => Some(choices.below(6)),
    });
    Data { name, age, marks: marks(choices), ..Data::default() }
}

fn values_of_many(choices: &mut Choices<'_>) -> Data {
    let mut data = values(choices);
    if choices.chance(80) {
        data.name = None;
    }
    data
}

/// A new row, within a relation that leads to it or none.
fn new(r#type: usize, within: Option<Field>, depth: usize, choices: &mut Choices<'_>) -> Data {
    let mut data = values(choices);
    data.id = Some(id(choices));
    for field in fields(r#type) {
        if within.map(Field::opposite) == Some(field) {
            continue;
        }
        let near = field.near();
        if !near.is_required && (depth == 0 || !choices.chance(25)) {
            continue;
        }
        let target = field.far().r#type;
        let mut verbs = Vec::new();
        let is_created = depth > 0 && choices.chance(60);
        if is_created {
            let count = if near.is_list { 1 + choices.below(2) } else { 1 };
            let rows = (0..count).map(|_| new(target, Some(field), depth - 1, choices));
            verbs.push(Verb::Create(rows.collect()));
        }
        // Two single rows of a new one are a mistake that Prisma does not notice.
        let may_have_both = near.is_list || near.has_column;
        if !is_created || may_have_both && choices.chance(10) {
            let count = if near.is_list { 1 + choices.below(2) } else { 1 };
            verbs.push(Verb::Connect((0..count).map(|_| key(choices)).collect()));
        }
        data.relations.push((field, verbs));
    }
    data
}

/// Changes of a row that exists.
fn changed(r#type: usize, within: Option<Field>, depth: usize, choices: &mut Choices<'_>) -> Data {
    let mut data = values(choices);
    if depth == 0 {
        return data;
    }
    for field in fields(r#type) {
        if within.map(Field::opposite) == Some(field) || !choices.chance(30) {
            continue;
        }
        let mut verbs: Vec<(usize, Verb)> = Vec::new();
        for _ in 0..=choices.below(2) {
            let place = verb_number(field, choices);
            if verbs.iter().all(|(known, _)| *known != place) {
                verbs.push((place, verb(field, place, depth - 1, choices)));
            }
        }
        verbs.sort_by_key(|(place, _)| *place);
        data.relations.push((field, verbs.into_iter().map(|(_, verb)| verb).collect()));
    }
    data
}

/// A kind of changes that a field has.
fn verb_number(field: Field, choices: &mut Choices<'_>) -> usize {
    let near = field.near();
    match (near.is_list, near.is_required) {
        (true, _) => choices.below(9),
        (false, false) => [0, 1, 2, 3, 4, 6][choices.below(6)],
        (false, true) => [0, 1, 2, 4][choices.below(4)],
    }
}

fn verb(field: Field, number: usize, depth: usize, choices: &mut Choices<'_>) -> Verb {
    let is_list = field.near().is_list;
    let target = field.far().r#type;
    let count = if is_list { 1 + choices.below(2) } else { 1 };
    let own_key = |choices: &mut Choices<'_>| is_list.then(|| key(choices));
    let each = 0..count;
    match number {
        0 => Verb::Create(each.map(|_| new(target, Some(field), depth, choices)).collect()),
        1 => Verb::Update(
            each.map(|_| (own_key(choices), changed(target, Some(field), depth, choices)))
                .collect(),
        ),
        2 => Verb::Upsert(
            each.map(|_| {
                let key = own_key(choices);
                let update = changed(target, Some(field), depth, choices);
                (key, update, new(target, Some(field), depth, choices))
            })
            .collect(),
        ),
        3 => Verb::Delete(each.map(|_| own_key(choices)).collect()),
        4 => Verb::Connect(each.map(|_| key(choices)).collect()),
        5 => Verb::Set((0..choices.below(3)).map(|_| key(choices)).collect()),
        6 => Verb::Disconnect(each.map(|_| own_key(choices)).collect()),
        7 => Verb::UpdateMany(each.map(|_| (filter(choices), values_of_many(choices))).collect()),
        _ => Verb::DeleteMany(each.map(|_| filter(choices)).collect()),
    }
}

/// The root field of a change.
pub(super) fn text(change: &Change) -> String {
    let name = TYPES[change.r#type];
    match &change.kind {
        Kind::Create(data) => format!("create{name}(data: {}) {{ id }}", data_text(data)),
        Kind::Update(key, data) => {
            format!("update{name}(where: {}, data: {}) {{ id }}", key_text(key), data_text(data))
        }
        Kind::Upsert { key, create, update } => {
            let [create, update] = [create, update].map(data_text);
            let key = key_text(key);
            format!("upsert{name}(where: {key}, create: {create}, update: {update}) {{ id }}")
        }
        Kind::Delete(key) => format!("delete{name}(where: {}) {{ id }}", key_text(key)),
        Kind::UpdateMany(filter, data) => {
            let (filter, data) = (filter_text(filter), data_text(data));
            format!("updateMany{name}s(where: {filter}, data: {data}) {{ count }}")
        }
        Kind::DeleteMany(filter) => {
            format!("deleteMany{name}s(where: {}) {{ count }}", filter_text(filter))
        }
    }
}

fn key_text(key: &Key) -> String {
    match key {
        Key::Id(id) => format!("{{ id: \"{id}\" }}"),
        Key::Name(name) => format!("{{ name: \"{name}\" }}"),
    }
}

fn filter_text(filter: &Filter) -> String {
    match filter {
        Filter::All => "{}".into(),
        Filter::OlderThan(age) => format!("{{ age_gt: {age} }}"),
        Filter::NotOlder(age) => format!("{{ NOT: [{{ age_gt: {age} }}] }}"),
        Filter::Ids(ids) => format!("{{ id_in: {ids:?} }}"),
    }
}

fn data_text(data: &Data) -> String {
    let mut parts = Vec::new();
    parts.extend(data.id.map(|id| format!("id: \"{id}\"")));
    parts.extend(data.name.map(|name| match name {
        Some(name) => format!("name: \"{name}\""),
        None => "name: null".into(),
    }));
    parts.extend(data.age.map(|age| match age {
        Some(age) => format!("age: {age}"),
        None => "age: null".into(),
    }));
    parts.extend(data.marks.as_ref().map(|marks| format!("marks: {{ set: {marks:?} }}")));
    for (field, verbs) in &data.relations {
        let verbs: Vec<String> = verbs.iter().map(|verb| verb_text(*field, verb)).collect();
        parts.push(format!("{}: {{ {} }}", field.near().field, verbs.join(", ")));
    }
    format!("{{ {} }}", parts.join(", "))
}

fn verb_text(field: Field, verb: &Verb) -> String {
    let is_list = field.near().is_list;
    let many = |texts: Vec<String>| match is_list {
        true => format!("[{}]", texts.join(", ")),
        false => texts.concat(),
    };
    let keys = |keys: &[Key]| many(keys.iter().map(key_text).collect());
    let flags = |keys: &[Option<Key>]| {
        let text = |key: &Option<Key>| key.as_ref().map_or_else(|| "true".to_owned(), key_text);
        many(keys.iter().map(text).collect())
    };
    match verb {
        Verb::Create(rows) => format!("create: {}", many(rows.iter().map(data_text).collect())),
        Verb::Connect(rows) => format!("connect: {}", keys(rows)),
        Verb::Set(rows) => format!("set: {}", keys(rows)),
        Verb::Delete(rows) => format!("delete: {}", flags(rows)),
        Verb::Disconnect(rows) => format!("disconnect: {}", flags(rows)),
        Verb::Update(rows) => {
            let text = |(key, data): &(Option<Key>, Data)| match key {
                Some(key) => format!("{{ where: {}, data: {} }}", key_text(key), data_text(data)),
                None => data_text(data),
            };
            format!("update: {}", many(rows.iter().map(text).collect()))
        }
        Verb::Upsert(rows) => {
            let text = |(key, update, create): &(Option<Key>, Data, Data)| {
                let [update, create] = [update, create].map(data_text);
                let key = key.as_ref().map(|key| format!("where: {}, ", key_text(key)));
                format!("{{ {}update: {update}, create: {create} }}", key.unwrap_or_default())
            };
            format!("upsert: {}", many(rows.iter().map(text).collect()))
        }
        Verb::UpdateMany(rows) => {
            let text = |(filter, data): &(Filter, Data)| {
                format!("{{ where: {}, data: {} }}", filter_text(filter), data_text(data))
            };
            format!("updateMany: {}", many(rows.iter().map(text).collect()))
        }
        Verb::DeleteMany(rows) => {
            format!("deleteMany: {}", many(rows.iter().map(filter_text).collect()))
        }
    }
}

/// The query of all data.
pub(super) fn all() -> String {
    let mut text = "{ ".to_owned();
    for (number, name) in TYPES.iter().enumerate() {
        let relations = fields(number).into_iter().map(|field| {
            let order = if field.near().is_list { "(orderBy: id_ASC)" } else { "" };
            format!("{}{order} {{ id }} ", field.near().field)
        });
        let relations: String = relations.collect();
        text.push_str(&format!(
            "{name}: {}s(orderBy: id_ASC) {{ id name age marks {relations}}} ",
            name.to_lowercase()
        ));
    }
    text + "}"
}
