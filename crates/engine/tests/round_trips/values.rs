//! Values that are made: the same ones in each run.

/// Numbers that follow from each other, as xorshift has them.
#[derive(Debug)]
pub(crate) struct Numbers(u64);

/// What texts within arrays, rows and ranges might be taken for.
const HAZARDS: [&str; 22] = [
    "", " ", "NULL", "null", "\"", "\\", "\\\\", "\\\"", "'", ",", "{", "}", "{}", "(", ")", "(,)",
    "[", "]", "a b", "é😀", "\n\t", "$1",
];

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// A text of up to three hazards.
    pub(crate) fn text(&mut self) -> String {
        (0..self.below(4)).map(|_| HAZARDS[self.below(22) as usize]).collect()
    }

    /// A number of so many digits at most, with a sign.
    pub(crate) fn integer(&mut self, digits: u32) -> i64 {
        let digits = 1 + self.below(u64::from(digits)) as u32;
        let number = self.below(10_u64.pow(digits)) as i64;
        if self.below(2) == 0 { number } else { -number }
    }

    /// The SQL of one of several values, or of null.
    pub(crate) fn one_of(&mut self, values: &[String]) -> String {
        match self.below(values.len() as u64 + 1) as usize {
            place if place < values.len() => values[place].clone(),
            _ => "NULL".to_owned(),
        }
    }
}

/// A literal of SQL.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

pub(crate) fn all_quoted(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| quoted(text)).collect()
}

/// The hazards, and texts made of them.
pub(crate) fn texts(numbers: &mut Numbers) -> Vec<String> {
    let mut values: Vec<String> = HAZARDS.iter().map(|text| quoted(text)).collect();
    values.extend((0..20).map(|_| quoted(&numbers.text())));
    values
}

/// Arrays of up to four of the values and nulls.
pub(crate) fn arrays(numbers: &mut Numbers, r#type: &str, values: &[String]) -> Vec<String> {
    let mut arrays = vec![format!("'{{}}'::{type}[]", r#type = r#type)];
    for value in values {
        arrays.push(format!("ARRAY[({value})::{type}]", r#type = r#type));
    }
    for _ in 0..12 {
        let items = (0..1 + numbers.below(4)).map(|_| numbers.one_of(values));
        let items = items.collect::<Vec<_>>().join(", ");
        arrays.push(format!("ARRAY[{items}]::{type}[]", r#type = r#type));
    }
    arrays
}

/// Ranges between two of the values or none, with every sort of bounds, and the empty one.
pub(crate) fn ranges(
    numbers: &mut Numbers,
    range: &str,
    element: &str,
    values: &[String],
) -> Vec<String> {
    let mut ranges = vec![format!("'empty'::{range}"), format!("'(,)'::{range}")];
    for _ in 0..24 {
        let (left, right) = (numbers.one_of(values), numbers.one_of(values));
        let bounds = ["[]", "[)", "(]", "()"][numbers.below(4) as usize];
        // Without a value `least` is no bound, and neither is `greatest`: one bound must go.
        let (low, high) = match (&*left, &*right) {
            ("NULL", right) => ("NULL".to_owned(), right.to_owned()),
            (left, "NULL") => (left.to_owned(), "NULL".to_owned()),
            (left, right) => {
                let typed = format!("({left})::{element}, ({right})::{element}");
                (format!("least({typed})"), format!("greatest({typed})"))
            }
        };
        ranges.push(format!("{range}(({low})::{element}, ({high})::{element}, '{bounds}')"));
    }
    ranges
}
