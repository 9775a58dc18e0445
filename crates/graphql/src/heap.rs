//! Heap sizes of values, for caches that are bounded by bytes.
//!
//! They count the requested sizes, without the allocator's overhead. A type lists its fields by
//! [`heap_size!`](crate::heap_size), which requires all of them, so that a new one is not
//! forgotten.

use std::sync::Arc;

use serde_json_bytes::{ByteString, Map, Value as Json};

/// A value with a countable heap size.
pub trait HeapSize {
    /// The bytes on the heap, without those of the value itself. Data shared with the schema, such
    /// as names, is not counted.
    fn heap_size(&self) -> usize;
}

/// Implements [`HeapSize`] for structs and enums as the sum of their fields; `plain` ones have
/// none, and `shared` ones are counted elsewhere.
#[macro_export]
macro_rules! heap_size {
    (plain $($name:ty),+ $(,)?) => {$(
        impl $crate::heap::HeapSize for $name {
            fn heap_size(&self) -> usize {
                0
            }
        }
    )+};
    (struct $name:ident { $($field:ident),* $(,)? $(; shared $($other:ident),+ $(,)?)? }) => {
        impl $crate::heap::HeapSize for $name {
            fn heap_size(&self) -> usize {
                let Self { $($field,)* $($($other: _,)+)? } = self;
                0 $(+ $crate::heap::HeapSize::heap_size($field))*
            }
        }
    };
    (struct $name:ident(_)) => {
        impl $crate::heap::HeapSize for $name {
            fn heap_size(&self) -> usize {
                let Self(inner) = self;
                $crate::heap::HeapSize::heap_size(inner)
            }
        }
    };
    (enum $name:ident {
        $($variant:ident $(($($value:ident),+))? $({ $($field:ident),+ })?),+ $(,)?
    }) => {
        impl $crate::heap::HeapSize for $name {
            fn heap_size(&self) -> usize {
                match self {$(
                    Self::$variant $(($($value),+))? $({ $($field),+ })? => {
                        0 $($(+ $crate::heap::HeapSize::heap_size($value))+)?
                            $($(+ $crate::heap::HeapSize::heap_size($field))+)?
                    }
                )+}
            }
        }
    };
}

/// The counters of an [`Arc`] beside its value.
const COUNTERS: usize = 2 * size_of::<usize>();

/// The bytes of an [`Arc`] with a single owner.
#[must_use]
pub fn of_arc<T: HeapSize>(value: &Arc<T>) -> usize {
    COUNTERS + size_of::<T>() + (**value).heap_size()
}

heap_size!(plain(), bool, u8, u16, u32, u64, usize, i64, f64);

/// Names are shared with the schema that they come from.
impl HeapSize for Arc<str> {
    fn heap_size(&self) -> usize {
        0
    }
}

impl HeapSize for str {
    fn heap_size(&self) -> usize {
        0
    }
}

impl HeapSize for String {
    fn heap_size(&self) -> usize {
        self.capacity()
    }
}

impl<T: HeapSize + ?Sized> HeapSize for Box<T> {
    fn heap_size(&self) -> usize {
        size_of_val(&**self) + (**self).heap_size()
    }
}

impl<T: HeapSize> HeapSize for [T] {
    fn heap_size(&self) -> usize {
        self.iter().map(HeapSize::heap_size).sum()
    }
}

impl<T: HeapSize> HeapSize for Vec<T> {
    fn heap_size(&self) -> usize {
        self.capacity() * size_of::<T>() + self.as_slice().heap_size()
    }
}

impl<T: HeapSize> HeapSize for Option<T> {
    fn heap_size(&self) -> usize {
        self.as_ref().map_or(0, HeapSize::heap_size)
    }
}

impl<A: HeapSize, B: HeapSize> HeapSize for (A, B) {
    fn heap_size(&self) -> usize {
        self.0.heap_size() + self.1.heap_size()
    }
}

impl<A: HeapSize, B: HeapSize, C: HeapSize> HeapSize for (A, B, C) {
    fn heap_size(&self) -> usize {
        self.0.heap_size() + self.1.heap_size() + self.2.heap_size()
    }
}

impl HeapSize for Json {
    fn heap_size(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => 0,
            Self::String(text) => text.as_str().len(),
            Self::Array(items) => items.heap_size(),
            Self::Object(members) => members.heap_size(),
        }
    }
}

impl HeapSize for Map<ByteString, Json> {
    fn heap_size(&self) -> usize {
        // A table of the members, and one of their places.
        let members = self.iter().map(|(name, value)| {
            let entry = size_of::<(usize, ByteString, Json)>() + size_of::<usize>() + 1;
            entry + name.as_str().len() + value.heap_size()
        });
        members.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Named {
        name: Box<str>,
        lists: Vec<Vec<u32>>,
        of_schema: Arc<str>,
    }

    enum Either {
        Nothing,
        Text(Box<str>),
        Both { one: Box<u64>, other: Option<String> },
    }

    heap_size!(struct Named { name, lists; shared of_schema });
    heap_size!(enum Either { Nothing, Text(text), Both { one, other } });

    #[test]
    fn what_is_kept_on_the_heap_is_counted() {
        let mut lists = Vec::with_capacity(3);
        lists.push(Vec::with_capacity(5));
        let named = Named { name: "four".into(), lists, of_schema: "schema".into() };
        assert_eq!(&*named.of_schema, "schema");
        assert_eq!(named.heap_size(), 4 + 3 * size_of::<Vec<u32>>() + 5 * 4);
        let both = Either::Both { one: Box::new(1), other: Some("three".to_owned()) };
        let all = [Either::Nothing, Either::Text("two".into()), both];
        assert_eq!(all.each_ref().map(HeapSize::heap_size), [0, 3, 8 + 5]);
        let boxed: Box<[Either]> = all.into();
        assert_eq!(boxed.heap_size(), 3 * size_of::<Either>() + 16);
    }
}
