//! Options of subscriptions.

use clap::Args;

use super::quantity::Time;

#[derive(Debug, Args)]
#[command(next_help_heading = "Subscriptions")]
pub(crate) struct SubscriptionOptions {
    /// Timeout for the first message of a WebSocket, which initializes the connection
    #[arg(long, env = "THALWEG_SOCKET_INIT_TIMEOUT", value_name = "TIME", default_value = "3s")]
    pub(crate) socket_init_timeout: Time,
    /// The interval of pings over a WebSocket, and of signs of life in an event stream; a client that does not answer a ping until the next one is disconnected
    #[arg(long, env = "THALWEG_PING_INTERVAL", value_name = "TIME", default_value = "12s")]
    pub(crate) ping_interval: Time,
    /// The maximum number of operations that run over a WebSocket at the same time
    #[arg(
        long,
        env = "THALWEG_MAX_SOCKET_OPERATIONS",
        value_name = "NUMBER",
        default_value = "1000"
    )]
    pub(crate) max_socket_operations: usize,
}
