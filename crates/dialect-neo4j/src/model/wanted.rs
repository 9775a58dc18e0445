//! Conditions on nodes as version 3's `@auth` says them: which values fields have.

use super::Constant;

/// A condition; fields are named by their places in the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    All(Vec<Wanted>),
    Any(Vec<Wanted>),
    Value {
        field: usize,
        value: WantedValue,
    },
    /// There are related nodes, and one of them passes, or all do.
    Related {
        field: usize,
        every: bool,
        of: Box<Wanted>,
    },
}

/// What a field has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedValue {
    /// It has no value.
    Nothing,
    /// The value of a claim, by the way to it.
    Claim(Box<str>),
    Constant(Constant),
}

impl Wanted {
    /// The claims that values are compared with.
    pub(crate) fn claims<'w>(&'w self, all: &mut Vec<&'w str>) {
        match self {
            Self::All(several) | Self::Any(several) => {
                several.iter().for_each(|one| one.claims(all));
            }
            Self::Value { value: WantedValue::Claim(claim), .. } => all.push(claim),
            Self::Value { value: WantedValue::Nothing | WantedValue::Constant(_), .. } => {}
            Self::Related { of, .. } => of.claims(all),
        }
    }
}
