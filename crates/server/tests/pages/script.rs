//! A page as one shell script, so that variables and servers of a block last for the next.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::Path;

use serde_json::json;

use crate::page::{Action, Fate, Page};

/// Defines how servers are started and how command lines are checked.
const PRELUDE: &str = include_str!("prelude.sh");

/// The ports that pages write, which are replaced by free ones.
const PORTS: [u16; 7] = [4000, 4001, 9090, 9000, 8081, 5173, 3000];

/// Commands that serve until they are ended.
const SERVERS: [&str; 4] = ["serve", "gateway", "demo", "dev"];

/// Free ports in place of those of the pages.
#[derive(Debug)]
pub(crate) struct Ports(Vec<(String, String)>);

impl Ports {
    pub(crate) fn free() -> io::Result<Self> {
        // All are held until the last is found: otherwise the same one is found twice.
        let listeners: Vec<TcpListener> =
            PORTS.iter().map(|_| TcpListener::bind("127.0.0.1:0")).collect::<io::Result<_>>()?;
        let free = PORTS.iter().zip(&listeners).map(|(port, listener)| {
            Ok((port.to_string(), listener.local_addr()?.port().to_string()))
        });
        Ok(Self(free.collect::<io::Result<_>>()?))
    }

    /// All at once: a free port such as 40012 begins with the digits of another one of the pages.
    pub(crate) fn replace(&self, text: &str) -> String {
        let mut parts = text.split(':');
        let mut replaced = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(part.len());
            let (port, rest) = part.split_at(end);
            let free = self.0.iter().find(|(page, _)| page == port);
            replaced.push(':');
            replaced.push_str(free.map_or(port, |(_, free)| free));
            replaced.push_str(rest);
        }
        replaced
    }
}

/// Writes the files of the steps into the folder of the script, and returns the script.
pub(crate) fn write(page: &Page, folder: &Path, ports: &Ports) -> io::Result<String> {
    let mut script = ports.replace(PRELUDE);
    for (index, step) in page.steps.iter().enumerate() {
        let body = match &step.action {
            Action::Commands { fate: Fate::Skip(_), .. } => continue,
            Action::Commands { text, fate: Fate::Check(_) } => {
                let mut body = String::new();
                for command in commands(&ports.replace(text)) {
                    // A quoted text: the shell reads the command only where nothing else is found.
                    let _ = writeln!(body, "check_command {}", quoted(&command));
                }
                body
            }
            Action::Commands { text, fate } => {
                let text = ports.replace(text);
                let lines: Vec<String> =
                    commands(&text).iter().map(|command| served(command)).collect();
                match fate {
                    Fate::Fail => format!("must_fail {}", quoted(&lines.join("\n"))),
                    Fate::Run | Fate::Check(_) | Fate::Skip(_) => lines.join("\n"),
                }
            }
            Action::Hidden(command) => ports.replace(command),
            Action::File { name, text } => {
                let file = format!("file{index}");
                fs::write(folder.join(&file), ports.replace(text))?;
                format!("mkdir -p \"$(dirname {name})\" && cp \"$PAGE/{file}\" {name}")
            }
            Action::Query { operation, header } => {
                let file = format!("query{index}");
                let body = json!({ "query": operation }).to_string();
                fs::write(folder.join(&file), body)?;
                let header = header.as_ref().map(|header| format!(" -H \"{header}\""));
                format!("send \"$PAGE/{file}\"{}", ports.replace(&header.unwrap_or_default()))
            }
        };
        let _ = writeln!(
            script,
            "echo {} > \"$PAGE/line\"\n{{\n{body}\n}} > \"$PAGE/output{index}\" 2>&1",
            step.line
        );
    }
    for (line, command) in &page.inline {
        let command = quoted(command);
        let _ = writeln!(
            script,
            "echo {line} > \"$PAGE/line\"\ncheck_command {command} 2> \"$PAGE/inline\""
        );
    }
    Ok(script)
}

/// The commands of a block: lines that end with `\` go on, and so do open quotation marks.
fn commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        open.push_str(line);
        let is_quoted = open.matches('\'').count() % 2 == 1;
        if line.ends_with('\\') || is_quoted {
            open.push('\n');
            continue;
        }
        commands.push(std::mem::take(&mut open));
    }
    commands.push(open);
    commands.retain(|command| !command.trim().is_empty());
    commands
}

/// A server runs behind the commands that follow; with `&` it also outlasts the next server.
fn served(command: &str) -> String {
    let start = command.trim_start();
    // Variables before the command are its environment.
    let program = start.find("thalweg ").map_or(start, |at| {
        let is_environment = |word: &str| word.contains('=') && !word.contains('"');
        match start[..at].split_whitespace().all(is_environment) {
            true => &start[at..],
            false => start,
        }
    });
    let ends = ["--into", "--help", "--output"].iter().any(|option| program.contains(option));
    let mut words = program.split_whitespace();
    let serves =
        words.next() == Some("thalweg") && words.next().is_some_and(|name| SERVERS.contains(&name));
    if ends || !serves {
        return command.to_owned();
    }
    let without_comment = start.split("  #").next().unwrap_or(start).trim_end();
    let environment = &start[..start.len() - program.len()];
    match without_comment.strip_suffix('&') {
        Some(rest) => format!("{environment}start_beside {}", &rest[environment.len()..]),
        None => format!("{environment}start {}", &without_comment[environment.len()..]),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Run by name: this program has no test harness.
pub(crate) mod tests {
    use super::Ports;

    pub(crate) fn ports() -> Result<(), String> {
        let pairs = [("4000", "40015"), ("4001", "46395")];
        let ports = Ports(pairs.map(|(page, free)| (page.to_owned(), free.to_owned())).into());
        let text = "a: 127.0.0.1:4000, http://localhost:4001/x :40001 :9090 4000:";
        let replaced = ports.replace(text);
        let expected = "a: 127.0.0.1:40015, http://localhost:46395/x :40001 :9090 4000:";
        if replaced == expected { Ok(()) } else { Err(replaced) }
    }
}
