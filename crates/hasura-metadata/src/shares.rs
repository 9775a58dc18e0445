//! Work on long lists by all processors.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread::{self, available_parallelism};

/// Divides a list into one share for each processor, and returns what is made of each, in their order.
/// The first parameter of `make` is the index of the share's first item.
///
/// The threads end with their work: the memory that those of a pool allocate would stay theirs when
/// others free it.
pub fn in_shares<T: Sync, R: Send>(items: &[T], make: impl Fn(usize, &[T]) -> R + Sync) -> Vec<R> {
    let processors = available_parallelism().map_or(1, NonZero::get);
    let length = items.len().div_ceil(processors).max(1);
    let shares = items.chunks(length).enumerate();
    let shares = shares.map(|(place, share)| (place * length, share));
    let make = |(first, share): (usize, &[T])| make(first, share);
    thread::scope(|scope| {
        let mut shares: Vec<_> = shares.collect();
        // This thread has work, too.
        let last = shares.pop();
        let begun = shares.into_iter().map(|share| {
            let begun = thread::Builder::new().spawn_scoped(scope, move || make(share));
            begun.map_err(|_| share)
        });
        let begun: Vec<_> = begun.collect();
        let last = last.map(make);
        let joined = begun.into_iter().map(|begun| match begun {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The system has no further thread.
            Err(share) => make(share),
        });
        joined.chain(last).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::in_shares;

    #[test]
    fn all_items_are_in_one_share_and_in_their_order() {
        for length in [0, 1, 2, 3, 7, 1000] {
            let items: Vec<usize> = (0..length).collect();
            let shares = in_shares(&items, |first, share| {
                assert_eq!(share.first(), Some(&first));
                share.to_vec()
            });
            assert_eq!(shares.concat(), items);
        }
    }
}
