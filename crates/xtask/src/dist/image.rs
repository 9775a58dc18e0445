//! `cargo xtask image`: the image of containers, made by buildah and run by podman, both without a daemon.
//!
//! The image is that of `packaging/image/Dockerfile`, for this machine's platform. A static program is
//! alone in it; a program that is given may be dynamic, and brings its libraries.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::linkage::{self, Linkage};
use super::platform::{Libc, Platform};
use super::{DistError, VERSION, trial};
use crate::program::{self, ProgramError};

/// Names of the image: the release's, and that of the layout.
const NAME: &str = "localhost/thalweg";
const LAYOUT: &str = "oci";

/// Programs without which no image is made, with their packages in Debian.
const TOOLS: [&str; 2] = ["buildah", "podman"];

/// Runtimes of containers, in the order in which they are tried.
const RUNTIMES: [&str; 2] = ["crun", "runc"];

/// Makes the image and runs it.
pub(crate) fn image(workspace: &Path, program: Option<&Path>) -> Result<(), DistError> {
    let missing: Vec<&str> =
        TOOLS.into_iter().filter(|tool| program::find(tool).is_none()).collect();
    if !missing.is_empty() {
        println!(
            "image: not run: {} is not installed; Debian has packages of these names, and `runc`",
            missing.join(" and ")
        );
        return Ok(());
    }
    let platform = Platform::of_host()?;
    let folder = workspace.join("target/image");
    super::remove(&folder.join("context"))?;
    let context = context(workspace, &folder, platform, program)?;
    let tag = format!("{NAME}:{VERSION}");
    let mut build = tool("buildah", &folder);
    // The form of Docker has the health check, which that of OCI has no place for.
    build.args(["bud", "--isolation", "chroot", "--format", "docker", "--tag", &tag]);
    build.arg("--build-arg").arg(format!("TARGETARCH={}", platform.debian()));
    build.arg("--file").arg(workspace.join("packaging/image/Dockerfile")).arg(&context);
    program::run(&mut build)?;
    try_image(&folder, &tag)?;
    let layout = folder.join(LAYOUT);
    super::remove(&layout)?;
    let mut push = tool("buildah", &folder);
    push.args(["push", &tag]).arg(format!("oci:{}:{VERSION}", layout.display()));
    program::run(&mut push)?;
    println!("image: {tag} runs; it is in {}", folder.join("store").display());
    println!("image: {}", layout.display());
    Ok(())
}

/// A tool with a store of its own, which needs no overlay file system.
fn tool(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(name);
    command.args(["--storage-driver", "vfs"]);
    command.arg("--root").arg(folder.join("store")).arg("--runroot").arg(folder.join("run"));
    command
}

/// The folder from which the image is made, as `packaging/image/context` makes it for a release.
fn context(
    workspace: &Path,
    folder: &Path,
    platform: Platform,
    program: Option<&Path>,
) -> Result<PathBuf, DistError> {
    let context = folder.join("context");
    let Some(program) = program else {
        let script = workspace.join("packaging/image/context");
        let dist = workspace.join("target/dist");
        let name = platform.name(Libc::Musl);
        if !dist.join(format!("thalweg-{VERSION}-{name}.tar.gz")).is_file() {
            return Err(DistError::Trial(format!(
                "there is no static program in {}: `cargo xtask dist` makes it, and `--program` takes \
                 another one",
                dist.display()
            )));
        }
        program::run(Command::new(script).arg(&dist).arg(&context))?;
        return Ok(context);
    };
    let root = context.join(platform.debian());
    copy(program, &root.join("usr/bin/thalweg"))?;
    if let Linkage::Dynamic { .. } = linkage::read(program)? {
        let listed = program::output(Command::new("ldd").arg(program))?;
        for library in libraries(&listed) {
            copy(Path::new(library), &root.join(library.trim_start_matches('/')))?;
        }
    }
    let certificates = Path::new("/etc/ssl/certs/ca-certificates.crt");
    if certificates.is_file() {
        copy(certificates, &root.join("etc/ssl/certs/ca-certificates.crt"))?;
    }
    for own in ["own/data", "own/tmp"] {
        let own = context.join(own);
        fs::create_dir_all(&own).map_err(|error| DistError::File { path: own, error })?;
    }
    Ok(context)
}

/// The paths of libraries in what `ldd` prints.
fn libraries(listed: &str) -> impl Iterator<Item = &str> {
    listed.lines().filter_map(|line| {
        let path = line.split_once("=>").map_or(line, |(_, path)| path);
        path.split_whitespace().next().filter(|path| path.starts_with('/'))
    })
}

