//! How much all requests together may ask for, and how long one may take.

use clap::Args;

use super::quantity::{Size, Time};

#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct LoadOptions {
    /// How long a request may take, from its head to its answer
    #[arg(long, env = "THALWEG_REQUEST_TIMEOUT", value_name = "TIME", default_value = "30s")]
    pub(crate) request_timeout: Time,
    /// The most requests that run at once
    #[arg(
        long,
        env = "THALWEG_MAX_REQUESTS",
        value_name = "NUMBER",
        default_value = "512",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) max_requests: u32,
    /// The most requests that wait for others to end
    #[arg(long, env = "THALWEG_MAX_QUEUE", value_name = "NUMBER", default_value = "1024")]
    pub(crate) max_queue: u32,
    /// How long a request may wait for others to end
    #[arg(long, env = "THALWEG_QUEUE_TIMEOUT", value_name = "TIME", default_value = "5s")]
    pub(crate) queue_timeout: Time,
    /// The most memory of all answers that are being made, with the rows they are made of
    #[arg(long, env = "THALWEG_RESPONSE_MEMORY", value_name = "SIZE", default_value = "1GiB")]
    pub(crate) response_memory: Size,
    /// The most memory of the bodies of all requests, decompressed and parsed
    #[arg(long, env = "THALWEG_REQUEST_MEMORY", value_name = "SIZE", default_value = "256MiB")]
    pub(crate) request_memory: Size,
}
