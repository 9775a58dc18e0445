//! Arenas whose equal elements share one place in memory.
//!
//! A large schema repeats itself: each of thousands of tables has a field `id: Int!`, and most of them
//! have the same arguments. Each position keeps an id of its own, which costs four bytes.

use std::hash::Hash;
use std::ops::Index;

use rustc_hash::FxHashMap;

/// Elements by the index of their id.
#[derive(Clone, Debug)]
pub struct SharedArena<T> {
    /// By id, the place of the element.
    places: Vec<SharedIndex>,
    elements: Vec<T>,
}

/// The index of an element, and whether it was added to be shared.
#[derive(Clone, Copy, Debug)]
struct SharedIndex(u32);

impl SharedIndex {
    const SHARED: u32 = 1 << 31;

    /// An arena of two billion elements cannot be held in memory.
    fn new(index: usize, is_shared: bool) -> Self {
        let index = u32::try_from(index).unwrap_or(u32::MAX) & !Self::SHARED;
        Self(if is_shared { index | Self::SHARED } else { index })
    }

    fn index(self) -> usize {
        (self.0 & !Self::SHARED) as usize
    }

    fn is_shared(self) -> bool {
        self.0 & Self::SHARED != 0
    }
}

/// The last element of each signature: a new one is compared with that alone.
#[derive(Clone, Debug)]
pub struct Signatures<S>(FxHashMap<S, u32>);

impl<S> Default for Signatures<S> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<T> Default for SharedArena<T> {
    fn default() -> Self {
        Self { places: Vec::new(), elements: Vec::new() }
    }
}

impl<T> SharedArena<T> {
    /// The number of ids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The elements, each once, in the order in which they were added.
    pub fn elements(&self) -> impl Iterator<Item = &T> {
        self.elements.iter()
    }

    /// The same to change them, for all of their ids.
    pub fn elements_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.elements.iter_mut()
    }

    /// Adds an element that no other id shares.
    pub fn push(&mut self, element: T) {
        self.places.push(SharedIndex::new(self.elements.len(), false));
        self.elements.push(element);
    }

    /// Adds an element, whose place an equal one of the same signature has, too.
    pub fn push_shared<S: Eq + Hash>(&mut self, element: T, signature: S, known: &mut Signatures<S>)
    where
        T: PartialEq,
    {
        let last = known.0.get(&signature).copied();
        let same = last.filter(|place| self.elements.get(*place as usize) == Some(&element));
        if let Some(place) = same {
            self.places.push(SharedIndex::new(place as usize, true));
            return;
        }
        let place = SharedIndex::new(self.elements.len(), true);
        known.0.insert(signature, place.index() as u32);
        self.places.push(place);
        self.elements.push(element);
    }

    /// The element of one id, which shares it with no other id from then on.
    pub fn own(&mut self, index: usize) -> &mut T
    where
        T: Clone,
    {
        let place = self.places[index];
        if !place.is_shared() {
            return &mut self.elements[place.index()];
        }
        self.places[index] = SharedIndex::new(self.elements.len(), false);
        self.elements.push(self.elements[place.index()].clone());
        let last = self.elements.len() - 1;
        &mut self.elements[last]
    }

    pub fn shrink_to_fit(&mut self) {
        self.places.shrink_to_fit();
        self.elements.shrink_to_fit();
    }
}

impl<T> Index<usize> for SharedArena<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.elements[self.places[index].index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_share_a_place_until_one_is_changed() {
        let (mut arena, mut known) = (SharedArena::default(), Signatures::default());
        for text in ["id", "name", "id", "id"] {
            arena.push_shared(text.to_owned(), text.len(), &mut known);
        }
        assert_eq!((arena.len(), arena.elements().count()), (4, 2));
        arena.own(2).push('2');
        let all: Vec<&str> = (0..4).map(|index| arena[index].as_str()).collect();
        assert_eq!(all, ["id", "name", "id2", "id"]);
        // It has an element of its own now.
        arena.own(2).push('3');
        assert_eq!((arena[2].as_str(), arena.elements().count()), ("id23", 3));
    }

    #[test]
    fn an_element_of_its_own_is_not_shared_and_one_of_another_value_neither() {
        let (mut arena, mut known) = (SharedArena::default(), Signatures::default());
        arena.push(1);
        arena.push_shared(1, (), &mut known);
        arena.push_shared(2, (), &mut known);
        arena.push_shared(1, (), &mut known);
        arena.push_shared(1, (), &mut known);
        *arena.own(0) = 7;
        assert_eq!((0..5).map(|index| arena[index]).collect::<Vec<_>>(), [7, 1, 2, 1, 1]);
        assert_eq!(arena.elements().count(), 4);
    }
}