fn copy(from: &Path, to: &Path) -> Result<(), DistError> {
    let failed = |error| DistError::File { path: from.to_owned(), error };
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::copy(from, to).map(drop).map_err(failed)
}

/// A container that ends with this.
struct Container<'f> {
    folder: &'f Path,
    name: String,
    child: Child,
}

impl Drop for Container<'_> {
    fn drop(&mut self) {
        let mut remove = tool("podman", self.folder);
        remove.args(["rm", "--force", "--time", "1", &self.name]);
        drop(program::run(&mut remove));
        drop(self.child.wait());
    }
}

/// Runs the image as `docker run` does without a command, and asks the demo.
fn try_image(folder: &Path, tag: &str) -> Result<(), DistError> {
    let refused = |reason: String| DistError::Trial(reason);
    let runtime = find_runtime(folder, tag)?;
    let name = format!("thalweg-trial-{}", std::process::id());
    let mut run = run_command(folder, runtime);
    // The host's network, on a port that is free.
    run.args(["--name", &name, "--env", "THALWEG_LISTEN=127.0.0.1:0", tag]);
    run.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child =
        run.spawn().map_err(|error| ProgramError::Start { program: "podman".to_owned(), error })?;
    let mut container = Container { folder, name, child };
    let log = container.child.stderr.take();
    let log = log.ok_or_else(|| refused("the container has no error stream".to_owned()))?;
    let mut seen = String::new();
    let mut lines = BufReader::new(log).lines().map_while(Result::ok);
    let address = lines.find_map(|line| {
        seen.push_str(&line);
        seen.push('\n');
        trial::address(&line).map(str::to_owned)
    });
    let address = address.ok_or_else(|| refused(format!("the image does not serve: {seen}")))?;
    // What the server logs later must not fill the pipe.
    let rest = std::thread::spawn(move || lines.for_each(drop));
    let failed = |error| refused(format!("the image cannot be asked: {error}"));
    let answer = trial::request(&address).map_err(failed)?;
    if !(answer.starts_with("HTTP/1.1 200 ") && answer.contains(trial::ANSWER)) {
        return Err(refused(format!("the image answers {answer:?}")));
    }
    let page = format!(
        "GET / HTTP/1.1\r\nHost: {address}\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
    );
    let page = trial::send(&address, &page).map_err(failed)?;
    if !(page.starts_with("HTTP/1.1 200 ") && page.to_lowercase().contains("graphiql")) {
        return Err(refused(format!("GraphiQL is not there: {page:?}")));
    }
    println!("image: GraphiQL and the demo answer at {address}, by {runtime}");
    // As `docker stop` does.
    let mut stop = tool("podman", folder);
    program::run(stop.args(["stop", "--time", "20", &container.name]))?;
    let status = container.child.wait();
    drop(rest.join());
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(refused(format!("the container ends with {status}"))),
        Err(error) => Err(refused(format!("the container cannot be awaited: {error}"))),
    }
}

fn run_command(folder: &Path, runtime: &str) -> Command {
    let mut run = tool("podman", folder);
    run.args(["--runtime", runtime, "run", "--rm", "--network", "host"]);
    // Lower limits than the machine's, which a container within a container may not raise.
    run.args(["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"]);
    run
}

/// The first runtime by which the program in the image prints its version.
fn find_runtime(folder: &Path, tag: &str) -> Result<&'static str, DistError> {
    let mut reasons = Vec::new();
    for runtime in RUNTIMES {
        if program::find(runtime).is_none() && !Path::new("/usr/sbin").join(runtime).is_file() {
            reasons.push(format!("`{runtime}` is not installed"));
            continue;
        }
        match program::output(run_command(folder, runtime).args([tag, "--version"])) {
            Ok(version) if version == format!("thalweg {VERSION}\n") => return Ok(runtime),
            Ok(version) => reasons.push(format!("{runtime}: it calls itself {version:?}")),
            Err(error) => reasons.push(format!("{runtime}: {error}")),
        }
    }
    Err(DistError::Trial(reasons.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_files() {
        let listed = "\tlinux-vdso.so.1 (0x00007fc0bb990000)\n\
                      \tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007fc0bb87e000)\n\
                      \tlibgone.so => not found\n\
                      \t/lib64/ld-linux-x86-64.so.2 (0x00007fc0bb992000)\n";
        let found: Vec<&str> = libraries(listed).collect();
        assert_eq!(found, ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/ld-linux-x86-64.so.2"]);
        assert_eq!(libraries("\tstatically linked\n").count(), 0);
    }
}
