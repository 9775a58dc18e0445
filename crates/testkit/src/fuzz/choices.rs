//! Decisions read from a tape of bytes. The generator of the tape needs no knowledge of the
//! decisions, and a shorter tape or smaller bytes mean a simpler outcome, so tapes can be shrunk.

#[derive(Debug)]
pub struct Choices<'t> {
    tape: &'t [u8],
    place: usize,
}

impl<'t> Choices<'t> {
    pub fn new(tape: &'t [u8]) -> Self {
        Self { tape, place: 0 }
    }

    /// A number below `end`; 0 once the tape has ended.
    pub fn below(&mut self, end: usize) -> usize {
        let mut number = usize::from(self.byte());
        if end > 256 {
            number = number << 8 | usize::from(self.byte());
        }
        number % end.max(1)
    }

    /// A rare decision; never true once the tape has ended.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) + percent >= 100
    }

    /// The first once the tape has ended.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }

    fn byte(&mut self) -> u8 {
        let byte = self.tape.get(self.place).copied().unwrap_or(0);
        self.place += 1;
        byte
    }
}
