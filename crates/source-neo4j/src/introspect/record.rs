//! The columns of one record, read one after the other.

use response::packed::{Elements, Malformed, Packed};

/// A result that does not have the form of its statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unexpected {
    #[error("the server's answer cannot be read: {0}")]
    Malformed(#[from] Malformed),
    #[error("the server answered with something else than {0}")]
    Type(&'static str),
    #[error("the server's answer has too few columns")]
    Short,
}

/// The columns of a record that were not read yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns<'r>(Elements<'r>);

impl<'r> Columns<'r> {
    pub(super) fn of(record: &'r [u8]) -> Result<Self, Unexpected> {
        match response::packed::begin(record)? {
            Packed::List(columns) => Ok(Self(columns)),
            _ => Err(Unexpected::Type("a record")),
        }
    }

    /// The next column, whatever it is.
    pub(super) fn value(&mut self) -> Result<Packed<'r>, Unexpected> {
        Ok(self.0.next().ok_or(Unexpected::Short)??)
    }

    pub(super) fn text(&mut self) -> Result<Box<str>, Unexpected> {
        text(self.value()?)
    }

    pub(super) fn text_or_null(&mut self) -> Result<Option<Box<str>>, Unexpected> {
        match self.value()? {
            Packed::Null => Ok(None),
            value => text(value).map(Some),
        }
    }

    pub(super) fn boolean(&mut self) -> Result<bool, Unexpected> {
        match self.value()? {
            Packed::Boolean(boolean) => Ok(boolean),
            _ => Err(Unexpected::Type("a boolean")),
        }
    }

    /// A number that counts something.
    pub(super) fn count(&mut self) -> Result<u64, Unexpected> {
        self.count_or_null()?.ok_or(Unexpected::Type("a number"))
    }

    pub(super) fn count_or_null(&mut self) -> Result<Option<u64>, Unexpected> {
        match self.value()? {
            Packed::Null => Ok(None),
            Packed::Integer(count) => {
                u64::try_from(count).map(Some).map_err(|_| Unexpected::Type("a count"))
            }
            _ => Err(Unexpected::Type("a number")),
        }
    }

    /// A list of texts; null is none.
    pub(super) fn texts(&mut self) -> Result<Vec<Box<str>>, Unexpected> {
        match self.value()? {
            Packed::Null => Ok(Vec::new()),
            Packed::List(elements) => texts(elements),
            _ => Err(Unexpected::Type("a list of texts")),
        }
    }

    /// The value as a set of labels.
    pub(super) fn labels(&mut self) -> Result<Vec<Box<str>>, Unexpected> {
        let mut labels = self.texts()?;
        labels.sort();
        Ok(labels)
    }
}

pub(super) fn texts(elements: Elements<'_>) -> Result<Vec<Box<str>>, Unexpected> {
    elements.map(|element| text(element?)).collect()
}

/// Texts of a server are UTF-8; others are replaced without an error.
pub(super) fn text(value: Packed<'_>) -> Result<Box<str>, Unexpected> {
    match value {
        Packed::Text(text) => Ok(String::from_utf8_lossy(text).into()),
        _ => Err(Unexpected::Type("a text")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_read_in_their_order() {
        let mut columns = Columns::of(b"\x97\x92\x81b\x81a\x81T\xc3\x05\xc0\xc0\xc0").unwrap();
        assert_eq!(columns.labels().unwrap(), ["a".into(), "b".into()] as [Box<str>; 2]);
        assert_eq!(&*columns.text().unwrap(), "T");
        assert!(columns.boolean().unwrap());
        assert_eq!(columns.count(), Ok(5));
        assert_eq!(columns.count_or_null(), Ok(None));
        assert_eq!(columns.text_or_null(), Ok(None));
        assert_eq!(columns.texts(), Ok(Vec::new()));
        assert_eq!(columns.value(), Err(Unexpected::Short));
    }

    #[test]
    fn another_answer_than_was_asked_for_is_refused() {
        let first = |record: &'static [u8]| Columns::of(record).unwrap();
        assert!(Columns::of(b"\x05").is_err());
        assert!(Columns::of(b"").is_err());
        assert_eq!(first(b"\x91\x05").text(), Err(Unexpected::Type("a text")));
        assert_eq!(first(b"\x91\x05").boolean(), Err(Unexpected::Type("a boolean")));
        assert_eq!(first(b"\x91\xff").count(), Err(Unexpected::Type("a count")));
        assert_eq!(first(b"\x91\xc0").count(), Err(Unexpected::Type("a number")));
        assert_eq!(first(b"\x91\x91\x05").texts(), Err(Unexpected::Type("a text")));
        assert_eq!(first(b"\x91\x05").texts(), Err(Unexpected::Type("a list of texts")));
        let short = Unexpected::Malformed(Malformed::Short);
        assert_eq!(first(b"\x91").text(), Err(short));
    }
}
