//! A level's prepared statement, in each of its texts.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use relational::{Level, bounding_place};
use source::Bounding;

use super::wire::Statement;

/// Texts that differ in the bounds of their pages, each made when it is first sent.
#[derive(Debug)]
pub(super) struct Texts {
    /// Without bounds.
    plain: Arc<Statement>,
    /// The types of the columns in which parameters are stored, where PostgreSQL infers them.
    stored_types: Box<[u32]>,
    bounded: Box<[OnceLock<Arc<Statement>>]>,
}

impl Texts {
    pub(super) fn new(level: &Level, parameter_types: Vec<u32>, stored_types: Box<[u32]>) -> Self {
        let plain = Statement::new(level.text.clone(), parameter_types);
        let plain = Arc::new(plain.with_columns(level.columns));
        let texts = level.bounded.as_ref().map_or(0, |bounded| bounded.texts());
        Self { plain, stored_types, bounded: (0..texts).map(|_| OnceLock::new()).collect() }
    }

    /// The type of a parameter: the declared one, or that of its column; 0 if neither is known.
    pub(super) fn parameter_type(&self, place: usize) -> u32 {
        let of = |types: &[u32]| types.get(place).copied().filter(|oid| *oid != 0);
        of(self.plain.parameter_types()).or_else(|| of(&self.stored_types)).unwrap_or_default()
    }

    /// The bytes that the statements keep which were made until now, with their places.
    pub(super) fn bytes(&self) -> usize {
        let made = self.bounded.iter().filter_map(OnceLock::get).chain([&self.plain]);
        size_of_val(&*self.bounded)
            + size_of_val(&*self.stored_types)
            + made.map(|statement| statement.bytes()).sum::<usize>()
    }

    /// The statement with these bounds.
    /// One that is made for it counts in `made`.
    pub(super) fn get(
        &self,
        level: &Level,
        bounding: Option<Bounding>,
        made: &AtomicU32,
    ) -> &Arc<Statement> {
        let place = bounding.and_then(|bounding| self.bounded.get(bounding_place(bounding)));
        let Some(place) = place else { return &self.plain };
        place.get_or_init(|| {
            made.fetch_add(1, Ordering::Relaxed);
            let text = level.bounded_text(bounding);
            let statement = Statement::new(text, self.plain.parameter_types());
            Arc::new(statement.with_columns(level.columns))
        })
    }
}
