//! Memory of the events of subgraphs that wait for their execution: a part of the memory of all
//! responses.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clients::subgraph::EventBudget;
use response::{MemoryBudget, MemoryReservation};

/// The memory of the events that one thread receives from one subgraph.
#[derive(Debug)]
pub(super) struct EventMemory(Mutex<Events>);

#[derive(Debug)]
struct Events {
    held: MemoryReservation,
    bytes: u64,
}

impl EventMemory {
    pub(super) fn new(memory: &Arc<MemoryBudget>) -> Self {
        Self(Mutex::new(Events { held: MemoryReservation::of(memory), bytes: 0 }))
    }

    fn lock(&self) -> MutexGuard<'_, Events> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventBudget for EventMemory {
    fn take(&self, bytes: usize) -> bool {
        let mut events = self.lock();
        let all = events.bytes.saturating_add(bytes as u64);
        let is_taken = events.held.grow_to(all).is_ok();
        if is_taken {
            events.bytes = all;
        }
        is_taken
    }

    fn give_back(&self, bytes: usize) {
        let mut events = self.lock();
        events.bytes = events.bytes.saturating_sub(bytes as u64);
        let left = events.bytes;
        events.held.shrink_to(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_take_the_memory_of_responses() {
        let memory = MemoryBudget::new(1 << 20);
        let events = EventMemory::new(&memory);
        assert!(events.take(600_000) && !events.take(600_000) && events.take(300_000));
        assert!((900_000..1 << 20).contains(&memory.held()), "{}", memory.held());
        events.give_back(600_000);
        assert!((300_000..400_000).contains(&memory.held()), "{}", memory.held());
        events.give_back(300_000);
        assert_eq!(memory.held(), 0);
    }
}
