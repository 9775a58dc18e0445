//! Macros that define an object, a closed set or an alternative of metadata once: its type, its
//! keys, how it is read and how it is written.
//!
//! Serde's derive was weighed: it stops at the first error and keeps no places.

/// Defines an object: a structure with its place, and a field for each key, in the order in which
/// Hasura writes them. The word before a field says what the absence of its key means:
///
/// | word | absent or null | written |
/// |---|---|---|
/// | `required` | a problem | always |
/// | `required_list` | a problem | always, sorted by the parts' names, which are unique |
/// | `optional` | `None` | if there is a value |
/// | `nullable` | `None` | always, if need be as null |
/// | `default` | the type's default | unless it is the default |
/// | `list` | an empty list | unless it is empty, sorted by the parts' names, which are unique |
/// | `ordered` | an empty list | unless it is empty; the parts' names are unique |
/// | `always (value)` | the value | always |
/// | `omitted (value)` | the value | unless it is that value |
///
/// `then function` names a function that checks or completes the object after it was read.
macro_rules! object {
    (
        $(#[$meta:meta])*
        $name:ident $(, then $then:path)? {
            $(
                $(#[$field_meta:meta])*
                $mode:ident $field:ident: $type:ty = $key:literal $(($default:expr))?
            ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            pub place: $crate::location::Location,
            $( $(#[$field_meta])* pub $field: object!(@type $mode $type), )*
        }

        impl $name {
            pub(crate) const KEYS: &'static [&'static str] = &[$($key),*];
        }

        impl $crate::reader::Read for $name {
            fn read(
                node: &$crate::node::Node,
                reader: &mut $crate::reader::Reader,
            ) -> Option<Self> {
                let object = reader.object(node, stringify!($name), Self::KEYS)?;
                // All keys are read before the first `?`, so that all problems are reported.
                $(
                    let $field: Option<object!(@type $mode $type)> =
                        object!(@read $mode $type, reader, object, $key $(, $default)?);
                )*
                #[allow(unused_mut)]
                let mut value = Self { place: reader.place(&node.mark), $( $field: $field? ),* };
                $( $then(&mut value, reader)?; )?
                Some(value)
            }

            fn describe(description: &mut $crate::reader::Description) {
                if description.add(stringify!($name), Self::KEYS) {
                    $( <$type as $crate::reader::Read>::describe(description); )*
                }
            }
        }

        impl $crate::primitive::Write for $name {
            fn write(&self) -> $crate::json::Json {
                let members = [
                    $(
                        object!(@write $mode &self.$field $(, $default)?)
                            .map(|value| ($key.to_owned(), value)),
                    )*
                ];
                $crate::json::Json::Object(members.into_iter().flatten().collect())
            }
        }
    };

    (@type required $type:ty) => { $type };
    (@type required_list $type:ty) => { Vec<$type> };
    (@type optional $type:ty) => { Option<$type> };
    (@type nullable $type:ty) => { Option<$type> };
    (@type default $type:ty) => { $type };
    (@type list $type:ty) => { Vec<$type> };
    (@type ordered $type:ty) => { Vec<$type> };
    (@type always $type:ty) => { $type };
    (@type omitted $type:ty) => { $type };

    (@read required $type:ty, $reader:ident, $object:ident, $key:literal) => {
        $reader.required::<$type>($object, $key)
    };
    (@read required_list $type:ty, $reader:ident, $object:ident, $key:literal) => {
        $reader
            .required::<Vec<$type>>($object, $key)
            .inspect(|items| $crate::reader::report_duplicates(items, $reader))
    };
    (@read optional $type:ty, $reader:ident, $object:ident, $key:literal) => {
        $reader.optional::<$type>($object, $key)
    };
    (@read nullable $type:ty, $reader:ident, $object:ident, $key:literal) => {
        $reader.optional::<$type>($object, $key)
    };
    (@read default $type:ty, $reader:ident, $object:ident, $key:literal) => {
        $reader.with_default::<$type>($object, $key, Default::default())
    };
    (@read list $type:ty, $reader:ident, $object:ident, $key:literal) => {
        $reader
            .with_default::<Vec<$type>>($object, $key, Vec::new())
            .inspect(|items| $crate::reader::report_duplicates(items, $reader))
    };
    (@read ordered $type:ty, $reader:ident, $object:ident, $key:literal) => {
        object!(@read list $type, $reader, $object, $key)
    };
    (@read always $type:ty, $reader:ident, $object:ident, $key:literal, $default:expr) => {
        $reader.with_default::<$type>($object, $key, $default)
    };
    (@read omitted $type:ty, $reader:ident, $object:ident, $key:literal, $default:expr) => {
        $reader.with_default::<$type>($object, $key, $default)
    };

    (@write required $value:expr) => { Some($crate::primitive::Write::write($value)) };
    (@write required_list $value:expr) => { Some($crate::object::sorted($value)) };
    (@write optional $value:expr) => { $value.as_ref().map($crate::primitive::Write::write) };
    (@write nullable $value:expr) => {
        Some($value.as_ref().map_or($crate::json::Json::Null, $crate::primitive::Write::write))
    };
    (@write default $value:expr) => { $crate::object::unless($value, &Default::default()) };
    (@write list $value:expr) => {
        (!$value.is_empty()).then(|| $crate::object::sorted($value))
    };
    (@write ordered $value:expr) => { $crate::object::unless($value, &Vec::new()) };
    (@write always $value:expr, $default:expr) => {
        Some($crate::primitive::Write::write($value))
    };
    (@write omitted $value:expr, $default:expr) => { $crate::object::unless($value, &$default) };
}

/// Defines a closed set of texts; further texts after `|` are read only.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident = $text:literal $(| $other:literal)* ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $( $(#[$variant_meta])* $variant ),*
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$( Self::$variant ),*];
            pub(crate) const TEXTS: &'static [&'static str] = &[$( $text ),*];

            /// The text in metadata.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$variant => $text ),*
                }
            }

            /// The member of a text.
            #[must_use]
            pub fn find(text: &str) -> Option<Self> {
                match text {
                    $( $text $(| $other)* => Some(Self::$variant), )*
                    _ => None,
                }
            }
        }

        impl $crate::reader::Read for $name {
            fn read(
                node: &$crate::node::Node,
                reader: &mut $crate::reader::Reader,
            ) -> Option<Self> {
                let text = <String as $crate::reader::Read>::read(node, reader)?;
                let Some(value) = Self::find(&text) else {
                    return $crate::object::unknown_value(&text, Self::TEXTS, node, reader);
                };
                reader.note_unserved(&node.mark, stringify!($name), value.as_str());
                Some(value)
            }

            fn describe(description: &mut $crate::reader::Description) {
                description.add_choice(stringify!($name), Self::TEXTS);
            }
        }

        impl $crate::primitive::Write for $name {
            fn write(&self) -> $crate::json::Json {
                $crate::json::Json::String(self.as_str().to_owned())
            }
        }
    };
}

