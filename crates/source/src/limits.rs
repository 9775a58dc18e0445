//! Limits of connections: how many, and how long a source is waited for.

use std::time::Duration;

/// Timeouts of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// To connect to one address of a server, where the source's own address sets no other limit.
    pub connect: Duration,
    /// To get a connection while all are in use, or a file that another process writes.
    pub acquire: Duration,
    /// To keep an idle connection.
    pub idle: Duration,
}

/// Limits of the connection pool of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolLimits {
    pub connections: usize,
    /// Number of these connections that short reads may share; with zero, each request has a
    /// connection of its own. A shared connection has a task of its own, which requires a
    /// `LocalSet`. Ignored by sources that are read within the process.
    pub shared: usize,
    /// Longest delay of the statements behind one on a shared connection; a statement that takes
    /// longer counts as long.
    pub patience: Duration,
}

/// Long enough for a server's process to get its turn on a busy machine. Twice this is well below the
/// 50 ms in which a small request should be answered beside long ones.
const PATIENCE: Duration = Duration::from_millis(20);

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            acquire: Duration::from_secs(5),
            idle: Duration::from_secs(600),
        }
    }
}

impl PoolLimits {
    /// Limits of a pool without shared connections.
    #[must_use]
    pub fn unshared(connections: usize) -> Self {
        Self { connections, shared: 0, patience: PATIENCE }
    }

    /// Connections of which some are shared.
    #[must_use]
    pub fn sharing(connections: usize, shared: usize) -> Self {
        Self { shared, ..Self::unshared(connections) }
    }
}
