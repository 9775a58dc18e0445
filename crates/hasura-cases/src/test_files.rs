//! What the functions of Hasura's tests do before they ask the requests of a file: many files of
//! cases need commands of files beside them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The commands before the requests of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Files instead of the setups of the folder.
    pub(crate) base: Option<Vec<PathBuf>>,
    /// Files after the setups.
    pub(crate) then: Vec<PathBuf>,
}

/// Steps by the file of requests; of several tests those of the first one.
#[derive(Debug, Default)]
pub(crate) struct TestFiles(BTreeMap<PathBuf, Steps>);

/// Calls that send the commands of a file.
const COMMANDS: [&str; 4] = ["v1q_f(", "v1metadataq_f(", "v2q_f(", "v1graphqlq_f("];

impl TestFiles {
    /// Reads `test_*.py` in the folder of Hasura's tests.
    pub(crate) fn read(tests: &Path) -> std::io::Result<Self> {
        let mut files = Self::default();
        let mut paths: Vec<_> =
            fs::read_dir(tests)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("test_") && name.ends_with(".py") {
                files.add(tests, &fs::read_to_string(&path)?);
            }
        }
        Ok(files)
    }

    pub(crate) fn find(&self, file: &Path) -> Option<&Steps> {
        self.0.get(file)
    }

    /// Adds the functions of a file. A class has a folder (`def dir`), maybe a fixture with setups
    /// of its own (`transact`), and tests; definitions are in columns 0 and 4.
    fn add(&mut self, tests: &Path, text: &str) {
        let mut folder = PathBuf::new();
        let mut base: Option<Vec<PathBuf>> = None;
        let (mut is_fixture, mut is_over) = (false, false);
        let mut then = Vec::new();
        for line in text.lines() {
            let code = line.trim_start();
            if code.starts_with('#') {
                continue;
            }
            if line.starts_with("class ") {
                (base, is_fixture) = (None, false);
                then.clear();
            } else if code.starts_with("def ") {
                is_fixture = code.starts_with("def transact(");
                is_over = false;
                then.clear();
            } else if let Some(path) = code.strip_prefix("return ").and_then(quoted)
                && path.starts_with("queries/")
            {
                folder = tests.join(path.trim_end_matches('/'));
            } else if code.starts_with("yield") {
                is_over = true;
            } else if let Some(name) =
                code.split_once("self.dir() + ").and_then(|(_, rest)| quoted(rest))
            {
                let file = folder.join(name.trim_start_matches('/'));
                let is_command = COMMANDS.iter().any(|call| code.contains(call));
                if is_command && is_fixture && !is_over {
                    base.get_or_insert_default().push(file);
                } else if is_command && !is_fixture && !code.contains("expected_status_code") {
                    then.push(file);
                } else if code.contains("check_query_f(") {
                    let steps = Steps { base: base.clone(), then: then.clone() };
                    self.0.entry(file).or_insert(steps);
                }
            }
        }
    }
}

/// The text in quotation marks at the beginning.
fn quoted(text: &str) -> Option<&str> {
    let mark = text.chars().next().filter(|mark| ['"', '\''].contains(mark))?;
    text.get(1..)?.split_once(mark).map(|(inner, _)| inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
class TestOne:
    @classmethod
    def dir(cls):
        return "queries/remote/"

    def test_a(self, hge_ctx):
        hge_ctx.v1q_f(self.dir() + 'setup_a.yaml')
        # hge_ctx.v1q_f(self.dir() + 'nothing.yaml')
        hge_ctx.v1q_f(self.dir() + 'refused.yaml', expected_status_code = 400)
        check_query_f(hge_ctx, self.dir() + 'a.yaml')
        hge_ctx.v1q_f(self.dir() + '/more.yaml')
        check_query_f(hge_ctx, self.dir() + "b.yaml")

    def test_b(self, hge_ctx):
        check_query_f(hge_ctx, self.dir() + 'c.yaml')
        check_query_f(hge_ctx, self.dir() + 'a.yaml')

class TestTwo:
    @classmethod
    def dir(cls):
        return 'queries/other'

    @pytest.fixture(autouse=True)
    def transact(self, hge_ctx):
        hge_ctx.v1q_f(self.dir() + '/setup.yaml')
        yield
        hge_ctx.v1q_f(self.dir() + '/teardown.yaml')

    def test_c(self, hge_ctx):
        check_query_f(hge_ctx, self.dir() + '/c.yaml')
"#;

    #[test]
    fn files_have_the_steps_of_their_tests() {
        let mut files = TestFiles::default();
        files.add(Path::new("t"), TEXT);
        let shown = |path: &str| {
            let steps = files.find(Path::new(path)).cloned().unwrap_or_default();
            let list = |paths: &[PathBuf]| {
                paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
            };
            format!("{:?} {}", steps.base.as_deref().map(list), list(&steps.then))
        };
        assert_eq!(shown("t/queries/remote/a.yaml"), "None t/queries/remote/setup_a.yaml");
        assert_eq!(
            shown("t/queries/remote/b.yaml"),
            "None t/queries/remote/setup_a.yaml t/queries/remote/more.yaml"
        );
        assert_eq!(shown("t/queries/remote/c.yaml"), "None ");
        assert_eq!(shown("t/queries/other/c.yaml"), "Some(\"t/queries/other/setup.yaml\") ");
    }
}
