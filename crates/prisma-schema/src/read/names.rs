//! Names: of blocks, and types by their names.

use graphql::schema::is_name;
use graphql::similar_names;

use crate::mistake::{At, Collected};
use crate::model::ColumnType;
use crate::syntax::{Block, BlockKind, Name, TypeReference};

/// The types of a schema.
pub(super) struct Types<'b> {
    /// By their indices.
    models: Vec<&'b str>,
    enums: Vec<&'b str>,
    /// Names of `type` blocks, which have a mistake of their own.
    composites: Vec<&'b str>,
    /// The prefix of native types.
    pub(super) prefix: &'b str,
}

/// The meaning of a type's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Column(ColumnType),
    /// The index of a model.
    Model(usize),
}

impl<'b> Types<'b> {
    pub(super) fn new(blocks: &'b [Block], prefix: &'b str) -> Self {
        let of = |kinds: &[BlockKind]| {
            let blocks = blocks.iter().filter(|block| kinds.contains(&block.kind));
            blocks.map(|block| block.name.text.as_str()).collect()
        };
        Self {
            models: of(&[BlockKind::Model, BlockKind::View]),
            enums: of(&[BlockKind::Enum]),
            composites: of(&[BlockKind::Type]),
            prefix,
        }
    }

    /// The meaning of a name.
    pub(super) fn find(&self, name: &str) -> Option<Meaning> {
        let index = |names: &[&str]| names.iter().position(|own| *own == name);
        let scalar = ColumnType::SCALARS.iter().find(|(own, _)| *own == name);
        scalar
            .map(|(_, scalar)| Meaning::Column(*scalar))
            .or_else(|| index(&self.models).map(Meaning::Model))
            .or_else(|| index(&self.enums).map(|own| Meaning::Column(ColumnType::Enum(own))))
    }

    /// The meaning of a field's type. An unknown one is a mistake.
    pub(super) fn meaning(
        &self,
        of: &str,
        reference: &TypeReference,
        mistakes: &mut Collected,
    ) -> Option<Meaning> {
        let name = &*reference.name.text;
        if reference.unsupported.is_some() {
            return Some(Meaning::Column(ColumnType::Unsupported));
        }
        let meaning = self.find(name);
        if meaning.is_none() && !self.composites.contains(&name) {
            let scalars = ColumnType::SCALARS.iter().map(|(own, _)| *own);
            let known =
                scalars.chain(self.models.iter().copied()).chain(self.enums.iter().copied());
            let remedy = match similar_names(name, known).first() {
                Some(similar) => format!("did you mean {similar}?"),
                None => "define it, or write a scalar.".to_owned(),
            };
            mistakes.add(
                reference.name.at,
                format!("{of}: there is no model, enum or scalar `{name}`: {remedy}"),
            );
        }
        meaning
    }
}

/// Reports blocks of models and enums that have the name of another one, or none of GraphQL.
pub(super) fn check_blocks(blocks: &[Block], mistakes: &mut Collected) {
    let is_type = |block: &&Block| !block.kind.has_settings();
    let types: Vec<&Block> = blocks.iter().filter(is_type).collect();
    for (index, block) in types.iter().enumerate() {
        let Name { text, at } = &block.name;
        check_name(text, *at, mistakes);
        if ColumnType::SCALARS.iter().any(|(own, _)| own == text) {
            mistakes.add(
                *at,
                format!("{text} is a scalar of Prisma: rename the {}.", block.kind.word()),
            );
        }
        if let Some(first) = types.iter().take(index).find(|other| other.name.text == *text) {
            mistakes
                .add(*at, format!("there is a {} {text} already: rename one.", first.kind.word()));
        }
    }
}

/// Reports a name that GraphQL does not have.
pub(super) fn check_name(name: &str, at: At, mistakes: &mut Collected) {
    if !is_name(name)
        || name.starts_with("__")
        || !name.starts_with(|one: char| one.is_ascii_alphabetic())
    {
        mistakes.add(
            at,
            format!(
                "`{name}` is no name of GraphQL: begin with a letter, go on with letters, digits \
                 and underscores, and keep the database's name by @map or @@map."
            ),
        );
    }
}
