//! Decisions taken from numbers that somebody else made up, so that fewer and smaller numbers give
//! a simpler operation: that is how a failing one is made small.

#[derive(Debug)]
pub(crate) struct Choices<'n> {
    numbers: std::slice::Iter<'n, u16>,
}

impl<'n> Choices<'n> {
    pub(crate) fn new(numbers: &'n [u16]) -> Self {
        Self { numbers: numbers.iter() }
    }

    /// A number below `end`, zero when there are no more numbers.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let number = self.numbers.next().copied().map_or(0, usize::from);
        number % end.max(1)
    }

    /// Whether to do what is done so often; never when there are no more numbers.
    pub(crate) fn percent(&mut self, often: usize) -> bool {
        100 - self.below(100) <= often
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}
