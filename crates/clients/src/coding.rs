//! How bodies are compressed, in both directions: requests to other servers and their answers, and
//! those that the server itself takes and gives.
//! <https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1>
//!
//! * [`decompress`]: as they come, up to a limit
//! * [`compress`]: at levels that cost little

pub mod compress;
pub mod decompress;

pub use compress::{Compressor, state_bytes};
pub use decompress::{Decompressor, Fault};

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// All that are read, as `Accept-Encoding` names them.
    pub const NAMES: &'static str = "gzip, deflate, br, zstd";

    /// The coding of `Content-Encoding`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let is = |word: &str| name.eq_ignore_ascii_case(word);
        match () {
            () if is("gzip") || is("x-gzip") => Some(Self::Gzip),
            () if is("deflate") => Some(Self::Deflate),
            () if is("br") => Some(Self::Brotli),
            () if is("zstd") => Some(Self::Zstd),
            () => None,
        }
    }

    /// The word of HTTP for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}
