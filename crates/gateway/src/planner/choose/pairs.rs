//! Sets of pairs of a subgraph and a level: one pair is one request.

const BITS: usize = u64::BITS as usize;

/// Index of a pair.
pub(super) type Pair = usize;

/// The set of all pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairSpace {
    subgraphs: usize,
    levels: usize,
}

impl PairSpace {
    /// All pairs with a level up to `levels`.
    pub(super) fn new(subgraphs: usize, levels: u16) -> Self {
        Self { subgraphs, levels: usize::from(levels) }
    }

    /// Returns the pair of a subgraph and a level from 1; `None` if the level is too high.
    pub(super) fn pair(self, subgraph: u16, level: u16) -> Option<Pair> {
        let level = usize::from(level).checked_sub(1).filter(|level| *level < self.levels)?;
        Some(level * self.subgraphs + usize::from(subgraph))
    }

    /// Number of words of a set.
    pub(super) fn words(self) -> usize {
        (self.subgraphs * self.levels).div_ceil(BITS)
    }

    pub(super) fn none(self) -> Pairs {
        Pairs(vec![0; self.words()])
    }
}

/// A set of pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pairs(pub(super) Vec<u64>);

impl Pairs {
    pub(super) fn insert(&mut self, pair: Pair) {
        insert(&mut self.0, pair);
    }

    pub(super) fn contains(&self, pair: Pair) -> bool {
        self.0.get(pair / BITS).is_some_and(|word| word >> (pair % BITS) & 1 == 1)
    }

    /// In ascending order.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = Pair> + '_ {
        (0..self.0.len() * BITS).filter(|pair| self.contains(*pair))
    }

    pub(super) fn len(&self) -> usize {
        count(&self.0)
    }
}

pub(super) fn insert(words: &mut [u64], pair: Pair) {
    if let Some(word) = words.get_mut(pair / BITS) {
        *word |= 1 << (pair % BITS);
    }
}

pub(super) fn unite(words: &mut [u64], other: &[u64]) {
    for (word, other) in words.iter_mut().zip(other) {
        *word |= other;
    }
}

pub(super) fn count(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}
