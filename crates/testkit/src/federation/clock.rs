//! A simulated clock in ticks, which advances only when all tasks wait.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Number of ticks after which a deadlock is assumed.
const MOST: u64 = 10_000;

#[derive(Debug, Default)]
pub struct Clock {
    now: Cell<u64>,
    waiting: RefCell<Vec<Waker>>,
}

impl Clock {
    /// Number of ticks so far.
    pub fn now(&self) -> u64 {
        self.now.get()
    }

    pub async fn wait(&self, ticks: u64) {
        let due = self.now.get() + ticks;
        poll_fn(|context| {
            if self.now.get() >= due {
                return Poll::Ready(());
            }
            self.waiting.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Runs a future to its end; `None` in a deadlock.
    pub fn run<F: Future>(&self, future: F) -> Option<F::Output> {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..MOST {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return Some(output);
            }
            self.now.set(self.now.get() + 1);
            self.waiting.take().into_iter().for_each(Waker::wake);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_only_when_everybody_waits() {
        let clock = Clock::default();
        let ran = clock.run(async {
            clock.wait(2).await;
            let first = clock.now();
            clock.wait(1).await;
            (first, clock.now())
        });
        assert_eq!(ran, Some((2, 3)));
        assert_eq!(clock.run(std::future::pending::<()>()), None);
    }
}
