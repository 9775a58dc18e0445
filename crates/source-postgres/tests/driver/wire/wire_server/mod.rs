//! A PostgreSQL server of the tests' own: a new cluster on a free port, with a Unix socket, TLS and
//! users for each way of authentication. It stops when the last test that holds it ends.

pub(crate) mod client;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// Debian's user without rights, by number.
const NOBODY: u32 = 65534;

#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) folder: PathBuf,
    pub(crate) port: u16,
    process: Child,
}

/// The server that tests share, or none where PostgreSQL is not installed.
pub(crate) fn shared() -> Option<Arc<Server>> {
    static RUNNING: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    let mut running = RUNNING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(server) = running.upgrade() {
        return Some(server);
    }
    let server = Arc::new(Server::start()?);
    *running = Arc::downgrade(&server);
    Some(server)
}

impl Server {
    pub(crate) fn start() -> Option<Server> {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let Some(programs) = programs() else {
            println!("not run: PostgreSQL is not installed");
            return None;
        };
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("wire-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        give_away(&folder);
        let data = folder.join("data");
        fs::write(folder.join("password"), "correct horse").unwrap();
        run(unprivileged(&programs.join("initdb"))
            .arg("--pgdata")
            .arg(&data)
            .args(["--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"])
            .args(["--auth-local=trust", "--auth-host=scram-sha-256", "--pwfile"])
            .arg(folder.join("password")));
        certificate(&folder, "server");
        certificate(&folder, "other");
        fs::write(
            data.join("pg_hba.conf"),
            "local all all trust\n\
             host all md5_user all md5\n\
             host all clear_user all password\n\
             hostssl all tls_user all trust\n\
             hostnossl all tls_user all reject\n\
             hostnossl all plain_user all trust\n\
             hostssl all plain_user all reject\n\
             host all all all scram-sha-256\n",
        )
        .unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let setting = |name: &str, value: &str| format!("--{name}={value}");
        let mut process = unprivileged(&programs.join("postgres"))
            .arg("-D")
            .arg(&data)
            .arg(setting("port", &port.to_string()))
            .arg(setting("listen_addresses", "localhost"))
            .arg(setting("unix_socket_directories", folder.to_str().unwrap()))
            .arg(setting("ssl", "on"))
            .arg(setting("ssl_cert_file", folder.join("server.crt").to_str().unwrap()))
            .arg(setting("ssl_key_file", folder.join("server.key").to_str().unwrap()))
            .args(["--fsync=off", "--TimeZone=Asia/Tokyo"])
            .stderr(fs::File::create(folder.join("log")).unwrap())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        let pid_file = data.join("postmaster.pid");
        while !fs::read_to_string(&pid_file).is_ok_and(|text| text.contains("ready")) {
            let log = || fs::read_to_string(folder.join("log")).unwrap_or_default();
            assert!(process.try_wait().unwrap().is_none(), "PostgreSQL has ended: {}", log());
            assert!(Instant::now() < deadline, "PostgreSQL does not start: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
        let server = Server { folder, port, process };
        run(Command::new(programs.join("psql")).args(["-qX", "-d", &server.socket_url()]).args([
            "-c",
            "CREATE USER tls_user; CREATE USER plain_user; \
             SET password_encryption = 'md5'; CREATE USER md5_user PASSWORD 'five'; \
             SET password_encryption = 'scram-sha-256'; CREATE USER clear_user PASSWORD 'clear'",
        ]));
        Some(server)
    }

    pub(crate) fn socket_url(&self) -> String {
        let folder = self.folder.to_str().unwrap().replace('/', "%2F");
        format!("postgres://postgres@{folder}:{}/postgres", self.port)
    }

    /// With a user, and a password where one is needed: `me:secret`.
    pub(crate) fn tcp_url(&self, user: &str, host: &str, options: &str) -> String {
        format!("postgres://{user}@{host}:{}/postgres?{options}", self.port)
    }

    /// The process that accepts clients, and starts one for each.
    pub(crate) fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Ends all of the server's processes at once.
    pub(crate) fn stop(&mut self) {
        if !matches!(self.process.try_wait(), Ok(None)) {
            return;
        }
        signal("QUIT", self.process.id());
        let _ = self.process.wait();
    }
}

pub(crate) fn signal(name: &str, process: impl std::fmt::Display) {
    let _ = Command::new("kill").args(["-s", name, &process.to_string()]).status();
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn programs() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("THALWEG_POSTGRES_BIN") {
        return Some(folder.into());
    }
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
    folders.filter(|folder| folder.join("initdb").exists()).max()
}

/// PostgreSQL refuses to run as root.
fn unprivileged(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")]);
    command.arg("--clear-groups").arg(program).current_dir("/");
    command
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

fn give_away(path: &Path) {
    if is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

/// A self-signed certificate for `localhost`.
fn certificate(folder: &Path, name: &str) {
    let key = folder.join(name).with_extension("key");
    run(Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(folder.join(name).with_extension("crt")));
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    give_away(&key);
}

fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
}
