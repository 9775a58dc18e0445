//! Content codings of HTTP bodies in both directions: requests to other servers and their
//! responses, and the requests and responses of this server.
//! <https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1>
//!
//! * [`decompress`]: decompression of a stream, up to a size limit
//! * [`compress`]: compression at levels that cost little CPU

pub mod compress;
pub mod decompress;

pub use compress::{Compressor, state_bytes};
pub use decompress::{Decompressor, Fault};

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// All codings that can be decompressed, in the form of `Accept-Encoding`.
    pub const NAMES: &'static str = "gzip, deflate, br, zstd";

    /// Returns the coding that a `Content-Encoding` names.
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

    /// Name of the coding in HTTP headers.
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
