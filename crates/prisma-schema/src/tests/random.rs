//! Schemas changed byte by byte: each is read, or refused with places in the text.

use crate::{File, read};

const TEXT: &str = "datasource db {\n provider = \"sqlite\"\n}\n\
    /// A.\nmodel User {\n id Int @id @default(autoincrement())\n name String? @map(\"n\") @db.VarChar(20)\n\
     role Role @default(A)\n posts Post[] @relation(\"p\")\n fans User[] @relation(\"f\")\n\
     stars User[] @relation(\"f\")\n @@unique([id, name(sort: Desc)])\n @@map(\"users\")\n}\n\
    model Post {\n id Int @id\n user User? @relation(\"p\", fields: [userId], references: [id])\n\
     userId Int?\n}\nenum Role {\n A @map(\"a\")\n B\n}\n";

/// Parts that are put somewhere.
const PARTS: [&str; 24] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "@",
    "@@",
    "\"",
    "\\",
    "//",
    "/*",
    "*/",
    "///",
    "?",
    "\n",
    ".",
    ":",
    ",",
    "é",
    "\u{0}",
    "-1",
    "model X {",
    "[[[[",
];

/// A generator of numbers (xorshift), the same ones each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).unwrap_or_default()
    }
}

#[test]
fn no_text_panics_and_each_mistake_has_a_place() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    for _ in 0..3000 {
        let mut text: Vec<char> = TEXT.chars().collect();
        for _ in 0..=numbers.below(3) {
            let place = numbers.below(text.len());
            match numbers.below(3) {
                0 => {
                    text.remove(place);
                }
                1 => {
                    let part = PARTS[numbers.below(PARTS.len())];
                    text.splice(place..place, part.chars());
                }
                _ => {
                    let end = (place + numbers.below(40)).min(text.len());
                    text.drain(place..end);
                }
            }
        }
        let text: String = text.into_iter().collect();
        let lines = text.matches('\n').count() + 1;
        let file = File { name: "s".into(), text: text.as_str().into() };
        if let Err(mistakes) = read(vec![file]) {
            refused += 1;
            assert!(!mistakes.0.is_empty(), "{text}");
            for mistake in &mistakes.0 {
                assert!((1..=lines).contains(&mistake.line), "{text}\n{mistake}");
                assert!(mistake.column > 0, "{text}\n{mistake}");
            }
        }
    }
    // Both happen.
    assert!((500..2990).contains(&refused), "{refused}");
}

#[test]
fn deep_and_long_texts_end() {
    for text in
        ["[".repeat(100_000), "model A {\n x Int @default(".to_owned() + &"f(".repeat(50_000)]
    {
        assert!(read(vec![File { name: "s".into(), text: text.into() }]).is_err());
    }
}
