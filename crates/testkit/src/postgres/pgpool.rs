//! pgpool-II in front of private servers, with a folder and ports of its own.

use std::fmt::Write;
use std::fs;

use super::pooler::{self, Pooler};
use super::server::{StartError, free_port, percent_encode};

/// How it treats the servers behind it (`backend_clustering_mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clustering {
    /// They replicate by themselves.
    StreamingReplication,
    /// It takes no notice of replication.
    Raw,
}

/// A pooler in front of all databases of a server and its standbys; dropping it stops it. It trusts all
/// clients.
#[derive(Debug)]
pub struct Pgpool {
    pooler: Pooler,
}

impl Pgpool {
    /// Whether the program is on this machine. If not, that is printed.
    #[must_use]
    pub fn is_installed() -> bool {
        pooler::is_installed("pgpool", "pgpool-II")
    }

    /// Starts one in front of the servers at these ports, with this number of processes, each of which
    /// serves a client. It reads from the standbys, which come after the primary.
    pub fn start(
        ports: &[u16],
        clustering: Clustering,
        processes: usize,
    ) -> Result<Self, StartError> {
        let program = pooler::find("pgpool")?;
        let [port, control] =
            [free_port(), free_port()].map(|port| port.map_err(StartError::Folder));
        let (port, control) = (port?, control?);
        let pooler = Pooler::start("INT", port, |folder| {
            let settings = folder.join("pgpool.conf");
            let text = file(&folder.display().to_string(), [port, control], clustering, processes);
            fs::write(&settings, text + &backends(ports)).map_err(StartError::Folder)?;
            let mut words = vec![program.into(), "-n".into(), "-D".into()];
            words.extend(["-f".into(), settings.into()]);
            words.extend(["-F".into(), folder.join("pcp.conf").into()]);
            Ok(words)
        })?;
        Ok(Self { pooler })
    }

    /// The address of a database through it.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        let (port, database) = (self.pooler.port(), percent_encode(database));
        format!("postgres://postgres@127.0.0.1:{port}/{database}")
    }
}

fn file(
    folder: &str,
    [port, control]: [u16; 2],
    clustering: Clustering,
    processes: usize,
) -> String {
    let mode = match clustering {
        Clustering::StreamingReplication => "streaming_replication",
        Clustering::Raw => "raw",
    };
    format!(
        "backend_clustering_mode = '{mode}'\n\
         listen_addresses = '127.0.0.1'\n\
         port = {port}\n\
         socket_dir = '{folder}'\n\
         pcp_listen_addresses = ''\n\
         pcp_socket_dir = '{folder}'\n\
         pcp_port = {control}\n\
         pid_file_name = '{folder}/pgpool.pid'\n\
         logdir = '{folder}'\n\
         num_init_children = {processes}\n\
         max_pool = 2\n\
         enable_pool_hba = off\n\
         pool_passwd = ''\n\
         load_balance_mode = on\n\
         statement_level_load_balance = on\n\
         sr_check_user = 'postgres'\n\
         sr_check_period = 1\n"
    )
}

fn backends(ports: &[u16]) -> String {
    let mut lines = String::new();
    for (number, port) in ports.iter().enumerate() {
        let weight = u8::from(number > 0 || ports.len() == 1);
        // Writing to a string does not fail.
        let _ = writeln!(lines, "backend_hostname{number} = '127.0.0.1'");
        let _ = writeln!(lines, "backend_port{number} = {port}");
        let _ = writeln!(lines, "backend_weight{number} = {weight}");
    }
    lines
}
