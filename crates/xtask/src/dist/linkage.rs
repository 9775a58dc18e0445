//! Dependencies of a program on the system, read from its own headers.

use std::path::Path;
use std::process::Command;

use super::DistError;
use super::platform::Libc;
use crate::program;

/// The linkage of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Linkage {
    /// It only needs a kernel.
    Static,
    Dynamic {
        /// The shared libraries.
        libraries: Vec<String>,
        /// The oldest sufficient glibc.
        glibc: Option<(u32, u32)>,
    },
}

/// Runs `readelf`, which comes with every linker: `ldd` would run the program, and its output
/// differs between systems.
pub(crate) fn read(program: &Path) -> Result<Linkage, DistError> {
    let mut readelf = Command::new("readelf");
    readelf.args(["--wide", "--program-headers", "--dynamic", "--version-info"]).arg(program);
    Ok(parse(&program::output(readelf.env("LC_ALL", "C"))?))
}

fn parse(headers: &str) -> Linkage {
    let mut libraries = Vec::new();
    let mut glibc = None;
    let mut has_interpreter = false;
    for line in headers.lines() {
        let line = line.trim();
        has_interpreter |= line.starts_with("INTERP");
        if let Some((_, library)) = line.split_once("(NEEDED)")
            && let Some(name) = library.split(['[', ']']).nth(1)
        {
            libraries.push(name.to_owned());
        }
        if let Some((_, version)) = line.split_once("Name: GLIBC_") {
            glibc = glibc.max(glibc_version(version));
        }
    }
    match has_interpreter || !libraries.is_empty() {
        true => Linkage::Dynamic { libraries, glibc },
        false => Linkage::Static,
    }
}

/// `2.34  Flags: none  Version: 5`
fn glibc_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split_whitespace().next()?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

impl Linkage {
    pub(crate) fn is_static(&self) -> bool {
        *self == Self::Static
    }

    pub(crate) fn libc(&self) -> Libc {
        match self {
            Self::Static => Libc::Musl,
            Self::Dynamic { .. } => Libc::Gnu,
        }
    }

    /// The reason why the program is not static, for its users; an error if a static build was
    /// required.
    pub(crate) fn reason(&self, fallback: Option<&str>) -> Result<Option<String>, DistError> {
        match (self, fallback) {
            (Self::Static, _) => Ok(None),
            (Self::Dynamic { libraries, .. }, None) => {
                Err(DistError::Dynamic(libraries.join(", ")))
            }
            (Self::Dynamic { libraries, .. }, Some(reason)) => {
                let needs = match self.glibc() {
                    Some(version) => format!("glibc {version} or newer"),
                    None => "a dynamic linker".to_owned(),
                };
                let libraries = libraries.join(", ");
                Ok(Some(format!(
                    "This build of Thalweg needs {needs} ({libraries}).\n\
                     A static one could not be made where it was built: {reason}\n"
                )))
            }
        }
    }

    /// The oldest glibc that serves, if it is known.
    pub(crate) fn glibc(&self) -> Option<String> {
        match self {
            Self::Dynamic { glibc: Some((major, minor)), .. } => Some(format!("{major}.{minor}")),
            Self::Dynamic { glibc: None, .. } | Self::Static => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DYNAMIC: &str = "
  INTERP         0x00350 0x00350 0x00350 0x0001c 0x0001c R   0x1
      [Requesting program interpreter: /lib64/ld-linux-x86-64.so.2]
 0x0000000000000001 (NEEDED)             Shared library: [libgcc_s.so.1]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
  0x0010:   Name: GCC_3.0  Flags: none  Version: 10
  0x0030:   Name: GLIBC_2.9  Flags: none  Version: 11
  0x0040:   Name: GLIBC_2.34  Flags: none  Version: 5
  0x0050:   Name: GLIBC_2.4  Flags: none  Version: 3
";

    const STATIC: &str = "
  LOAD           0x000000 0x000000 0x000000 0x1f8e8 0x1f8e8 R   0x1000
  DYNAMIC        0x1c3d48 0x1c4d48 0x1c4d48 0x00180 0x00180 RW  0x8
 0x000000000000000c (INIT)               0x1000
";

    #[test]
    fn a_dynamic_program_names_its_libraries_and_the_glibc_it_needs() {
        let libraries = vec!["libgcc_s.so.1".to_owned(), "libc.so.6".to_owned()];
        let linkage = parse(DYNAMIC);
        assert_eq!(linkage, Linkage::Dynamic { libraries, glibc: Some((2, 34)) });
        assert_eq!(linkage.glibc(), Some("2.34".to_owned()));
        let reason = linkage.reason(Some("No compiler.")).ok().flatten();
        let expected = "This build of Thalweg needs glibc 2.34 or newer (libgcc_s.so.1, libc.so.6).\n\
            A static one could not be made where it was built: No compiler.\n";
        assert_eq!(reason.as_deref(), Some(expected));
    }

    #[test]
    fn a_static_program_needs_nothing() {
        assert_eq!(parse(STATIC), Linkage::Static);
        assert_eq!(Linkage::Static.reason(None).ok(), Some(None));
    }

    #[test]
    fn a_program_that_should_be_static_must_be() {
        let error = parse(DYNAMIC).reason(None).map_err(|error| error.to_string());
        let expected =
            "the program should be static, and is not: it needs libgcc_s.so.1, libc.so.6";
        assert_eq!(error, Err(expected.to_owned()));
    }

    #[test]
    fn this_test_is_no_static_program() {
        let linkage = std::env::current_exe().ok().and_then(|program| read(&program).ok());
        assert!(matches!(linkage, Some(Linkage::Dynamic { .. })), "{linkage:?}");
    }
}
