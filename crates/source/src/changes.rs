//! Detection of changes of rows.

use std::time::Duration;

use crate::error::SourceError;

/// The state of a source's rows: if two are equal, nothing was committed between them. Different ones
/// may have the same rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker(pub Box<[u8]>);

/// The interface of a driver to the state of its rows, over a connection of its own.
pub trait ChangeProbe {
    /// Reads the state of the rows. After an error the next read connects again.
    fn marker(&mut self) -> impl Future<Output = Result<Marker, SourceError>>;

    /// The longest useful interval between two reads: a driver whose reads cost little has a short
    /// one. `usual` is the configured interval.
    fn interval(&self, usual: Duration) -> Duration {
        usual
    }
}
