//! Negotiation of the protocol's version, see
//! <https://neo4j.com/docs/bolt/current/bolt/handshake/>.

use source::wire::socket::Socket;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::error::WireError;

/// A version of Bolt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Protocol {
    pub(super) major: u8,
    pub(super) minor: u8,
}

/// The first bytes of a Bolt stream.
const MAGIC: [u8; 4] = [0x60, 0x60, 0xb0, 0x17];

/// The offered versions, the best first: 5.8 and the eight minor versions below it, and 4.4 for the
/// last servers of version 4. Each is a reserved byte, the number of minor versions below that are
/// included, the minor and the major version. There is room for four; the newer handshake for more
/// of them is not needed as long as these are few.
const OFFERED: [[u8; 4]; 4] = [[0, 8, 8, 5], [0, 0, 4, 4], [0; 4], [0; 4]];

/// Agrees with the server on a version.
pub(super) async fn agree(socket: &mut Socket) -> Result<Protocol, WireError> {
    let mut offer = MAGIC.to_vec();
    offer.extend_from_slice(OFFERED.as_flattened());
    socket.write_all(&offer).await?;
    socket.flush().await?;
    let mut answer = [0; 4];
    socket.read_exact(&mut answer).await?;
    read(answer)
}

fn read(answer: [u8; 4]) -> Result<Protocol, WireError> {
    match answer {
        [0, 0, 0, 0] => Err(WireError::Configuration(
            "the server speaks no version of Bolt that is known here, which are 5.0 to 5.8 and 4.4"
                .to_owned(),
        )),
        [0, 0, minor @ 0..=8, 5] => Ok(Protocol { major: 5, minor }),
        [0, 0, 4, 4] => Ok(Protocol { major: 4, minor: 4 }),
        // An answer to something else, which the first bytes were taken for.
        [b'H', b'T', b'T', b'P'] => Err(WireError::Configuration(
            "the port is one of HTTP; that of Bolt is 7687 where nobody has changed it".to_owned(),
        )),
        [a, b, c, d] => Err(WireError::Protocol(format!(
            "the server answered {a:02x}{b:02x}{c:02x}{d:02x} to the versions that were offered"
        ))),
    }
}

impl Protocol {
    pub(super) fn is_at_least(self, major: u8, minor: u8) -> bool {
        self >= Protocol { major, minor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_offered_is_accepted() {
        assert_eq!(read([0, 0, 8, 5]).unwrap(), Protocol { major: 5, minor: 8 });
        assert_eq!(read([0, 0, 0, 5]).unwrap(), Protocol { major: 5, minor: 0 });
        assert_eq!(read([0, 0, 4, 4]).unwrap(), Protocol { major: 4, minor: 4 });
        assert!(matches!(read([0; 4]), Err(WireError::Configuration(_))));
        assert!(matches!(read(*b"HTTP"), Err(WireError::Configuration(_))));
        for other in [[0, 0, 9, 5], [0, 0, 3, 4], [0, 0, 1, 255], [1, 0, 8, 5]] {
            assert!(matches!(read(other), Err(WireError::Protocol(_))), "{other:?}");
        }
    }

    #[test]
    fn versions_are_compared_by_both_their_parts() {
        let version = |major, minor| Protocol { major, minor };
        assert!(version(5, 1).is_at_least(5, 1));
        assert!(!version(5, 0).is_at_least(5, 1));
        assert!(!version(4, 4).is_at_least(5, 1));
    }
}
