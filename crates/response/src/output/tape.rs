//! A response as a sequence of values, for a reader in the same process.
//!
//! A value refers to its field by the field's index in the shape, so that no name is written,
//! looked up or compared byte by byte. The texts of leaves are JSON, as in the response to the
//! client: they share one buffer, which the reader keeps.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Output, Span};
use crate::memory::{MemoryReservation, growth};
use crate::shape::ShapeField;
use crate::sink::{AlreadySent, Full, TooLarge, WorkLimit};

/// The share of the room that one element of a list may use: the room is checked after each.
const SPARE: usize = 8;

/// The minimum room, in values and in bytes.
const LEAST: usize = 64;

/// The size of a token.
const TOKEN: usize = size_of::<Token>();

/// One value of a response, or the end of an object or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The index of its field in the shape. Meaningless for elements of lists.
    pub field: u32,
    pub kind: TokenKind,
}

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Null,
    /// JSON in the buffer of texts, from its first byte on.
    Leaf {
        first: u8,
        start: u32,
        end: u32,
    },
    /// The values of the object's fields follow, and an end.
    Object,
    /// The elements follow, and an end.
    List,
    End,
}

/// The values of one response, with a budget of its size as JSON.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    tokens: Vec<Token>,
    texts: Vec<u8>,
    /// The field whose value comes next.
    field: u32,
    /// The length of the response as JSON, so that one budget covers both forms.
    length: u64,
    budget: u64,
    /// The length at which the limits are checked again.
    most: u64,
    held: Hold,
    work: WorkLimit,
    /// The numbers of tokens and of bytes at which the room is checked again.
    room: (usize, usize),
    /// The expected numbers of both.
    expected: (usize, usize),
}

/// The reservation of a tape. A copy of the tape has one of its own.
#[derive(Debug, Default)]
struct Hold(MemoryReservation);

/// A position on a tape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TapeMark {
    tokens: usize,
    texts: usize,
    field: u32,
    length: u64,
}

/// A complete response on a tape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    pub tokens: Vec<Token>,
    /// The texts of leaves, which are ranges of it.
    pub texts: Vec<u8>,
    /// The length of the response as JSON.
    pub length: u64,
}

impl Clone for Hold {
    fn clone(&self) -> Self {
        Self(self.0.another())
    }
}

