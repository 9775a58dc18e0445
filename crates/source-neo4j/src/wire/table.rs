//! A routing table: the servers of a cluster that read, that write, and that route.

use std::sync::Arc;
use std::time::{Duration, Instant};

use response::packed::{Entries, Packed};

use super::config::{self, Endpoint};
use super::error::WireError;
use super::message::{integer, map_in, of_another_type, text};
use crate::program::Access;

/// Default lifetime of a table, as servers usually have it.
const DEFAULT_LIFE: i64 = 300;
/// Longest lifetime of a table, whatever the server returns.
const LONGEST_LIFE: i64 = 24 * 60 * 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    readers: Vec<Arc<Endpoint>>,
    writers: Vec<Arc<Endpoint>>,
    routers: Vec<Arc<Endpoint>>,
    until: Instant,
}

impl Table {
    /// The table of a single server.
    pub(super) fn alone(endpoint: &Arc<Endpoint>, now: Instant) -> Table {
        let all = vec![Arc::clone(endpoint)];
        Table {
            readers: all.clone(),
            writers: all.clone(),
            routers: all,
            until: end(DEFAULT_LIFE, now),
        }
    }

    /// Reads the answer to ROUTE. `seed` is the address that was asked first.
    pub(super) fn from_metadata(
        metadata: &Entries<'_>,
        seed: &Arc<Endpoint>,
        now: Instant,
    ) -> Result<Table, WireError> {
        let nonsense = |what: &str| WireError::Protocol(["the routing table ", what].concat());
        let table = map_in(metadata, b"rt")?.ok_or_else(|| nonsense("is missing"))?;
        let life = integer(&table, b"ttl")?.unwrap_or(DEFAULT_LIFE);
        let (mut readers, mut writers, mut routers) = (Vec::new(), Vec::new(), Vec::new());
        let servers = match table.find(b"servers")? {
            Some(Packed::List(servers)) => servers,
            Some(other) => return Err(of_another_type(b"servers", other)),
            None => return Err(nonsense("names no servers")),
        };
        for server in servers {
            let Packed::Map(server) = server? else { return Err(nonsense("is malformed")) };
            let into = match text(&server, b"role")? {
                Some("READ") => &mut readers,
                Some("WRITE") => &mut writers,
                Some("ROUTE") => &mut routers,
                // A role of later versions.
                _ => continue,
            };
            let Some(Packed::List(addresses)) = server.find(b"addresses")? else {
                return Err(nonsense("names a role without addresses"));
            };
            for address in addresses {
                let Packed::Text(address) = address? else { return Err(nonsense("is malformed")) };
                let endpoint = std::str::from_utf8(address).ok().and_then(config::endpoint);
                into.push(Arc::new(endpoint.ok_or_else(|| nonsense("has a malformed address"))?));
            }
        }
        let table = Table { readers, writers, routers, until: end(life, now) };
        Ok(if table.is_of_one_server() { table.at(seed) } else { table })
    }

    /// A server for this access, round robin; none if there is none.
    pub(super) fn choose(&self, access: Access, turn: usize) -> Option<&Arc<Endpoint>> {
        let servers = match access {
            Access::Read => &self.readers,
            Access::Write => &self.writers,
        };
        servers.get(turn.checked_rem(servers.len())?)
    }

    pub(super) fn routers(&self) -> &[Arc<Endpoint>] {
        &self.routers
    }

    pub(super) fn is_fresh(&self, now: Instant) -> bool {
        now < self.until
    }

    /// Whether it has enough servers. It is usable without a writer: an election may be under way.
    pub(super) fn is_usable(&self) -> bool {
        !self.readers.is_empty() && !self.routers.is_empty()
    }

    /// The table without a server that cannot be reached. The last one stays, since there is no
    /// other.
    pub(super) fn without(&self, endpoint: &Endpoint) -> Table {
        if self.is_of_one_server() {
            return self.clone();
        }
        let mut table = self.without_writer(endpoint);
        table.readers.retain(|reader| **reader != *endpoint);
        table.routers.retain(|router| **router != *endpoint);
        table
    }

    /// Without a server as one that writes.
    pub(super) fn without_writer(&self, endpoint: &Endpoint) -> Table {
        let mut table = self.clone();
        table.writers.retain(|writer| **writer != *endpoint);
        table
    }

    /// Whether one server has all roles.
    fn is_of_one_server(&self) -> bool {
        match (&*self.readers, &*self.writers, &*self.routers) {
            ([reader], [writer], [router]) => reader == writer && writer == router,
            _ => false,
        }
    }

    /// The table of a single server that has just answered at this address. Its own name may be
    /// known only where it runs, as in a container.
    fn at(self, seed: &Arc<Endpoint>) -> Table {
        let all = vec![Arc::clone(seed)];
        Table { readers: all.clone(), writers: all.clone(), routers: all, ..self }
    }
}

