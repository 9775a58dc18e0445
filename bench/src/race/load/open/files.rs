//! Limit of open files of this process: connections are files.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::race::load::failure::LoadError;

/// The hard limit, up to which a process may raise its own.
pub(in crate::race::load) fn most() -> u64 {
    getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX)
}

/// Raises the limit to the highest that is allowed without asking anyone, where it is too low.
pub(in crate::race::load) fn allow(wanted: u64) -> Result<(), LoadError> {
    let limit = getrlimit(Resource::Nofile);
    // No limit at all is none.
    if limit.current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    let most = most();
    if most < wanted {
        return Err(LoadError::OpenFiles { wanted, most });
    }
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).map_err(std::io::Error::from)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_system_allows_is_refused_with_both_numbers() {
        assert!(allow(1).is_ok());
        if let Some(wanted) = most().checked_add(1) {
            let most = most();
            let text = allow(wanted).unwrap_err().to_string();
            assert!(
                text.contains(&most.to_string()) && text.contains(&wanted.to_string()),
                "{text}"
            );
        }
    }
}
