//! Fragments of subgraph documents: repeated selection sets are printed once, where that is
//! shorter.

use std::collections::VecDeque;
use std::rc::Rc;

use graphql::schema::{Schema, TypeId};
use rustc_hash::FxHashMap;

/// A selection set as a sequence of pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Pieces(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Piece {
    Text(String),
    /// The selection set of a field, `{…}`.
    Below(SetIndex),
    /// An inline fragment, `...on T{…}`.
    On(SetIndex),
}

/// Index of a selection set in its document.
type SetIndex = usize;

/// Distinct selection sets of a document, inner ones before outer ones.
#[derive(Debug, Default)]
pub(super) struct Texts {
    sets: Vec<(Option<TypeId>, Rc<Pieces>)>,
    known: FxHashMap<(Option<TypeId>, Rc<Pieces>), SetIndex>,
}

impl Pieces {
    pub(super) fn push(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            Some(Piece::Below(_) | Piece::On(_)) | None => self.0.push(Piece::Text(text.into())),
        }
    }

    /// Adds a space between two names.
    pub(super) fn separate(&mut self) {
        match self.0.last() {
            Some(Piece::Text(last)) if last.ends_with(is_of_name) => self.push(" "),
            // A fragment spread ends with a name.
            Some(Piece::On(_)) => self.push(" "),
            Some(Piece::Text(_) | Piece::Below(_)) | None => {}
        }
    }

    pub(super) fn below(&mut self, place: SetIndex) {
        self.0.push(Piece::Below(place));
    }

    pub(super) fn on(&mut self, place: SetIndex) {
        self.0.push(Piece::On(place));
    }

    fn places(&self) -> impl Iterator<Item = SetIndex> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Below(place) | Piece::On(place) => Some(*place),
        })
    }
}

fn is_of_name(character: char) -> bool {
    character == '_' || character.is_ascii_alphanumeric()
}

impl Texts {
    /// Adds a selection set on a type; without a type no fragment can replace it.
    pub(super) fn add(&mut self, on: Option<TypeId>, pieces: Pieces) -> SetIndex {
        let set = (on, Rc::new(pieces));
        if let Some(place) = self.known.get(&set) {
            return *place;
        }
        let place = self.sets.len();
        self.sets.push(set.clone());
        self.known.insert(set, place);
        place
    }

    /// Prints the operation's selection set and the fragments it uses.
    pub(super) fn print(mut self, schema: &Schema, root: Pieces, text: &mut String) {
        let root = self.add(None, root);
        let is_fragment = self.fragments(schema, root);
        let whole = self.written(schema, root, &vec![false; self.sets.len()]);
        let shared = match is_fragment.contains(&true) {
            true => self.written(schema, root, &is_fragment),
            false => whole.clone(),
        };
        text.push_str(if shared.len() < whole.len() { &shared } else { &whole });
    }

    /// Returns which selection sets become fragments.
    fn fragments(&self, schema: &Schema, root: SetIndex) -> Vec<bool> {
        let mut lengths: Vec<usize> = Vec::with_capacity(self.sets.len());
        for (_, pieces) in &self.sets {
            let length = pieces.0.iter().map(|piece| match piece {
                Piece::Text(text) => text.len(),
                Piece::Below(place) => 2 + lengths[*place],
                Piece::On(place) => "...on T{}".len() + lengths[*place],
            });
            lengths.push(length.sum());
        }
        let mut uses = vec![0_usize; self.sets.len()];
        let mut is_fragment = vec![false; self.sets.len()];
        uses[root] = 1;
        for place in (0..=root).rev() {
            let (on, pieces) = &self.sets[place];
            if let Some(on) = on {
                let beside = "fragment f1 on {}".len() + schema[*on].name.len();
                let saved = uses[place].saturating_sub(1) * lengths[place];
                is_fragment[place] =
                    uses[place] > 1 && saved > beside + uses[place] * "...f1".len();
            }
            let written = if is_fragment[place] { 1 } else { uses[place] };
            for below in pieces.places() {
                uses[below] += written;
            }
        }
        is_fragment
    }

    fn written(&self, schema: &Schema, root: SetIndex, is_fragment: &[bool]) -> String {
        let mut writer =
            Writer { texts: self, schema, is_fragment, named: Vec::new(), open: VecDeque::new() };
        let mut text = String::new();
        writer.set(root, &mut text);
        while let Some(place) = writer.open.pop_front() {
            let Some(on) = self.sets[place].0 else { continue };
            text.push_str("fragment ");
            writer.name(place, &mut text);
            text.push_str(" on ");
            text.push_str(&schema[on].name);
            writer.set(place, &mut text);
        }
        text
    }
}

struct Writer<'t> {
    texts: &'t Texts,
    schema: &'t Schema,
    is_fragment: &'t [bool],
    /// Fragments in the order of their names.
    named: Vec<SetIndex>,
    /// Fragments that are still to be printed.
    open: VecDeque<SetIndex>,
}

impl Writer<'_> {
    /// Recursion is bounded by the depth of the selections.
    fn set(&mut self, place: SetIndex, text: &mut String) {
        text.push('{');
        let pieces = Rc::clone(&self.texts.sets[place].1);
        for piece in &pieces.0 {
            match piece {
                Piece::Text(own) => text.push_str(own),
                Piece::Below(place) if self.is_fragment[*place] => {
                    text.push('{');
                    self.spread(*place, text);
                    text.push('}');
                }
                Piece::Below(place) => self.set(*place, text),
                Piece::On(place) if self.is_fragment[*place] => self.spread(*place, text),
                Piece::On(place) => {
                    let on = self.texts.sets[*place].0;
                    if let Some(on) = on {
                        text.push_str("...on ");
                        text.push_str(&self.schema[on].name);
                    }
                    self.set(*place, text);
                }
            }
        }
        text.push('}');
    }

    fn spread(&mut self, place: SetIndex, text: &mut String) {
        text.push_str("...");
        self.name(place, text);
    }

    fn name(&mut self, place: SetIndex, text: &mut String) {
        let known = self.named.iter().position(|named| *named == place);
        let number = known.unwrap_or_else(|| {
            self.named.push(place);
            self.open.push_back(place);
            self.named.len() - 1
        });
        text.push('f');
        text.push_str(&(number + 1).to_string());
    }
}
