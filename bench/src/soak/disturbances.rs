//! Disturbances of the servers: reloads, changes of the schema, outages.

use std::thread;
use std::time::Duration;

use testkit::postgres::Stop;

use super::failure::SoakError;
use super::site::Site;

/// How long a server is away.
const OUTAGE: Duration = Duration::from_secs(3);

/// One kind of change or outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Disturbance {
    /// The file of the configuration changes, and the server reads it again.
    Reload,
    /// The standby is killed and starts again.
    Standby,
    /// Redis is killed and starts again.
    Redis,
    /// A table gets a column or loses it, which `--watch` sees.
    Schema,
    /// The primary restarts as an administrator does it.
    Restart,
    /// All sessions of the server are ended.
    Sessions,
    /// The primary is killed and recovers.
    Crash,
}

impl Disturbance {
    pub(super) const ALL: [Self; 7] = [
        Self::Reload,
        Self::Standby,
        Self::Redis,
        Self::Schema,
        Self::Restart,
        Self::Sessions,
        Self::Crash,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Reload => "reloads of the configuration",
            Self::Standby => "kills of the standby",
            Self::Redis => "kills of Redis",
            Self::Schema => "changes of the schema",
            Self::Restart => "restarts of the primary",
            Self::Sessions => "ends of all sessions",
            Self::Crash => "kills of the primary",
        }
    }
}

impl Site {
    /// Disturbs the servers, and returns when all are up again.
    pub(super) fn disturb(&mut self, disturbance: Disturbance) -> Result<(), SoakError> {
        match disturbance {
            Disturbance::Reload => self.reload()?,
            Disturbance::Standby => {
                self.standby.kill()?;
                thread::sleep(OUTAGE);
                self.standby.start_again()?;
            }
            Disturbance::Redis => {
                self.redis.kill();
                thread::sleep(OUTAGE);
                self.redis.restart()?;
            }
            Disturbance::Schema => self.change_schema()?,
            Disturbance::Restart => self.restart(Stop::Fast)?,
            Disturbance::Sessions => self.end_sessions()?,
            Disturbance::Crash => self.restart(Stop::Kill)?,
        }
        Ok(())
    }

    fn restart(&mut self, stop: Stop) -> Result<(), SoakError> {
        self.primary.stop_by(stop)?;
        thread::sleep(OUTAGE);
        Ok(self.primary.start_again()?)
    }
}
