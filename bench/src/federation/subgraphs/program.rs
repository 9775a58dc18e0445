//! A document compiled for a subgraph: what stands in an answer, in its order.
//!
//! Nothing of the shop changes, so what a selection set says of an object is written once and
//! copied from then on, unless an argument of the request or a representation has a say in it.

mod compile;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::document::{Document, Given};
use super::schema::{Edge, Leaf, Type};
use super::shop::{AUTHOR, BIRTHDAY, Data, PRODUCTS, REVIEWS, Subgraph, USERS, at, key};
use compile::Compiler;

/// `topProducts`, where `first` is not said.
const TOP: usize = 5;

/// The program of one operation, for one set of conditions.
#[derive(Debug)]
pub(super) struct Program {
    subgraph: Subgraph,
    data: Data,
    sets: Vec<Set>,
    root: usize,
}

/// A selection set on objects of one type.
#[derive(Debug)]
struct Set {
    fields: Vec<Field>,
    /// The text of each object where it does not depend on the request; by place.
    prepared: Option<Vec<OnceCell<Vec<u8>>>>,
}

#[derive(Debug)]
struct Field {
    /// In quotes, with its colon.
    key: String,
    value: FieldValue,
}

#[derive(Debug)]
enum FieldValue {
    Leaf(Leaf),
    Edge { edge: Edge, argument: Option<Given>, sets: BTreeMap<Type, usize> },
}

/// One of the things of the shop.
#[derive(Clone, Copy, Debug)]
struct Object {
    of: Type,
    /// Among those of its type.
    place: usize,
}

/// The target of an edge.
enum Reached {
    One(Option<Object>),
    Many(Vec<Object>),
    /// Each by its representation.
    Entities(Vec<Value>),
}

/// A document that this subgraph cannot answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ProgramError {
    #[error("there is no such operation")]
    Operation,
    #[error("there is no fragment `{0}`")]
    Fragment(String),
    #[error("`{of}` has no field `{name}` in `{subgraph}`")]
    Field { of: &'static str, name: String, subgraph: &'static str },
}

impl Program {
    pub(super) fn compile(
        (subgraph, data): (Subgraph, Data),
        document: &Document,
        operation: Option<&str>,
        variables: &Map<String, Value>,
    ) -> Result<Self, ProgramError> {
        let mut operations = document.operations.iter();
        let wanted = operations.find(|one| operation.is_none() || one.name.as_deref() == operation);
        let wanted = wanted.ok_or(ProgramError::Operation)?;
        let mut compiler = Compiler { subgraph, data, document, variables, sets: Vec::new() };
        let root = compiler.set(Type::Query, &[&wanted.selections])?;
        Ok(Self { subgraph, data, sets: compiler.sets, root })
    }

    /// The whole answer.
    pub(super) fn answer(&self, variables: &Map<String, Value>) -> Vec<u8> {
        let mut out = Vec::with_capacity(1 << 10);
        out.extend_from_slice(b"{\"data\":");
        self.write(self.root, Object { of: Type::Query, place: 0 }, variables, None, &mut out);
        out.push(b'}');
        out
    }

    fn write(
        &self,
        set: usize,
        object: Object,
        variables: &Map<String, Value>,
        representation: Option<&Value>,
        out: &mut Vec<u8>,
    ) {
        let Some(set) = self.sets.get(set) else { return };
        let prepared = set.prepared.as_ref().and_then(|places| places.get(object.place));
        match prepared {
            Some(prepared) => out.extend_from_slice(prepared.get_or_init(|| {
                let mut text = Vec::new();
                self.write_fields(set, object, variables, None, &mut text);
                text
            })),
            None => self.write_fields(set, object, variables, representation, out),
        }
    }

    fn write_fields(
        &self,
        set: &Set,
        object: Object,
        variables: &Map<String, Value>,
        representation: Option<&Value>,
        out: &mut Vec<u8>,
    ) {
        out.push(b'{');
        for (number, field) in set.fields.iter().enumerate() {
            if number > 0 {
                out.push(b',');
            }
            out.extend_from_slice(field.key.as_bytes());
            match &field.value {
                FieldValue::Leaf(leaf) => {
                    let value = self.leaf(*leaf, object, representation);
                    out.extend_from_slice(value.to_string().as_bytes());
                }
                FieldValue::Edge { edge, argument, sets } => {
                    let argument = argument.as_ref().map(|given| given.resolve(variables));
                    match self.reach(*edge, object, argument) {
                        Reached::One(one) => self.write_one(sets, one, None, out),
                        Reached::Many(all) => {
                            let write =
                                |one, out: &mut _| self.write_one(sets, Some(one), None, out);
                            write_list(all, out, write);
                        }
                        Reached::Entities(all) => write_list(all, out, |given, out| {
                            self.write_one(sets, self.entity(&given), Some(&given), out);
                        }),
                    }
                }
            }
        }
        out.push(b'}');
    }

