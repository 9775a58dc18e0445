//! A standby of a private PostgreSQL, which follows it by streaming replication.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::client::{self, ClientError};
use super::restartable::{Owner, Restartable, Stop, Watched, end, process_id, wait_until};
use super::server::{START_LIMIT, StartError, program_error};

/// A server that follows another one, with a copy of its data.
#[derive(Debug)]
pub struct Standby {
    /// The port on 127.0.0.1.
    pub port: u16,
    folder: PathBuf,
    data: PathBuf,
    program: PathBuf,
    settings: Vec<String>,
    watched: Option<Watched>,
}

impl Standby {
    /// Copies a server, which stops for that and starts again, and starts the copy with further settings.
    pub fn of(primary: &mut Restartable, settings: &[&str]) -> Result<Self, StartError> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        // The data of a server at rest can be copied file by file.
        primary.stop()?;
        let folder = primary.server.socket_folder().to_path_buf();
        // Removed together with the primary's folder.
        let data = folder.join(format!("standby{}", COUNT.fetch_add(1, Ordering::Relaxed)));
        copy(&primary.server.data_folder(), &data, Owner::of(&folder)?)?;
        fs::write(data.join("standby.signal"), "").map_err(StartError::Folder)?;
        // A standby does not start with fewer senders than its primary has.
        let line = format!(
            "primary_conninfo = 'host=127.0.0.1 port={} user=postgres'\nmax_wal_senders = 50\n",
            primary.server.port()
        );
        fs::write(data.join("postgresql.auto.conf"), line).map_err(StartError::Folder)?;
        primary.start_again()?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|free| free.local_addr());
        let mut standby = Self {
            port: port.map_err(StartError::Folder)?.port(),
            folder,
            data,
            program: primary.program().to_path_buf(),
            settings: settings.iter().map(|setting| (*setting).to_owned()).collect(),
            watched: None,
        };
        standby.start_again()?;
        Ok(standby)
    }

    /// Kills the server with its sessions.
    pub fn kill(&mut self) -> Result<(), StartError> {
        end(process_id(&self.data)?, Stop::Kill)?;
        self.watched = None;
        Ok(())
    }

    /// Starts it, and waits until it answers.
    pub fn start_again(&mut self) -> Result<(), StartError> {
        let mut arguments = vec!["-D".to_owned(), self.data.to_string_lossy().into_owned()];
        arguments.extend(["-p".to_owned(), self.port.to_string(), "-k".to_owned(), String::new()]);
        for setting in &self.settings {
            arguments.extend(["-c".to_owned(), setting.clone()]);
        }
        let log = File::create(self.log()).map_err(StartError::Folder)?;
        let place = (Owner::of(&self.folder)?, &*self.folder);
        self.watched = Some(Watched::start(&self.program, arguments, place, log)?);
        wait_until(START_LIMIT, || self.query("SELECT 1").is_ok()).map_err(|_| {
            StartError::NotReady { log: fs::read_to_string(self.log()).unwrap_or_default() }
        })
    }

    /// Runs statements and returns their rows.
    pub fn query(&self, sql: &str) -> Result<Vec<Vec<Option<String>>>, ClientError> {
        client::query(&self.url(), sql)
    }

    /// Sessions of the program.
    pub fn sessions(&self) -> Result<usize, ClientError> {
        let sql = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'thalweg'";
        Ok(self.query(sql)?.len())
    }

    /// Makes it a server that can be written to, and waits for that.
    pub fn promote(&self) -> Result<(), ClientError> {
        self.query("SELECT pg_promote()").map(drop)
    }

    /// The address of its database `postgres`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    fn log(&self) -> PathBuf {
        self.data.with_extension("log")
    }
}

fn copy(from: &Path, to: &Path, owner: Owner) -> Result<(), StartError> {
    let program = Path::new("cp");
    let copied = owner.command(program, Path::new("/")).arg("-a").arg(from).arg(to).status();
    let copied = copied.map_err(|error| program_error(program, error))?;
    match copied.success() {
        true => Ok(()),
        false => Err(StartError::Folder(std::io::Error::other("cp has not copied the data"))),
    }
}
