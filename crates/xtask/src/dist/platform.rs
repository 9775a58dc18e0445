//! Platforms of releases, and names of files for them.

use super::DistError;

/// A kind of processor that there are releases for, always with Linux.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Platform {
    X86,
    Arm,
}

/// The C library of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Libc {
    /// Becomes a part of the program.
    Musl,
    /// The system's.
    Gnu,
}

impl Platform {
    /// The machine that this runs on.
    pub(crate) fn of_host() -> Result<Self, DistError> {
        Self::named(std::env::consts::ARCH, std::env::consts::OS)
    }

    /// The platform of a processor, by its name in target triples; the rest of a triple is ignored.
    pub(crate) fn of_target(name: &str) -> Option<Self> {
        Self::named(name.split('-').next()?, "linux").ok()
    }

    /// Whether this machine runs its programs.
    pub(crate) fn is_host(self) -> bool {
        Self::of_host().is_ok_and(|host| host == self)
    }

    /// QEMU's emulator of its processor.
    pub(crate) fn emulator(self) -> &'static str {
        match self {
            Self::X86 => "qemu-x86_64-static",
            Self::Arm => "qemu-aarch64-static",
        }
    }

    fn named(processor: &str, system: &str) -> Result<Self, DistError> {
        match (processor, system) {
            ("x86_64", "linux") => Ok(Self::X86),
            ("aarch64", "linux") => Ok(Self::Arm),
            _ => Err(DistError::Platform(format!("{processor} with {system}"))),
        }
    }

    /// Rust's target triple.
    pub(crate) fn target(self, libc: Libc) -> String {
        format!("{}-unknown-linux-{}", self.processor(), libc.name())
    }

    /// The name in releases.
    pub(crate) fn name(self, libc: Libc) -> String {
        format!("{}-linux-{}", self.processor(), libc.name())
    }

    /// Debian's architecture.
    pub(crate) fn debian(self) -> &'static str {
        match self {
            Self::X86 => "amd64",
            Self::Arm => "arm64",
        }
    }

    fn processor(self) -> &'static str {
        match self {
            Self::X86 => "x86_64",
            Self::Arm => "aarch64",
        }
    }
}

impl Libc {
    fn name(self) -> &'static str {
        match self {
            Self::Musl => "musl",
            Self::Gnu => "gnu",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_its_own_name_of_a_machine() {
        let platform = Platform::named("x86_64", "linux").ok();
        assert_eq!(platform, Some(Platform::X86));
        assert_eq!(Platform::X86.target(Libc::Musl), "x86_64-unknown-linux-musl");
        assert_eq!(Platform::Arm.target(Libc::Gnu), "aarch64-unknown-linux-gnu");
        assert_eq!(Platform::X86.name(Libc::Gnu), "x86_64-linux-gnu");
        assert_eq!(Platform::Arm.debian(), "arm64");
        assert_eq!(Platform::of_target("aarch64-unknown-linux-musl"), Some(Platform::Arm));
        assert_eq!(Platform::of_target("x86_64"), Some(Platform::X86));
        assert_eq!(Platform::of_target("riscv64"), None);
    }

    #[test]
    fn other_machines_are_refused() {
        let error = Platform::named("riscv64", "linux").map_err(|error| error.to_string());
        let expected = "there are no releases for riscv64 with linux; \
            `cargo build --release` builds the program alone";
        assert_eq!(error, Err(expected.to_owned()));
    }
}