fn narrow(length: usize) -> u32 {
    // Responses are limited far below.
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl Tape {
    /// An empty tape. `budget` limits the response's length as JSON.
    #[must_use]
    pub fn new(budget: u64, held: MemoryReservation) -> Self {
        Self { budget, most: budget, held: Hold(held), ..Self::default() }
    }

    /// The same tape with expected numbers of tokens and bytes, which are allocated at the first
    /// growth.
    #[must_use]
    pub fn expecting(self, tokens: usize, texts: usize) -> Self {
        Self { expected: (tokens, texts), ..self }
    }

    #[inline]
    fn push(&mut self, kind: TokenKind) {
        self.tokens.push(Token { field: self.field, kind });
    }

    /// Called a few times per response: memory is reserved before it is allocated. While tokens or
    /// texts grow, both buffers exist.
    #[cold]
    fn make_room(&mut self) -> Result<(), Full> {
        if self.length > self.budget {
            return Err(TooLarge::Answer { budget: self.budget }.into());
        }
        self.work.check(self.length)?;
        self.most = self.budget.min(self.work.end);
        self.grow(0, 0)
    }

    /// Grows both to their next capacities, or by so much more if that is more.
    fn grow(&mut self, more_tokens: usize, more_texts: usize) -> Result<(), Full> {
        let size = |tokens: usize, texts: usize| (tokens * TOKEN + texts) as u64;
        let before = (self.tokens.capacity(), self.texts.capacity());
        let tokens = room_after((self.tokens.len(), before.0), self.expected.0, TOKEN);
        let texts = room_after((self.texts.len(), before.1), self.expected.1, 1);
        let tokens = tokens.max(self.tokens.len() + more_tokens);
        let texts = texts.max(self.texts.len() + more_texts);
        let Hold(held) = &mut self.held;
        held.grow_to(size(before.0 + tokens, before.1 + texts)).map_err(TooLarge::from)?;
        self.tokens.reserve_exact(tokens.saturating_sub(self.tokens.len()));
        self.texts.reserve_exact(texts.saturating_sub(self.texts.len()));
        held.shrink_to(size(self.tokens.capacity(), self.texts.capacity()));
        let spare = |capacity: usize| capacity - capacity / SPARE;
        self.room = (spare(self.tokens.capacity()), spare(self.texts.capacity()));
        Ok(())
    }
}

/// The next capacity of a buffer that is not empty.
fn room_after((length, capacity): (usize, usize), expected: usize, size: usize) -> usize {
    if length <= capacity - capacity / SPARE && capacity > 0 {
        return capacity;
    }
    let wanted = capacity + growth(capacity * size) / size;
    wanted.max(expected).max(LEAST)
}

impl Output for Tape {
    type Mark = TapeMark;
    type Data = Recorded;

    #[inline]
    fn mark(&self) -> TapeMark {
        let Self { tokens, texts, field, length, .. } = self;
        TapeMark { tokens: tokens.len(), texts: texts.len(), field: *field, length: *length }
    }

    #[inline]
    fn roll_back(&mut self, mark: TapeMark) -> Result<(), AlreadySent> {
        self.tokens.truncate(mark.tokens);
        self.texts.truncate(mark.texts);
        self.field = mark.field;
        self.length = mark.length;
        Ok(())
    }

    /// Nothing was sent, and the texts stay where they are.
    fn repeat(&mut self, (start, end): (TapeMark, TapeMark)) -> bool {
        if start.tokens >= end.tokens || end.tokens > self.tokens.len() {
            return false;
        }
        // Writing it again makes room on its way.
        if end.tokens - start.tokens > self.tokens.capacity() - self.tokens.len() {
            return false;
        }
        let begin = self.tokens.len();
        self.tokens.extend_from_within(start.tokens..end.tokens);
        let (field, first) = (self.field, self.tokens.get_mut(begin));
        first.into_iter().for_each(|first| first.field = field);
        self.length += end.length - start.length;
        true
    }

    #[inline]
    fn check_budget(&mut self, _: bool) -> Result<(), Full> {
        let (tokens, texts) = self.room;
        let has_room = self.tokens.len() <= tokens && self.texts.len() <= texts;
        if has_room && self.length <= self.most { Ok(()) } else { self.make_room() }
    }

    fn limit_work(&mut self, bytes: Option<u64>) {
        self.work = WorkLimit::default();
        if let Some(bytes) = bytes {
            self.work.end = self.length.saturating_add(bytes);
        }
        self.most = self.budget.min(self.work.end);
    }

    fn watch(&mut self, abandoned: Arc<AtomicBool>) {
        self.work = WorkLimit::watching(abandoned, self.length);
        self.most = self.budget.min(self.work.end);
    }

    #[inline]
    fn has_room(&self, bytes: usize) -> bool {
        bytes <= self.texts.capacity() - self.texts.len()
    }

    fn reserve(&mut self, bytes: usize) -> Result<(), Full> {
        if Output::has_room(self, bytes) { Ok(()) } else { self.grow(0, bytes) }
    }

    fn reserve_sorted(&mut self, start: usize, elements: usize) -> Result<(), Full> {
        let written = self.tokens.len().saturating_sub(start);
        if elements > self.tokens.capacity() - self.tokens.len() {
            self.grow(elements, 0)?;
        }
        let taken = (self.tokens.capacity() + written) * TOKEN + self.texts.capacity();
        self.held.0.grow_to(taken as u64).map_err(TooLarge::from)?;
        Ok(())
    }

    fn has_sent(&self) -> bool {
        false
    }

    fn budget(&self) -> u64 {
        self.budget
    }

    fn another_held(&self) -> MemoryReservation {
        self.held.0.another()
    }

    fn into_parts(self) -> (Recorded, MemoryReservation) {
        let Self { tokens, texts, length, held: Hold(held), .. } = self;
        (Recorded { tokens, texts, length }, held)
    }

    #[inline]
    fn begin_object(&mut self) {
        self.push(TokenKind::Object);
        self.length += 1;
    }

    #[inline]
    fn first_key(&mut self, field: &ShapeField, number: u32) {
        self.field = number;
        self.length += field.key().len() as u64;
    }

    #[inline]
    fn next_key(&mut self, field: &ShapeField, number: u32) {
        self.field = number;
        self.length += field.next_key().len() as u64;
    }

    #[inline]
    fn end_object(&mut self) {
        self.push(TokenKind::End);
        self.length += 1;
    }

    #[inline]
    fn begin_list(&mut self) {
        self.push(TokenKind::List);
        self.length += 1;
    }

    #[inline]
    fn next_element(&mut self) {
        self.length += 1;
    }

    #[inline]
    fn end_list(&mut self) {
        self.push(TokenKind::End);
        self.length += 1;
    }

    #[inline]
    fn null(&mut self) {
        self.push(TokenKind::Null);
        self.length += 4;
    }

    #[inline]
    fn text(&mut self) -> &mut Vec<u8> {
        &mut self.texts
    }

    #[inline]
    fn end_text(&mut self, start: usize) {
        let end = self.texts.len();
        if let Some(first) = self.texts.get(start).copied() {
            self.push(TokenKind::Leaf { first, start: narrow(start), end: narrow(end) });
            self.length += (end - start) as u64;
        }
    }

    fn begin_sorted(&mut self) -> usize {
        self.begin_list();
        self.tokens.len()
    }

    fn begin_sorted_element(&mut self) -> usize {
        self.tokens.len()
    }

    fn end_sorted_element(&self) -> usize {
        self.tokens.len()
    }

    fn end_sorted(&mut self, start: usize, elements: &[Option<Span>]) -> bool {
        let mut end = start;
        let is_in_order = elements.iter().all(|element| match element {
            Some((from, to)) if *from == end => {
                end = *to;
                true
            }
            Some(_) | None => false,
        });
        if !is_in_order {
            let written = self.tokens.split_off(start);
            self.tokens.reserve(written.len() + elements.len());
            for element in elements {
                let element = element.and_then(|(from, to)| written.get(from - start..to - start));
                match element {
                    Some(tokens) => self.tokens.extend_from_slice(tokens),
                    None => self.null(),
                }
            }
        }
        // The commas between them are countable now.
        self.length += elements.len().saturating_sub(1) as u64;
        self.end_list();
        !is_in_order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryBudget;

    /// The JSON of a tape.
    fn json(recorded: &Recorded, names: &[&str]) -> String {
        let mut text = String::new();
        // For each open container: true for objects.
        let mut open: Vec<bool> = Vec::new();
        for token in &recorded.tokens {
            if token.kind == TokenKind::End {
                text.push(if open.pop() == Some(true) { '}' } else { ']' });
                continue;
            }
            if !text.is_empty() && !text.ends_with(['{', '[']) {
                text.push(',');
            }
            if open.last() == Some(&true) {
                text.push_str(names[token.field as usize]);
                text.push(':');
            }
            match token.kind {
                TokenKind::Null => text.push_str("null"),
                TokenKind::Leaf { first, start, end } => {
                    let leaf = &recorded.texts[start as usize..end as usize];
                    assert_eq!(leaf.first(), Some(&first));
                    text.push_str(str::from_utf8(leaf).unwrap());
                }
                TokenKind::Object => {
                    text.push('{');
                    open.push(true);
                }
                TokenKind::List => {
                    text.push('[');
                    open.push(false);
                }
                TokenKind::End => {}
            }
        }
        text
    }

    fn field(name: &str) -> ShapeField {
        ShapeField::new(name, crate::shape::NodeId(0), true)
    }

    fn leaf(tape: &mut Tape, text: &str) {
        let out = tape.text();
        let start = out.len();
        out.extend_from_slice(text.as_bytes());
        tape.end_text(start);
    }

    fn tape() -> Tape {
        Tape::new(u64::MAX, MemoryReservation::default())
    }

    #[test]
    fn a_token_has_two_words() {
        assert_eq!(TOKEN, 2 * size_of::<u64>());
    }

    #[test]
    fn what_is_taken_back_leaves_the_field_whose_value_it_was() {
        let mut tape = tape();
        tape.begin_object();
        tape.first_key(&field("a"), 0);
        leaf(&mut tape, "1");
        tape.next_key(&field("b"), 1);
        let mark = tape.mark();
        tape.begin_object();
        tape.first_key(&field("c"), 2);
        leaf(&mut tape, "\"x\"");
        assert_eq!(tape.roll_back(mark), Ok(()));
        tape.null();
        tape.end_object();
        let (recorded, _) = tape.into_parts();
        let text = json(&recorded, &["a", "b", "c"]);
        assert_eq!(text, "{a:1,b:null}");
        assert_eq!((recorded.texts.as_slice(), recorded.length), (&b"1"[..], 16));
    }

    #[test]
    fn a_list_that_comes_again_shares_its_texts() {
        let mut tape = tape();
        tape.begin_object();
        tape.first_key(&field("a"), 0);
        let start = tape.mark();
        tape.begin_list();
        leaf(&mut tape, "1");
        tape.next_element();
        leaf(&mut tape, "2");
        tape.end_list();
        let list = (start, tape.mark());
        tape.next_key(&field("b"), 1);
        // Without room, the list is written again, and makes room on its way.
        assert!(!tape.repeat(list));
        tape.tokens.reserve(4);
        assert!(tape.repeat(list));
        tape.end_object();
        let (recorded, _) = tape.into_parts();
        let text = json(&recorded, &["a", "b"]);
        assert_eq!(text, "{a:[1,2],b:[1,2]}");
        assert_eq!(recorded.texts, b"12");
        assert_eq!(recorded.length, r#"{"a":[1,2],"b":[1,2]}"#.len() as u64);
    }

    #[test]
    fn elements_come_in_the_order_of_their_list() {
        let sorted = |places: &[usize], length: usize| {
            let mut tape = tape();
            let start = tape.begin_sorted();
            let mut spans = vec![None; length];
            for place in places {
                let from = tape.begin_sorted_element();
                tape.begin_object();
                tape.first_key(&field("a"), 0);
                leaf(&mut tape, &place.to_string());
                tape.end_object();
                spans[*place] = Some((from, tape.end_sorted_element()));
            }
            let has_moved = tape.end_sorted(start, &spans);
            let (recorded, _) = tape.into_parts();
            let text = json(&recorded, &["a"]);
            // Names are quoted there.
            assert_eq!(recorded.length, (text.len() + 2 * places.len()) as u64);
            (text, has_moved)
        };
        assert_eq!(sorted(&[], 0), ("[]".into(), false));
        assert_eq!(sorted(&[0, 1], 2), ("[{a:0},{a:1}]".into(), false));
        assert_eq!(sorted(&[1, 0], 2), ("[{a:0},{a:1}]".into(), true));
        assert_eq!(sorted(&[2, 0], 4), ("[{a:0},null,{a:2},null]".into(), true));
        assert_eq!(sorted(&[0], 2), ("[{a:0},null]".into(), true));
    }

    #[test]
    fn an_answer_is_too_large_when_it_would_be_as_json() {
        let mut tape = Tape::new(16, MemoryReservation::default());
        tape.begin_list();
        for _ in 0..7 {
            leaf(&mut tape, "1");
            tape.next_element();
            assert_eq!(tape.check_budget(false), Ok(()));
        }
        leaf(&mut tape, "12");
        let refused = TooLarge::Answer { budget: 16 };
        assert_eq!(tape.check_budget(false), Err(refused.into()));
    }

    #[test]
    fn a_long_tape_holds_its_memory_until_it_is_gone() {
        let memory = MemoryBudget::new(64 << 20);
        let mut tape = Tape::new(u64::MAX, MemoryReservation::of(&memory));
        tape.begin_list();
        for _ in 0..100_000 {
            leaf(&mut tape, "\"some text\"");
            tape.next_element();
            assert_eq!(tape.check_budget(true), Ok(()));
            let taken = tape.tokens.capacity() * TOKEN + tape.texts.capacity();
            // Unreserved growth is small.
            assert!(taken as u64 <= memory.held().max(128 << 10));
        }
        let (recorded, held) = tape.into_parts();
        assert_eq!(held.bytes(), memory.held());
        drop((recorded, held));
        assert_eq!(memory.held(), 0);
        memory.set_most(1 << 20);
        let mut tape = Tape::new(u64::MAX, MemoryReservation::of(&memory));
        let refused = loop {
            leaf(&mut tape, "\"some text\"");
            if let Err(refused) = tape.check_budget(true) {
                break refused;
            }
        };
        assert!(matches!(refused, Full::TooLarge(TooLarge::Together(_))));
    }
}
