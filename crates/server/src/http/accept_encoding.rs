//! Negotiation of the compression of a response by `Accept-Encoding`:
//! <https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3>.

use super::media_type::{name_and_value, thousandths};
use crate::options::Coding;

/// Codings of a response that a client accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readable {
    /// Uncompressed only.
    Plain,
    /// Compressed by this coding, or uncompressed.
    Either(Coding),
    /// Compressed by this coding only: the client refuses `identity`.
    Compressed(Coding),
    /// No coding that the server supports.
    Nothing,
}

/// Quality values of the server's codings and of `identity`, in thousandths.
#[derive(Debug, Default)]
struct Qualities {
    coding: [Option<u16>; 3],
    identity: Option<u16>,
    /// The quality of `*`: all codings that are not named.
    others: Option<u16>,
}

/// Negotiates the coding from `Accept-Encoding` headers; `offered` is in order of preference.
pub(super) fn negotiate<'a>(
    headers: impl Iterator<Item = &'a str>,
    offered: &[Coding],
) -> Readable {
    let mut qualities = Qualities::default();
    for item in headers.flat_map(|header| header.split(',')) {
        qualities.read(item);
    }
    let mut best: Option<(u16, Coding)> = None;
    for coding in offered {
        let quality = qualities.coding[*coding as usize].or(qualities.others).unwrap_or(0);
        // The server's preference breaks ties.
        if quality > best.map_or(0, |(quality, _)| quality) {
            best = Some((quality, *coding));
        }
    }
    // `identity` is acceptable unless refused, and ranks below every coding that is named.
    let identity = qualities.identity.or(qualities.others.filter(|others| *others == 0));
    match (best, identity) {
        (None, Some(0)) => Readable::Nothing,
        (None, Some(_) | None) => Readable::Plain,
        (Some((_, coding)), Some(0)) => Readable::Compressed(coding),
        (Some((quality, _)), Some(identity)) if identity > quality => Readable::Plain,
        (Some((_, coding)), Some(_) | None) => Readable::Either(coding),
    }
}

impl Qualities {
    /// Reads `gzip;q=0.5`; ignores what is not well-formed.
    fn read(&mut self, item: &str) {
        let (name, parameter) = item.split_once(';').unwrap_or((item, ""));
        let quality = match name_and_value(parameter) {
            None if parameter.trim().is_empty() => Some(1000),
            Some(("q" | "Q", value)) => thousandths(value),
            None | Some(_) => None,
        };
        let Some(quality) = quality else { return };
        let name = name.trim();
        let is = |word: &str| name.eq_ignore_ascii_case(word);
        let place = match () {
            () if is("gzip") || is("x-gzip") => &mut self.coding[Coding::Gzip as usize],
            () if is("br") => &mut self.coding[Coding::Brotli as usize],
            () if is("zstd") => &mut self.coding[Coding::Zstd as usize],
            () if is("identity") => &mut self.identity,
            () if is("*") => &mut self.others,
            () => return,
        };
        *place = Some(quality);
    }
}

#[cfg(test)]
mod tests {
    use super::Readable::{Compressed, Either, Nothing, Plain};
    use super::*;
    use crate::options::Coding::{Brotli, Gzip, Zstd};

    fn check(header: &str, expected: Readable) {
        assert_eq!(negotiate([header].into_iter(), &[Brotli, Gzip, Zstd]), expected, "{header}");
    }

    #[test]
    fn nothing_said_is_nothing_compressed() {
        assert_eq!(negotiate(std::iter::empty(), &[Brotli, Gzip, Zstd]), Plain);
        for header in ["", "identity", "deflate, compress", "gzip;q=0", "*;q=0, identity"] {
            check(header, Plain);
        }
        assert_eq!(negotiate(["gzip"].into_iter(), &[]), Plain);
    }

    #[test]
    fn the_best_for_the_client_is_taken_and_of_equals_the_best_for_the_server() {
        check("gzip", Either(Gzip));
        check("X-GZIP", Either(Gzip));
        check("gzip, deflate, br", Either(Brotli));
        check("gzip, deflate, br, zstd", Either(Brotli));
        check("zstd, br, gzip", Either(Brotli));
        check("gzip, zstd", Either(Gzip));
        check("zstd", Either(Zstd));
        check("zstd;q=1, br;q=0.9, gzip;q=0.9", Either(Zstd));
        check("br;q=0.9, gzip;q=0.91, zstd;q=0.1", Either(Gzip));
        check("*", Either(Brotli));
        check("br;q=0, *;q=0.1", Either(Gzip));
        check("gzip ; q=1.0 , identity", Either(Gzip));
        check("gzip;q=0.5, identity", Plain);
        assert_eq!(negotiate(["br", "gzip"].into_iter(), &[Gzip, Zstd]), Either(Gzip));
    }

    #[test]
    fn identity_can_be_refused() {
        check("gzip, identity;q=0", Compressed(Gzip));
        check("*;q=0, br", Compressed(Brotli));
        check("identity;q=0, *", Compressed(Brotli));
        check("identity;q=0", Nothing);
        check("*;q=0", Nothing);
        check("deflate, *;q=0.0", Nothing);
    }

    #[test]
    fn what_is_not_well_formed_says_nothing() {
        for header in
            ["gzip;q=2", "gzip;q=", "gzip;level=9", "gzip;;", ";q=1", "gz ip", "identity;q=-0"]
        {
            check(header, Plain);
        }
    }
}
