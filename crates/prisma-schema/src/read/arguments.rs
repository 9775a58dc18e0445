//! Arguments of attributes by their names.

use crate::mistake::Collected;
use crate::syntax::{Argument, Attribute, Expression, ExpressionKind};

/// The arguments of an attribute. What nothing has asked for is a mistake in the end.
pub(super) struct Arguments<'a> {
    attribute: &'a Attribute,
    /// `@` or `@@`.
    sign: &'static str,
    taken: Vec<bool>,
    known: Vec<&'static str>,
}

impl<'a> Arguments<'a> {
    /// Of an attribute of a field.
    pub(super) fn of_field(attribute: &'a Attribute) -> Self {
        Self::new(attribute, "@")
    }

    /// Of an attribute of a block.
    pub(super) fn of_block(attribute: &'a Attribute) -> Self {
        Self::new(attribute, "@@")
    }

    fn new(attribute: &'a Attribute, sign: &'static str) -> Self {
        let taken = vec![false; attribute.arguments.len()];
        Self { attribute, sign, taken, known: Vec::new() }
    }

    fn take(&mut self, is_wanted: impl Fn(&Argument) -> bool) -> Option<&'a Expression> {
        let arguments = self.attribute.arguments.iter().zip(&mut self.taken);
        let (argument, taken) =
            arguments.into_iter().find(|(argument, taken)| !**taken && is_wanted(argument))?;
        *taken = true;
        Some(&argument.value)
    }

    /// An argument with a name.
    pub(super) fn named(&mut self, name: &'static str) -> Option<&'a Expression> {
        self.known.push(name);
        self.take(|argument| argument.name.as_ref().is_some_and(|own| own.text == name))
    }

    /// An argument with a name, or the first one without any.
    pub(super) fn first(&mut self, name: &'static str) -> Option<&'a Expression> {
        let named = self.named(name);
        named.or_else(|| self.take(|argument| argument.name.is_none()))
    }

    /// The same as a string. Another value, or none, is a mistake.
    pub(super) fn first_text(
        &mut self,
        name: &'static str,
        mistakes: &mut Collected,
    ) -> Option<&'a str> {
        let found = self.first(name);
        let text = found.and_then(Expression::text).filter(|text| !text.is_empty());
        if text.is_none() {
            let at = found.map_or(self.attribute.name.at, |found| found.at);
            let (sign, own) = (self.sign, &self.attribute.name.text);
            mistakes.add(at, format!("write the {name} as in {sign}{own}(\"…\")."));
        }
        text
    }

    /// An argument as a string, if it is there.
    pub(super) fn text(&mut self, name: &'static str, mistakes: &mut Collected) -> Option<&'a str> {
        let found = self.named(name)?;
        let text = found.text();
        if text.is_none() {
            mistakes.add(found.at, format!("`{name}` is a string: write \"…\"."));
        }
        text
    }

    /// Arguments that describe the database's own objects, and change no name.
    pub(super) fn of_database(&mut self, names: &[&'static str]) {
        for name in names {
            self.named(name);
        }
    }

    /// Reports the arguments that nothing has asked for.
    pub(super) fn finish(self, mistakes: &mut Collected) {
        let (sign, own) = (self.sign, &self.attribute.name.text);
        for (argument, taken) in self.attribute.arguments.iter().zip(&self.taken) {
            if *taken {
                continue;
            }
            match &argument.name {
                Some(name) if self.known.contains(&&*name.text) => {
                    let message = format!("`{}` is there twice: remove one.", name.text);
                    mistakes.add(name.at, message);
                }
                Some(name) => {
                    let known = match self.known.as_slice() {
                        [] => "it has none".to_owned(),
                        known => format!("it has {}", known.join(", ")),
                    };
                    mistakes.add(
                        name.at,
                        format!("{sign}{own} has no argument `{}`: {known}.", name.text),
                    );
                }
                None => mistakes.add(
                    argument.value.at,
                    format!("{sign}{own} has no such argument: remove it."),
                ),
            }
        }
    }
}

/// Names of fields in a list: `[title, slug(length: 10)]`. One field needs no list.
pub(super) fn field_names(value: &Expression, mistakes: &mut Collected) -> Vec<(usize, String)> {
    let values = match &value.kind {
        ExpressionKind::List(values) => values.as_slice(),
        _ => std::slice::from_ref(value),
    };
    let mut names = Vec::new();
    for (index, value) in values.iter().enumerate() {
        match &value.kind {
            ExpressionKind::Path(name) | ExpressionKind::Call(name) => {
                names.push((index, name.clone()));
            }
            _ => mistakes.add(value.at, "write the name of a field."),
        }
    }
    names
}

/// The places of the values of [`field_names`].
pub(super) fn place(value: &Expression, index: usize) -> crate::mistake::At {
    match &value.kind {
        ExpressionKind::List(values) => values.get(index).map_or(value.at, |value| value.at),
        _ => value.at,
    }
}
