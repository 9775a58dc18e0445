//! The figures as tables of Markdown.

use super::imports::Imported;
use super::writes::Written;

/// Targets: times of the floor on the four large queries, and bytes of memory.
const SQLITE_TARGET: f64 = 1.5;
const POSTGRES_TARGET: f64 = 1.3;
const MEMORY_TARGET: u64 = 64 << 20;
/// Times the floor of an import.
const IMPORT_TARGET: f64 = 3.0;
/// The seconds in which the system counts CPU.
const TICK: f64 = 0.01;
/// The queries whose answers are large.
const LARGE: [&str; 4] = ["12", "13", "20", "21"];

/// A query on a database: medians of its rounds.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    pub(super) query: &'static str,
    pub(super) about: &'static str,
    pub(super) bytes: u64,
    /// Seconds, as the others.
    pub(super) first_byte: f64,
    pub(super) seconds: f64,
    pub(super) server_cpu: f64,
    pub(super) database_cpu: f64,
    pub(super) floor_seconds: f64,
    pub(super) floor_cpu: f64,
    /// Of the GraphQL layer: the document and the plan of the first request.
    pub(super) prepared: f64,
    /// Bytes.
    pub(super) peak_memory: u64,
    /// True if each answer had the length and the digest of the floor's.
    pub(super) is_equal: bool,
}

/// All figures of a run.
#[derive(Debug)]
pub(super) struct Report {
    text: String,
    target: f64,
    is_right: bool,
}

impl Report {
    pub(super) fn new(dishes: i64) -> Self {
        Self { text: format!("{dishes} dishes.\n"), target: 0.0, is_right: true }
    }

    /// Begins the table of a database.
    pub(super) fn begin(&mut self, title: &str) {
        self.target = if title == "SQLite" { SQLITE_TARGET } else { POSTGRES_TARGET };
        self.line(&format!("\n### {title}\n"));
        self.line(
            "| query | answer | first byte | latency | CPU of the server | of the database | floor | \
             its CPU | latency / floor | CPU / floor's | GraphQL layer | peak memory | answer |",
        );
        self.line("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    }

    pub(super) fn add(&mut self, figure: &Figure) {
        let ratio = figure.seconds / figure.floor_seconds;
        let misses = LARGE.contains(&figure.query) && ratio > self.target;
        self.is_right &= figure.is_equal;
        self.line(&format!(
            "| {} {} | {} | {:.1} ms | {:.3} s | {:.2} s | {:.2} s | {:.3} s | {:.2} s | {ratio:.2}{} | \
             {:.2} | {:.2} ms, {:.2} % | {}{} | {} |",
            figure.query,
            figure.about,
            size(figure.bytes),
            figure.first_byte * 1e3,
            figure.seconds,
            figure.server_cpu,
            figure.database_cpu,
            figure.floor_seconds,
            figure.floor_cpu,
            mark(misses),
            // CPU is counted in hundredths of a second: the least that both have.
            (figure.server_cpu + figure.database_cpu).max(TICK) / figure.floor_cpu.max(TICK),
            figure.prepared * 1e3,
            figure.prepared / figure.seconds * 100.0,
            size(figure.peak_memory),
            mark(figure.peak_memory > MEMORY_TARGET),
            if figure.is_equal { "equal" } else { "**not the floor's**" },
        ));
    }

    /// Begins the table of mutations.
    pub(super) fn begin_written(&mut self) {
        self.line("\n### Mutations\n");
        self.line("| database | mutations | per second | median | 99 % within |");
        self.line("|---|---|---|---|---|");
    }

    pub(super) fn add_written(&mut self, title: &str, written: &Written) {
        for small in &written.small {
            self.line(&format!(
                "| {title} | one dish, {} connections | {:.0} | {:.2} ms | {:.2} ms |",
                small.clients, small.per_second, small.median, small.p99
            ));
        }
        self.line(&format!(
            "| {title} | 1,000 objects in one add, 1 connection | {:.1} | {:.1} ms | |",
            1e3 / written.deep,
            written.deep
        ));
    }

    /// Begins the table of imports.
    pub(super) fn begin_imported(&mut self) {
        self.line("\n### Imports\n");
        self.line(
            "| database | seconds | CPU | floor | its CPU | seconds / floor's | CPU / floor's |",
        );
        self.line("|---|---|---|---|---|---|---|");
    }

    pub(super) fn add_imported(&mut self, title: &str, Imported { import, floor }: &Imported) {
        let ratio = import.seconds / floor.seconds;
        self.line(&format!(
            "| {title} | {:.1} | {:.1} | {:.1} | {:.1} | {ratio:.2}{} | {:.2} |",
            import.seconds,
            import.cpu,
            floor.seconds,
            floor.cpu,
            mark(ratio > IMPORT_TARGET),
            import.cpu / floor.cpu,
        ));
    }

    /// Returns true if all answers were those of the floors.
    pub(super) fn is_right(&self) -> bool {
        self.is_right
    }

    pub(super) fn text(&self) -> String {
        let targets = format!(
            "\n`!`: beyond the target: {SQLITE_TARGET} times the floor in SQLite and {POSTGRES_TARGET} \
             times in PostgreSQL for the queries {}, {IMPORT_TARGET} times for imports, and {} of \
             memory.\n",
            LARGE.join(", "),
            size(MEMORY_TARGET)
        );
        [&*self.text, &targets].concat()
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

fn mark(misses: bool) -> &'static str {
    if misses { " !" } else { "" }
}

fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
    let bytes = bytes as f64;
    match bytes {
        bytes if bytes < 1_048_576.0 => format!("{:.0} KiB", bytes / 1_024.0),
        bytes => format!("{:.1} MiB", bytes / 1_048_576.0),
    }
}
