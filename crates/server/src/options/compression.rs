//! Compression of responses.

use std::fmt;
use std::str::FromStr;

use clap::Args;

use super::quantity::Size;

#[derive(Debug, Args)]
#[command(next_help_heading = "Compression")]
pub(crate) struct CompressionOptions {
    /// Codings of compressed responses in order of preference, separated by commas; or `off`
    #[arg(
        long,
        env = "THALWEG_COMPRESSION",
        value_name = "CODINGS",
        // zstd last: clients offer it that cannot read it, such as Node.js 20 with some libraries.
        default_value = "br,gzip,zstd"
    )]
    pub(crate) compression: Codings,
    /// The smallest response that is compressed
    #[arg(long, env = "THALWEG_COMPRESSION_MIN_SIZE", value_name = "SIZE", default_value = "2KiB")]
    pub(crate) compression_min_size: Size,
}

/// A content coding of responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Zstd,
    Brotli,
    Gzip,
}

/// Content codings in order of preference; empty to disable compression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Codings(pub(crate) Vec<Coding>);

impl Coding {
    const ALL: [Self; 3] = [Self::Zstd, Self::Brotli, Self::Gzip];

    /// The name in HTTP.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }
}

impl From<Coding> for clients::coding::Coding {
    fn from(coding: Coding) -> Self {
        match coding {
            Coding::Zstd => Self::Zstd,
            Coding::Brotli => Self::Brotli,
            Coding::Gzip => Self::Gzip,
        }
    }
}

impl FromStr for Codings {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self(Vec::new()));
        }
        let mut codings = Vec::new();
        for name in text.split(',').map(str::trim) {
            let coding = Coding::ALL.into_iter().find(|coding| coding.name() == name);
            match coding {
                Some(coding) if !codings.contains(&coding) => codings.push(coding),
                Some(_) => return Err(format!("`{name}` is listed twice")),
                None => {
                    return Err("`off` is wanted, or some of `zstd`, `br`, `gzip`".to_owned());
                }
            }
        }
        Ok(Self(codings))
    }
}

impl fmt::Display for Codings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.iter().map(|coding| coding.name()).collect();
        match names.as_slice() {
            [] => f.write_str("off"),
            names => f.write_str(&names.join(",")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings_are_a_list_or_off() {
        for text in ["off", "br,gzip,zstd", "zstd,br,gzip", "gzip", "br,zstd"] {
            assert_eq!(text.parse::<Codings>().unwrap().to_string(), text);
        }
        assert_eq!("gzip, br".parse::<Codings>().unwrap().to_string(), "gzip,br");
        for (text, message) in [
            ("", "`off` is wanted, or some of `zstd`, `br`, `gzip`"),
            ("gzip,off", "`off` is wanted, or some of `zstd`, `br`, `gzip`"),
            ("deflate", "`off` is wanted, or some of `zstd`, `br`, `gzip`"),
            ("gzip,gzip", "`gzip` is listed twice"),
        ] {
            assert_eq!(text.parse::<Codings>().unwrap_err(), message, "{text}");
        }
    }
}
