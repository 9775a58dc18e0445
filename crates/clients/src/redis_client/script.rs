//! Scripts that Redis runs as one step.

use std::fmt::Write;

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use redis::{ErrorKind, FromRedisValue, ServerErrorKind};

use super::{RedisClient, RedisUnavailable};

/// A script, with the hash that names it.
#[derive(Debug)]
pub(crate) struct Script {
    text: &'static str,
    hash: String,
}

impl Script {
    pub(crate) fn new(text: &'static str) -> Self {
        let mut hash = String::with_capacity(40);
        for byte in digest(&SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes()).as_ref() {
            // Writing to a string cannot fail.
            let _ = write!(hash, "{byte:02x}");
        }
        Self { text, hash }
    }

    /// Runs the script by its hash, and sends its text if Redis does not know it, as after a restart.
    pub(crate) async fn run<T: FromRedisValue>(
        &self,
        client: &RedisClient,
        keys: &[Vec<u8>],
        arguments: &[Vec<u8>],
    ) -> Result<T, RedisUnavailable> {
        self.run_numbered(client, keys, arguments).await.map(|(reply, _)| reply)
    }

    /// Runs the script, and returns the number of the connection with the reply.
    pub(crate) async fn run_numbered<T: FromRedisValue>(
        &self,
        client: &RedisClient,
        keys: &[Vec<u8>],
        arguments: &[Vec<u8>],
    ) -> Result<(T, u64), RedisUnavailable> {
        let command = |name: &str, script: &str| {
            let mut command = redis::cmd(name);
            command.arg(script).arg(keys.len()).arg(keys).arg(arguments);
            command
        };
        client
            .run(None, async |connection| {
                match command("EVALSHA", &self.hash).query_async(connection).await {
                    Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                        command("EVAL", self.text).query_async(connection).await
                    }
                    replied => replied,
                }
            })
            .await
    }
}
