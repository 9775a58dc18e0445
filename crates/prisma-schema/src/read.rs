//! The reader: the files of a schema to its meaning. All mistakes are told in one run.
//!
//! * `arguments`: arguments of attributes
//! * `datasource`: the database
//! * `names`: types by their names
//! * `enums`, `models`, `fields`: blocks and their lines
//! * `keys`: ids and unique fields
//! * `relations`: relations between models

mod arguments;
mod datasource;
mod enums;
mod fields;
mod keys;
mod models;
mod names;
mod relations;

use crate::mistake::{Collected, File, Mistakes};
use crate::model::Schema;
use crate::parse::parse;
use crate::syntax::{Block, BlockKind};

/// Reads the files of a schema.
///
/// # Errors
///
/// All mistakes, in the order of the files.
pub fn read(files: Vec<File>) -> Result<Schema, Mistakes> {
    let mut mistakes = Collected::default();
    let mut blocks = Vec::new();
    for (index, file) in files.iter().enumerate() {
        blocks.extend(parse(index, &file.text, &mut mistakes));
    }
    let schema = schema(&blocks, &mut mistakes);
    match mistakes.is_empty() {
        true => Ok(Schema { files, ..schema }),
        false => Err(mistakes.into_mistakes(&files)),
    }
}

fn schema(blocks: &[Block], mistakes: &mut Collected) -> Schema {
    let of = |kinds: &'static [BlockKind]| {
        blocks.iter().filter(move |block| kinds.contains(&block.kind)).collect::<Vec<_>>()
    };
    names::check_blocks(blocks, mistakes);
    let datasource = datasource::datasource(&of(&[BlockKind::Datasource]), mistakes);
    for block in of(&[BlockKind::Type]) {
        mistakes.add(
            block.name.at,
            format!(
                "{}: composite types are MongoDB's: a table has none. Remove it, and the fields \
                 of this type.",
                block.name.text
            ),
        );
    }
    let enum_blocks = of(&[BlockKind::Enum]);
    let enums = enums::enums(&enum_blocks, mistakes);
    let model_blocks = of(&[BlockKind::Model, BlockKind::View]);
    let prefix = datasource.as_ref().map_or("db", |own| &own.name);
    let types = names::Types::new(blocks, prefix);
    let models = models::models(&model_blocks, &types, mistakes);
    let relations = relations::relations(&model_blocks, &models, &types, mistakes);
    Schema { files: Vec::new(), datasource, models, enums, relations }
}