fn end(life: i64, now: Instant) -> Instant {
    let life = u64::try_from(life.clamp(0, LONGEST_LIFE)).unwrap_or_default();
    now + Duration::from_secs(life)
}

#[cfg(test)]
mod tests {
    use response::packed::begin;

    use super::super::pack::Pack;
    use super::*;

    /// The metadata that a server answers with.
    fn answer(ttl: i64, servers: &[(&str, &[&str])]) -> Pack {
        let mut pack = Pack::new();
        pack.map(1);
        pack.text("rt");
        pack.map(3);
        pack.text("ttl");
        pack.integer(ttl);
        pack.text("db");
        pack.text("neo4j");
        pack.text("servers");
        pack.list(servers.len());
        for (role, addresses) in servers {
            pack.map(2);
            pack.text("addresses");
            pack.list(addresses.len());
            addresses.iter().for_each(|address| pack.text(address));
            pack.text("role");
            pack.text(role);
        }
        pack
    }

    fn read(pack: &Pack, now: Instant) -> Result<Table, WireError> {
        let seed = Arc::new(Endpoint { host: "seed".to_owned(), port: 1 });
        match begin(pack.as_bytes()) {
            Ok(Packed::Map(metadata)) => Table::from_metadata(&metadata, &seed, now),
            other => panic!("{other:?}"),
        }
    }

    fn shown(table: &Table, access: Access) -> Vec<String> {
        let chosen = |turn| table.choose(access, turn).map(|endpoint| endpoint.to_string());
        (0..3).filter_map(chosen).collect()
    }

    #[test]
    fn servers_take_turns_in_their_roles_until_the_table_is_old() {
        let now = Instant::now();
        let roles: [(&str, &[&str]); 4] = [
            ("READ", &["a:1", "[::1]:2"]),
            ("WRITE", &["c"]),
            ("ROUTE", &["a:1", "c"]),
            ("LATER", &["d"]),
        ];
        let table = read(&answer(10, &roles), now).unwrap();
        assert_eq!(shown(&table, Access::Read), ["a:1", "[::1]:2", "a:1"]);
        assert_eq!(shown(&table, Access::Write), ["c:7687"; 3]);
        assert_eq!(table.routers().len(), 2);
        assert!(table.is_fresh(now + Duration::from_secs(9)));
        assert!(!table.is_fresh(now + Duration::from_secs(10)));
        assert!(!read(&answer(-1, &roles), now).unwrap().is_fresh(now));
        assert!(!read(&answer(i64::MAX, &roles), now).unwrap().is_fresh(end(i64::MAX, now)));

        let gone = table.choose(Access::Write, 0).unwrap();
        assert!(shown(&table.without_writer(gone), Access::Write).is_empty());
        let gone = table.choose(Access::Read, 0).unwrap();
        let left = table.without(gone);
        assert_eq!(shown(&left, Access::Read), ["[::1]:2"; 3]);
        assert_eq!(left.routers().len(), 1);
        assert!(left.is_usable());
    }

    #[test]
    fn a_server_that_is_alone_is_reached_where_it_was_asked() {
        let now = Instant::now();
        let one: [(&str, &[&str]); 3] =
            [("READ", &["inside:7687"]), ("WRITE", &["inside:7687"]), ("ROUTE", &["inside:7687"])];
        let table = read(&answer(300, &one), now).unwrap();
        assert_eq!(shown(&table, Access::Write), ["seed:1"; 3]);
        let gone = table.choose(Access::Read, 0).unwrap();
        assert_eq!(table.without(gone), table);
    }

    #[test]
    fn a_table_without_a_leader_reads_and_one_without_readers_is_none() {
        let now = Instant::now();
        let roles: [(&str, &[&str]); 3] = [("READ", &["a"]), ("WRITE", &[]), ("ROUTE", &["b"])];
        let table = read(&answer(300, &roles), now).unwrap();
        assert!(table.is_usable());
        assert_eq!(table.choose(Access::Write, 0), None);
        assert!(!read(&answer(300, &roles[1..]), now).unwrap().is_usable());
    }

    #[test]
    fn nonsense_is_refused() {
        let now = Instant::now();
        for address in ["a:b", "a:99999", "a,b"] {
            let roles: [(&str, &[&str]); 1] = [("READ", &[address])];
            assert!(matches!(read(&answer(1, &roles), now), Err(WireError::Protocol(_))));
        }
        let mut pack = Pack::new();
        pack.map(0);
        assert!(matches!(read(&pack, now), Err(WireError::Protocol(_))));
        for role in [&["READ"][..], &[]] {
            pack.clear();
            pack.map(1);
            pack.text("rt");
            pack.map(1);
            pack.text("servers");
            match role {
                [role] => pack.text(role),
                _ => pack.null(),
            }
            assert!(matches!(read(&pack, now), Err(WireError::Protocol(_))));
        }
    }
}