/// Defines an object with exactly one of several keys; before the keys, the variant for a text.
macro_rules! one_of {
    (
        $(#[$meta:meta])*
        $name:ident $(, text $text:ident)? {
            $( $(#[$variant_meta:meta])* $variant:ident($type:ty) = $key:literal ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $(
                /// A plain text.
                $text(String),
            )?
            $( $(#[$variant_meta])* $variant($type) ),*
        }

        impl $name {
            pub(crate) const KEYS: &'static [&'static str] = &[$($key),*];
        }

        impl $crate::reader::Read for $name {
            fn read(
                node: &$crate::node::Node,
                reader: &mut $crate::reader::Reader,
            ) -> Option<Self> {
                $(
                    if let $crate::node::Value::String(text) = &node.value {
                        return Some(Self::$text(text.clone()));
                    }
                )?
                let object = reader.object(node, stringify!($name), Self::KEYS)?;
                let mut found: Vec<Option<Self>> = Vec::new();
                $(
                    if object.find($key).is_some() {
                        found.push(reader.required::<$type>(object, $key).map(Self::$variant));
                    }
                )*
                match (found.pop(), found.is_empty()) {
                    (Some(value), true) => value,
                    _ => $crate::object::not_one(Self::KEYS, node, reader),
                }
            }

            fn describe(description: &mut $crate::reader::Description) {
                if description.add(stringify!($name), Self::KEYS) {
                    $( <$type as $crate::reader::Read>::describe(description); )*
                }
            }
        }

        impl $crate::primitive::Write for $name {
            fn write(&self) -> $crate::json::Json {
                let (key, value) = match self {
                    $( Self::$text(text) => return $crate::json::Json::String(text.clone()), )?
                    $( Self::$variant(value) => ($key, $crate::primitive::Write::write(value)), )*
                };
                $crate::json::Json::Object(vec![(key.to_owned(), value)])
            }
        }
    };
}

/// Names a part of lists: `keyed!(Table, "table", |table| table.table.sort_key())`.
macro_rules! keyed {
    ($type:ty, $noun:literal, $key:expr) => {
        impl $crate::reader::Keyed for $type {
            const NOUN: &'static str = $noun;

            fn key(&self) -> String {
                let key: fn(&Self) -> String = $key;
                key(self)
            }

            fn place(&self) -> &$crate::location::Location {
                &self.place
            }
        }
    };
}

use crate::json::Json;
use crate::node::Node;
use crate::primitive::Write;
use crate::reader::{Keyed, Reader};

/// Writes a list in the order of the parts' names.
pub(crate) fn sorted<T: Write + Keyed>(items: &[T]) -> Json {
    let mut items: Vec<&T> = items.iter().collect();
    items.sort_by_cached_key(|item| item.key());
    Json::Array(items.into_iter().map(T::write).collect())
}

/// Writes a value unless it is the default.
pub(crate) fn unless<T: Write + PartialEq>(value: &T, default: &T) -> Option<Json> {
    (value != default).then(|| value.write())
}

pub(crate) fn unknown_value<T>(
    text: &str,
    texts: &[&str],
    node: &Node,
    reader: &mut Reader,
) -> Option<T> {
    let remedy = match graphql::similar_names(text, texts.iter().copied()).first() {
        Some(similar) => format!("Did you mean {similar:?}?"),
        None => format!("The values are: {}.", texts.join(", ")),
    };
    reader.wrong(node, format!("The value {text:?} is unknown. {remedy}"))
}

pub(crate) fn not_one<T>(keys: &[&str], node: &Node, reader: &mut Reader) -> Option<T> {
    reader.wrong(node, format!("Exactly one of the keys {} is wanted.", keys.join(", ")))
}
