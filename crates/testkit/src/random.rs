//! Random numbers that are the same in each run.

/// A linear congruential generator with Knuth's constants.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number less than `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The low bits have short periods.
        (self.0 >> 33) as usize % bound
    }

    /// Returns one of these.
    pub fn one_of<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_from_the_seed() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            [10, 10, 10, 1_000].map(|bound| random.below(bound))
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        let mut random = Random::new(7);
        let mut counts = [0; 4];
        for _ in 0..1_000 {
            counts[*random.one_of(&[0, 1, 2, 3])] += 1;
        }
        assert!(counts.iter().all(|count| (200..300).contains(count)), "{counts:?}");
    }
}
