//! What type definitions cannot say of a graph: a line of a comment, and a note.

use catalog::{Note, NoteKind};

use super::properties::{Reason, Unfit};
use super::text::quoted;

/// Something that is in the graph and in no definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Nodes without a label.
    Unlabelled {
        count: u64,
    },
    /// Relationships of these types have an end without a label.
    LooseEnds {
        r#type: Box<str>,
    },
    /// Nodes with the label have neither a property nor a relationship that could be a field.
    NoField {
        label: Box<str>,
    },
    IndexOfNothing {
        index: Box<str>,
        label: Box<str>,
    },
    IndexOfNoField {
        index: Box<str>,
        label: Box<str>,
    },
}

impl Finding {
    /// A line of a comment.
    pub(super) fn line(&self) -> String {
        ["Left out: ", &self.what(), "."].concat()
    }

    pub(super) fn note(&self) -> Note {
        let (subject, remedy) = match self {
            Self::Unlabelled { .. } => ("nodes".into(), "give the nodes a label."),
            Self::LooseEnds { r#type } => (shown(r#type), "give the nodes a label."),
            Self::NoField { label } => (shown(label), "give the nodes a property."),
            Self::IndexOfNothing { index, .. } => (
                shown(index),
                "write the type by hand, or read the graph again when there are such nodes.",
            ),
            Self::IndexOfNoField { index, .. } => (
                shown(index),
                "write the property of the index into the type by hand, or drop the index.",
            ),
        };
        Note {
            kind: NoteKind::LeftOut,
            subject: subject.into(),
            message: [&*self.what(), "."].concat().into(),
            remedy: remedy.into(),
        }
    }

    fn what(&self) -> String {
        match self {
            Self::Unlabelled { count } => {
                format!("nodes without a label, of which there are {count} at least")
            }
            Self::LooseEnds { r#type } => {
                format!("relationships {} from or to nodes without a label", quoted(r#type))
            }
            Self::NoField { label } => {
                let label = quoted(label);
                format!("nodes with the label {label}, which have nothing that could be a field")
            }
            Self::IndexOfNothing { index, label } => {
                let (index, label) = (quoted(index), quoted(label));
                format!("the index {index}, as no node has the label {label}")
            }
            Self::IndexOfNoField { index, label } => {
                let (index, label) = (quoted(index), quoted(label));
                format!("the index {index} of the label {label}, over nothing that is a field")
            }
        }
    }
}

/// The line that says of a type why a property is no field.
pub(super) fn line_of(unfit: &Unfit<'_>) -> String {
    ["Left out: ", &quoted(unfit.property), ", ", &why(&unfit.reason), "."].concat()
}

/// The same as a note, for a type.
pub(super) fn note_of(type_name: &str, unfit: &Unfit<'_>) -> Note {
    let remedy = match unfit.reason {
        Reason::SeveralTypes(_) => "make its values those of one type.",
        Reason::UnknownType(_) => "store what the API is to show in another type.",
        Reason::OnlyEmptyLists => "write the property into the type by hand.",
    };
    Note {
        kind: NoteKind::LeftOut,
        subject: [type_name, ".", &shown(unfit.property)].concat().into(),
        message: ["it is no field, ", &why(&unfit.reason), "."].concat().into(),
        remedy: remedy.into(),
    }
}

fn why(reason: &Reason) -> String {
    match reason {
        Reason::SeveralTypes(types) => {
            ["as its values are of several types: ", &types.join(", ")].concat()
        }
        Reason::UnknownType(name) => format!("as its values are of the type {}", quoted(name)),
        Reason::OnlyEmptyLists => "as all its values are empty lists".to_owned(),
    }
}

/// A name of the graph as it is, unless somebody might take it for something else.
fn shown(name: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || character == '_';
    if !name.is_empty() && name.chars().all(is_plain) { name.to_owned() } else { quoted(name) }
}
