//! Statements of SQL that clients send, and their results as JSON.

/// The reason why a statement has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RawStatementError {
    /// The database refuses it, with a code of its own.
    #[error("{message}")]
    Refused { code: i32, message: String },
    /// The database cannot be reached.
    #[error("{0}")]
    Unreachable(String),
    #[error("the result has more than {most} bytes")]
    TooLarge { most: u64 },
}

/// Writes the rows of a result as a list of objects.
#[derive(Debug)]
pub struct RowsWriter {
    out: String,
    /// Names of columns as JSON; `None` for one whose name a later column has.
    names: Vec<Option<String>>,
    most: u64,
}

impl RowsWriter {
    /// Begins a list whose objects have these members, of at most so many bytes.
    #[must_use]
    pub fn new(names: &[&str], most: u64) -> Self {
        let is_last = |place: usize| !names[place + 1..].contains(&names[place]);
        let quoted = |place: usize| {
            let mut name = String::new();
            write_text(names[place], &mut name);
            name
        };
        let shown = (0..names.len()).map(|place| is_last(place).then(|| quoted(place)));
        Self { out: "[".into(), names: shown.collect(), most }
    }

    /// Adds a row; `write` appends the value of a column as JSON.
    pub fn row(
        &mut self,
        mut write: impl FnMut(usize, &mut String) -> Result<(), RawStatementError>,
    ) -> Result<(), RawStatementError> {
        self.out.push_str(if self.out.len() > 1 { ",{" } else { "{" });
        let mut is_first = true;
        for (place, name) in self.names.iter().enumerate() {
            let Some(name) = name else { continue };
            if !is_first {
                self.out.push(',');
            }
            is_first = false;
            self.out.push_str(name);
            self.out.push(':');
            write(place, &mut self.out)?;
        }
        self.out.push('}');
        match self.out.len() as u64 > self.most {
            true => Err(RawStatementError::TooLarge { most: self.most }),
            false => Ok(()),
        }
    }

    /// The list.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.out.push(']');
        self.out
    }
}

/// Appends a text as JSON.
pub fn write_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

/// Appends the digits of a number; what JSON has no number for is a text.
pub fn write_number(digits: &str, out: &mut String) {
    match serde_json::from_str::<serde_json::Number>(digits) {
        Ok(_) => out.push_str(digits),
        Err(_) => write_text(digits, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], rows: &[&[&str]], expected: &str) {
        let mut writer = RowsWriter::new(names, 1_000);
        for row in rows {
            let written = writer.row(|place, out| {
                write_number(row[place], out);
                Ok(())
            });
            written.unwrap();
        }
        assert_eq!(writer.finish(), expected);
    }

    #[test]
    fn rows_are_objects() {
        check(&["a"], &[], "[]");
        check(
            &["a", "b\""],
            &[&["1", "x"], &["-2.50", "NaN"]],
            r#"[{"a":1,"b\"":"x"},{"a":-2.50,"b\"":"NaN"}]"#,
        );
        // The last of equal names counts, as in JSON.
        check(&["a", "b", "a"], &[&["1", "2", "3"]], r#"[{"b":2,"a":3}]"#);
        check(&[], &[&[]], "[{}]");
    }

    #[test]
    fn a_list_has_an_end() {
        let mut writer = RowsWriter::new(&["a"], 20);
        let mut add = || {
            writer.row(|_, out| {
                write_text("text", out);
                Ok(())
            })
        };
        assert_eq!(add(), Ok(()));
        assert_eq!(add(), Err(RawStatementError::TooLarge { most: 20 }));
    }
}