    fn write_one(
        &self,
        sets: &BTreeMap<Type, usize>,
        object: Option<Object>,
        representation: Option<&Value>,
        out: &mut Vec<u8>,
    ) {
        match object.and_then(|object| Some((object, *sets.get(&object.of)?))) {
            // An argument has only chosen among objects: beneath it stands none.
            Some((object, set)) => self.write(set, object, &Map::new(), representation, out),
            None => out.extend_from_slice(b"null"),
        }
    }

    fn leaf(&self, leaf: Leaf, object: Object, representation: Option<&Value>) -> Value {
        let given = |name: &str| representation.and_then(|all| all.get(name)).cloned();
        let user = at(&USERS, object.place);
        let product = at(&PRODUCTS, object.place);
        let review = at(&REVIEWS, object.place);
        let value = match leaf {
            Leaf::Typename => Some(object.of.name().into()),
            Leaf::Sdl => Some(self.subgraph.sdl().into()),
            Leaf::Id | Leaf::Upc => Some(key(object.place).into()),
            Leaf::Name if object.of == Type::Product => product.map(|one| one.name.into()),
            Leaf::Name => user.map(|one| one.name.into()),
            Leaf::Username => user.map(|one| one.username.into()),
            Leaf::Birthday => Some(BIRTHDAY.into()),
            Leaf::Price => product.map(|one| one.price.into()),
            Leaf::Weight => product.map(|one| one.weight.into()),
            Leaf::IsInStock => product.map(|one| one.is_in_stock.into()),
            Leaf::Body => review.map(|one| one.body.into()),
            Leaf::GivenPrice => given("price"),
            Leaf::GivenWeight => given("weight"),
            Leaf::ShippingEstimate => estimate(given("price"), given("weight")),
        };
        value.unwrap_or_default()
    }

    fn reach(&self, edge: Edge, object: Object, argument: Option<Value>) -> Reached {
        let users = |place| Object { of: Type::User, place };
        let products = |place| Object { of: Type::Product, place };
        let reviews = |place| Object { of: Type::Review, place };
        match edge {
            Edge::Service => Reached::One(Some(Object { of: Type::Service, place: 0 })),
            Edge::Entities => Reached::Entities(match argument {
                Some(Value::Array(all)) => all,
                _ => Vec::new(),
            }),
            Edge::Me => Reached::One(Some(users(AUTHOR))),
            Edge::Author => Reached::One(Some(users(self.data.author(object.place)))),
            Edge::User => {
                Reached::One(argument.and_then(|id| self.keyed(Type::User, id.as_str()?)))
            }
            Edge::Users => Reached::Many((0..USERS.len()).map(users).collect()),
            Edge::TopProducts => {
                let first = argument.as_ref().and_then(Value::as_u64);
                let first = first.and_then(|first| usize::try_from(first).ok()).unwrap_or(TOP);
                Reached::Many((0..first.min(self.data.products())).map(products).collect())
            }
            Edge::Reviews if object.of == Type::User => {
                let all = self.data.reviews_of_a_user(object.place);
                Reached::Many(all.into_iter().map(reviews).collect())
            }
            Edge::Reviews => {
                let of = |review: &usize| self.data.product(*review) == object.place;
                Reached::Many((0..self.data.reviews()).filter(of).map(reviews).collect())
            }
            Edge::Product => Reached::One(Some(products(self.data.product(object.place)))),
        }
    }

    /// The object of a representation.
    fn entity(&self, representation: &Value) -> Option<Object> {
        let name = representation.get("__typename")?.as_str()?;
        let of = *self.subgraph.entities().iter().find(|one| one.name() == name)?;
        let key = if of == Type::Product { "upc" } else { "id" };
        self.keyed(of, representation.get(key)?.as_str()?)
    }

    fn keyed(&self, of: Type, wanted: &str) -> Option<Object> {
        let places = match of {
            Type::User => self.data.users(),
            Type::Product => self.data.products(),
            Type::Review => self.data.reviews(),
            Type::Query | Type::Service => return None,
        };
        let place = wanted.parse::<usize>().ok()?.checked_sub(1)?;
        // There is one way to write a key.
        (place < places && key(place) == wanted).then_some(Object { of, place })
    }
}

fn write_list<T>(all: Vec<T>, out: &mut Vec<u8>, mut write: impl FnMut(T, &mut Vec<u8>)) {
    out.push(b'[');
    for (number, one) in all.into_iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write(one, out);
    }
    out.push(b']');
}

/// Shipping is free for expensive products, and costs by weight for the rest.
fn estimate(price: Option<Value>, weight: Option<Value>) -> Option<Value> {
    if price?.as_i64()? > 1000 {
        return Some(0.into());
    }
    Some((weight?.as_i64()? / 2).into())
}
