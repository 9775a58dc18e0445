//! The servers that Hasura's tests start beside it: webhooks of actions and of events, and remote
//! schemas. They are those of the copy of its repository; nothing of them is here.
//!
//! They need Python and Node.js with the packages of its `requirements.txt` and
//! `remote_schemas/nodejs/package.json`. `HASURA_CASES_PYTHON` is another interpreter, and
//! `NODE_PATH` has the packages of Node.js.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take to start.
const START: Duration = Duration::from_secs(30);

/// Runs the Python servers until the standard input ends. It prints their addresses, and reads that
/// of the server under test, which the webhook of actions calls.
const PYTHON: &str = "
import os, sys, threading
import context, graphql_server
context.ActionsWebhookHandler.log_message = lambda *_: None
context.EvtsWebhookHandler.log_message = lambda *_: None
address = ('localhost', 0)
remote = graphql_server.create_server(address)
actions = context.ActionsWebhookServer('', None, address)
events = context.EvtsWebhookServer(address)
for server in remote, actions, events:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
for line in sys.stdin:
    context.ActionsWebhookHandler.hge_url = line.strip()
os._exit(0)
";

/// Servers of Node.js: the variable in metadata, a part of the paths of cases, and the script.
const SCRIPTS: [(&str, &str, &str); 6] = [
    ("GRAPHQL_SERVICE_HANDLER", "/actions/", "actions_remote_join_schema.js"),
    ("GRAPHQL_SERVICE_HANDLER", "", "index.js"),
    ("GRAPHQL_SERVICE_1", "", "remote_schema_perms.js"),
    ("GRAPHQL_SERVICE_2", "", "secondary_remote_schema_perms.js"),
    ("GRAPHQL_SERVICE_3", "", "secondary_remote_schema_perms_error.js"),
    ("GRAPHQL_SERVICE", "", "returns_data_and_errors.js"),
];

/// The variables of the Python servers, in the order of their ports.
const OF_PYTHON: [&str; 3] =
    ["REMOTE_SCHEMAS_WEBHOOK_DOMAIN", "ACTION_WEBHOOK_HANDLER", "EVENT_WEBHOOK_HANDLER"];

/// Servers that are started when a case first needs them, and stopped in the end.
#[derive(Debug)]
pub(crate) struct Services {
    /// The folder of Hasura's tests.
    tests: PathBuf,
    python: Option<Python>,
    /// By the script, with the port.
    scripts: BTreeMap<&'static str, (u16, Running)>,
}

#[derive(Debug)]
struct Python {
    ports: Vec<u16>,
    input: ChildStdin,
    _running: Running,
}

/// A process that is killed in the end.
#[derive(Debug)]
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Services {
    /// The servers of the tests to which a folder of cases belongs.
    pub(crate) fn new(cases: &Path) -> Self {
        let tests = cases.parent().unwrap_or(cases).to_path_buf();
        Self { tests, python: None, scripts: BTreeMap::new() }
    }

    /// The values of the variables that metadata of a file names. The error is a sentence.
    pub(crate) fn variables(
        &mut self,
        metadata: &str,
        cases: &Path,
    ) -> Result<Vec<(&'static str, String)>, String> {
        let is_named = |name: &str| metadata.contains(&format!("{{{{{name}}}}}"));
        let cases = cases.to_string_lossy();
        let mut variables = Vec::new();
        for (idx, name) in OF_PYTHON.into_iter().enumerate() {
            if is_named(name) {
                let port = self.python()?.ports.get(idx).copied().unwrap_or_default();
                variables.push((name, format!("http://localhost:{port}")));
            }
        }
        for (name, part, script) in SCRIPTS {
            let is_known = variables.iter().any(|(known, _)| *known == name);
            if is_named(name) && !is_known && cases.contains(part) {
                let port = self.script(script)?;
                variables.push((name, format!("http://localhost:{port}")));
            }
        }
        Ok(variables)
    }

    /// Tells the webhook of actions the address of the server under test.
    pub(crate) fn tell(&mut self, address: &str) {
        if let Some(python) = &mut self.python {
            drop(writeln!(python.input, "http://{address}"));
            drop(python.input.flush());
        }
    }

    fn python(&mut self) -> Result<&Python, String> {
        if self.python.is_none() {
            self.python = Some(self.start_python()?);
        }
        self.python.as_ref().ok_or_else(|| "no server of Python".to_owned())
    }

    fn start_python(&self) -> Result<Python, String> {
        let program = std::env::var_os("HASURA_CASES_PYTHON").unwrap_or_else(|| "python3".into());
        let mut command = Command::new(program);
        // Nothing is written into the copy.
        command.args(["-B", "-c", PYTHON]).current_dir(&self.tests);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("Python: {error}"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let running = Running(child);
        let (Some(input), Some(output)) = (input, output) else {
            return Err("Python has no pipes".into());
        };
        let mut lines = BufReader::new(output).lines();
        let mut ports = Vec::new();
        for name in OF_PYTHON {
            let line = lines.next().and_then(Result::ok).unwrap_or_default();
            let port = line.parse().map_err(|_| {
                format!("the Python servers of Hasura's tests do not start ({name})")
            })?;
            ports.push(port);
        }
        // A full pipe would stop the servers.
        thread::spawn(move || lines.for_each(drop));
        Ok(Python { ports, input, _running: running })
    }

    fn script(&mut self, script: &'static str) -> Result<u16, String> {
        if let Some((port, _)) = self.scripts.get(script) {
            return Ok(*port);
        }
        let port = free_port().map_err(|error| error.to_string())?;
        let mut command = Command::new("node");
        command.arg(script).current_dir(self.tests.join("remote_schemas/nodejs"));
        command.env("PORT", port.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| format!("Node.js: {error}"))?;
        let mut running = Running(child);
        let started = Instant::now();
        while TcpStream::connect(("localhost", port)).is_err() {
            let has_ended = running.0.try_wait().is_ok_and(|status| status.is_some());
            if has_ended || started.elapsed() > START {
                return Err(format!("the server {script} of Hasura's tests does not start"));
            }
            thread::sleep(Duration::from_millis(50));
        }
        self.scripts.insert(script, (port, running));
        Ok(port)
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
