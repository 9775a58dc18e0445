//! All reservations of the process, by their tokens.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::reservation::Reservation;
use crate::http::refusal::Refusal;

/// Bytes of a token: it cannot be guessed.
const TOKEN_BYTES: usize = 16;

/// The reservations of the process, shared by all threads and kept across reloads.
#[derive(Debug, Default)]
pub(in crate::http) struct Reservations(Mutex<HashMap<Box<str>, Arc<Reservation>>>);

impl Reservations {
    /// Adds a reservation, if there are fewer than `most`, and returns its token.
    pub(in crate::http) fn add(
        &self,
        reservation: Reservation,
        most: usize,
    ) -> Result<Box<str>, Refusal> {
        let mut reservations = self.lock();
        if reservations.len() >= most {
            return Err(Refusal::TooManyStreams { most });
        }
        let token = token()?;
        reservations.insert(token.clone(), Arc::new(reservation));
        Ok(token)
    }

    /// Finds a reservation by its token, unless its stream was not opened within the limit.
    pub(in crate::http) fn find(&self, token: &str, limit: Duration) -> Option<Arc<Reservation>> {
        let reservation = self.lock().get(token).cloned();
        reservation.filter(|reservation| !reservation.is_over(limit))
    }

    pub(in crate::http) fn remove(&self, token: &str) {
        let removed = self.lock().remove(token);
        if let Some(reservation) = removed {
            reservation.close();
        }
    }

    /// Removes the reservations whose stream was not opened within the limit.
    pub(in crate::http) fn remove_unused(&self, limit: Duration) {
        let unused: Vec<_> =
            self.lock().extract_if(|_, reservation| reservation.is_over(limit)).collect();
        for (_, reservation) in unused {
            reservation.close();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<Reservation>>> {
        // Nothing panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A random token, as hexadecimal digits.
fn token() -> Result<Box<str>, Refusal> {
    let mut bytes = [0; TOKEN_BYTES];
    // The generator of the system has no faults once the system has started.
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| Refusal::Overloaded)?;
    let mut token = String::with_capacity(2 * TOKEN_BYTES);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token.into())
}

#[cfg(test)]
mod tests {
    use engine::Session;

    use super::super::Owner;
    use super::*;

    fn reservation() -> Reservation {
        Reservation::new(Owner { session: Session::default(), authorization: None }, None)
    }

    #[test]
    fn reservations_are_limited_in_number_and_time() {
        let reservations = Reservations::default();
        let first = reservations.add(reservation(), 2).unwrap();
        let second = reservations.add(reservation(), 2).unwrap();
        assert_ne!(first, second);
        assert_eq!(first.len(), 32);
        let refused = reservations.add(reservation(), 2);
        assert_eq!(refused, Err(Refusal::TooManyStreams { most: 2 }));
        let long = Duration::from_secs(60);
        reservations.find(&first, long).unwrap().open().unwrap();
        assert!(reservations.find(&second, Duration::ZERO).is_none());
        reservations.remove_unused(Duration::ZERO);
        assert!(reservations.find(&first, Duration::ZERO).is_some());
        assert!(reservations.find(&second, long).is_none());
        reservations.remove(&first);
        assert!(reservations.find(&first, long).is_none());
    }
}
