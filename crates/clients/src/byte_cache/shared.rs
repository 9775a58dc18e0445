//! The store in a Redis that several servers share.
//!
//! An entry is a string: its moment, the number of its tags, their hashes, and the value. A script
//! looks up entries with the invalidations of their tags, which are keys with the moment as value and
//! which expire after the longest time to live. Moments are microseconds by the clock of Redis.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use redis::Value;

use super::{CacheKey, CacheTag, Cached, Moment, NewEntry};
use crate::redis_client::script::Script;
use crate::redis_client::{RedisClient, RedisUnavailable};

/// The longest time to live.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The number of bytes of a moment as digits.
const DIGITS: usize = 20;

/// The most keys of one run of the script: Redis does nothing else meanwhile.
const MOST_KEYS: usize = 500;

/// Returns the present moment, and for each key the value and the milliseconds that are left, or nothing.
/// Values that are no entries, and keys of another type, are removed. Values with more bytes than are
/// wanted are left: they may be wanted elsewhere.
static GET: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local time = redis.call('TIME')
local reply = { time[1] .. string.format('%06d', tonumber(time[2])) }
local invalidated = {}
for place, key in ipairs(KEYS) do
  local entry = redis.pcall('GET', key)
  if entry then
    local since, tags
    if type(entry) == 'string' then
      since = tonumber(string.sub(entry, 1, 20))
      tags = string.byte(entry, 21)
    end
    if not since or not tags then
      redis.call('UNLINK', key)
      entry = false
      tags = 0
    end
    for number = 0, tags - 1 do
      local tag = string.sub(entry, 22 + number * 16, 37 + number * 16)
      local gone = invalidated[tag]
      if gone == nil then
        gone = tonumber(redis.call('GET', ARGV[1] .. tag) or '') or false
        invalidated[tag] = gone
      end
      if gone and gone >= since then
        redis.call('UNLINK', key)
        entry = false
        break
      end
    end
    if entry and string.len(entry) - 21 - tags * 16 > tonumber(ARGV[2]) then
      entry = false
    end
    if entry then
      table.insert(reply, string.sub(entry, 22 + tags * 16))
      table.insert(reply, redis.call('PTTL', key))
    end
  end
  if not entry then
    table.insert(reply, '')
    table.insert(reply, 0)
  end
end
return reply",
    )
});

/// Remembers the present moment for tags.
static INVALIDATE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local time = redis.call('TIME')
local now = time[1] .. string.format('%06d', tonumber(time[2]))
for place, key in ipairs(KEYS) do
  redis.call('SET', key, now, 'PX', ARGV[1])
end
return #KEYS",
    )
});

#[derive(Debug)]
pub(super) struct SharedStore {
    client: Arc<RedisClient>,
    entries: Vec<u8>,
    tags: Vec<u8>,
}

fn key(prefix: &[u8], hash: &[u8]) -> Vec<u8> {
    [prefix, hash].concat()
}

impl SharedStore {
    pub(super) fn new(client: Arc<RedisClient>, prefix: &str) -> Self {
        let [entries, tags] = ["entry:", "tag:"].map(|kind| [prefix, kind].concat().into_bytes());
        Self { client, entries, tags }
    }

    pub(super) fn is_connected(&self) -> bool {
        self.client.counts().is_connected
    }

    pub(super) async fn get_many(
        &self,
        keys: &[CacheKey],
        most_bytes: usize,
    ) -> Result<(Vec<Option<Cached>>, Moment), RedisUnavailable> {
        let mut found = Vec::with_capacity(keys.len());
        let mut first = None;
        for keys in keys.chunks(MOST_KEYS) {
            let (some, moment) = self.get_some(keys, most_bytes).await?;
            found.extend(some);
            first.get_or_insert(moment);
        }
        let moment = match first {
            Some(moment) => moment,
            None => self.get_some(&[], most_bytes).await?.1,
        };
        Ok((found, moment))
    }

    /// Looks keys up by one run of the script.
    async fn get_some(
        &self,
        keys: &[CacheKey],
        most_bytes: usize,
    ) -> Result<(Vec<Option<Cached>>, Moment), RedisUnavailable> {
        let names: Vec<_> = keys.iter().map(|own| key(&self.entries, &own.0)).collect();
        let arguments = [self.tags.clone(), most_bytes.to_string().into_bytes()];
        let (reply, connection) =
            GET.run_numbered::<Vec<Value>>(&self.client, &names, &arguments).await?;
        let mut reply = reply.into_iter();
        let moment = match reply.next() {
            Some(Value::BulkString(digits)) => number(&digits).ok_or(RedisUnavailable)?,
            _ => return Err(RedisUnavailable),
        };
        let mut found = Vec::with_capacity(keys.len());
        while let (Some(Value::BulkString(value)), Some(Value::Int(left))) =
            (reply.next(), reply.next())
        {
            let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
            let is_found = !value.is_empty() && !left.is_zero();
            found.push(is_found.then(|| Cached { value: Bytes::from(value), left }));
        }
        match found.len() == keys.len() {
            true => Ok((found, Moment { at: moment, connection })),
            false => Err(RedisUnavailable),
        }
    }

    pub(super) async fn put(
        &self,
        entries: &[NewEntry],
        Moment { at: since, connection }: Moment,
    ) -> Result<(), RedisUnavailable> {
        let mut commands = redis::pipe();
        for NewEntry { key: own, value, ttl, tags } in entries {
            // One byte has their number.
            let Ok(count) = u8::try_from(tags.len()) else { continue };
            let mut entry = Vec::with_capacity(DIGITS + 1 + tags.len() * 16 + value.len());
            entry.extend_from_slice(format!("{since:0DIGITS$}").as_bytes());
            entry.push(count);
            tags.iter().for_each(|tag| entry.extend_from_slice(&tag.0));
            entry.extend_from_slice(value);
            let ttl = u64::try_from((*ttl).min(LONGEST).as_millis()).unwrap_or_default();
            let ttl = ttl.max(1);
            commands.cmd("SET").arg(key(&self.entries, &own.0)).arg(entry).arg("PX").arg(ttl);
            commands.ignore();
        }
        if commands.is_empty() {
            return Ok(());
        }
        let put = async |connection: &mut _| commands.exec_async(connection).await;
        self.client.run(Some(connection), put).await.map(drop)
    }

    pub(super) async fn invalidate(&self, tags: &[CacheTag]) -> Result<(), RedisUnavailable> {
        let longest = [LONGEST.as_millis().to_string().into_bytes()];
        for tags in tags.chunks(MOST_KEYS) {
            let names: Vec<_> = tags.iter().map(|tag| key(&self.tags, &tag.0)).collect();
            INVALIDATE.run::<i64>(&self.client, &names, &longest).await?;
        }
        Ok(())
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    str::from_utf8(digits).ok()?.parse().ok()
}
