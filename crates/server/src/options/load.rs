//! Load limits: concurrency, queue, memory and the request timeout.

use clap::Args;

use super::quantity::{Size, Time};

#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct LoadOptions {
    /// Timeout of a request, from its head to its response
    #[arg(long, env = "THALWEG_REQUEST_TIMEOUT", value_name = "TIME", default_value = "30s")]
    pub(crate) request_timeout: Time,
    /// The limit on concurrent requests
    #[arg(
        long,
        env = "THALWEG_MAX_REQUESTS",
        value_name = "NUMBER",
        default_value = "512",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) max_requests: u32,
    /// The maximum number of queued requests; more are refused (load shedding)
    #[arg(long, env = "THALWEG_MAX_QUEUE", value_name = "NUMBER", default_value = "1024")]
    pub(crate) max_queue: u32,
    /// Timeout of a request in the queue
    #[arg(long, env = "THALWEG_QUEUE_TIMEOUT", value_name = "TIME", default_value = "5s")]
    pub(crate) queue_timeout: Time,
    /// The memory limit of all responses that are being made, with their rows
    #[arg(long, env = "THALWEG_RESPONSE_MEMORY", value_name = "SIZE", default_value = "1GiB")]
    pub(crate) response_memory: Size,
    /// The memory limit of all request bodies, decompressed and parsed
    #[arg(long, env = "THALWEG_REQUEST_MEMORY", value_name = "SIZE", default_value = "256MiB")]
    pub(crate) request_memory: Size,
}
