//! The schema of each subgraph, as its SDL in `bench/federation/subgraphs` has it.

use super::shop::Subgraph;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Type {
    Query,
    Service,
    User,
    Product,
    Review,
}

/// Kind of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Leaf(Leaf),
    Edge(Edge),
}

/// A field without fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    Typename,
    Sdl,
    Id,
    Name,
    Username,
    Birthday,
    Upc,
    Price,
    Weight,
    IsInStock,
    Body,
    /// A value of the representation.
    GivenPrice,
    GivenWeight,
    /// Computed from values of the representation.
    ShippingEstimate,
}

/// A field that leads to objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Service,
    Entities,
    Me,
    User,
    Users,
    TopProducts,
    Reviews,
    Product,
    Author,
}

impl Type {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Query => "Query",
            Self::Service => "_Service",
            Self::User => "User",
            Self::Product => "Product",
            Self::Review => "Review",
        }
    }

    /// Whether a fragment on a type of this name holds for it.
    pub(super) fn is(self, name: &str) -> bool {
        let is_entity = matches!(self, Self::User | Self::Product | Self::Review);
        name == self.name() || (is_entity && name == "_Entity")
    }
}

impl Leaf {
    /// Whether it is the same for every representation of an object.
    pub(super) fn is_fixed(self) -> bool {
        !matches!(self, Self::GivenPrice | Self::GivenWeight | Self::ShippingEstimate)
    }
}

impl Edge {
    /// The argument that chooses among the objects.
    pub(super) fn argument(self) -> Option<&'static str> {
        match self {
            Self::Entities => Some("representations"),
            Self::User => Some("id"),
            Self::TopProducts => Some("first"),
            Self::Service | Self::Me | Self::Users => None,
            Self::Reviews | Self::Product | Self::Author => None,
        }
    }

    /// The types that it may lead to.
    pub(super) fn targets(self, subgraph: Subgraph) -> &'static [Type] {
        match self {
            Self::Service => &[Type::Service],
            Self::Entities => subgraph.entities(),
            Self::Me | Self::User | Self::Users | Self::Author => &[Type::User],
            Self::TopProducts | Self::Product => &[Type::Product],
            Self::Reviews => &[Type::Review],
        }
    }
}

impl Subgraph {
    pub(super) fn entities(self) -> &'static [Type] {
        match self {
            Self::Accounts => &[Type::User],
            Self::Inventory | Self::Products => &[Type::Product],
            Self::Reviews => &[Type::User, Type::Product, Type::Review],
        }
    }

    pub(super) fn sdl(self) -> &'static str {
        match self {
            Self::Accounts => {
                include_str!("../../../federation/subgraphs/accounts.graphql")
            }
            Self::Inventory => {
                include_str!("../../../federation/subgraphs/inventory.graphql")
            }
            Self::Products => {
                include_str!("../../../federation/subgraphs/products.graphql")
            }
            Self::Reviews => {
                include_str!("../../../federation/subgraphs/reviews.graphql")
            }
        }
    }

    /// A field of a type; nothing where this subgraph has none of the name.
    pub(super) fn field(self, of: Type, name: &str) -> Option<Kind> {
        if name == "__typename" {
            return Some(Kind::Leaf(Leaf::Typename));
        }
        let edge = |edge| Some(Kind::Edge(edge));
        let leaf = |leaf| Some(Kind::Leaf(leaf));
        match (of, name) {
            (Type::Query, "_service") => edge(Edge::Service),
            (Type::Query, "_entities") => edge(Edge::Entities),
            (Type::Service, "sdl") => leaf(Leaf::Sdl),
            _ => match (self, of, name) {
                (Self::Accounts, Type::Query, "me") => edge(Edge::Me),
                (Self::Accounts, Type::Query, "user") => edge(Edge::User),
                (Self::Accounts, Type::Query, "users") => edge(Edge::Users),
                (Self::Accounts | Self::Reviews, Type::User, "id") => leaf(Leaf::Id),
                (Self::Accounts | Self::Reviews, Type::User, "username") => leaf(Leaf::Username),
                (Self::Accounts, Type::User, "name") => leaf(Leaf::Name),
                (Self::Accounts, Type::User, "birthday") => leaf(Leaf::Birthday),
                (Self::Products, Type::Query, "topProducts") => edge(Edge::TopProducts),
                (_, Type::Product, "upc") => leaf(Leaf::Upc),
                (Self::Products, Type::Product, "name") => leaf(Leaf::Name),
                (Self::Products, Type::Product, "price") => leaf(Leaf::Price),
                (Self::Products, Type::Product, "weight") => leaf(Leaf::Weight),
                (Self::Inventory, Type::Product, "price") => leaf(Leaf::GivenPrice),
                (Self::Inventory, Type::Product, "weight") => leaf(Leaf::GivenWeight),
                (Self::Inventory, Type::Product, "inStock") => leaf(Leaf::IsInStock),
                (Self::Inventory, Type::Product, "shippingEstimate") => {
                    leaf(Leaf::ShippingEstimate)
                }
                (Self::Reviews, Type::Product | Type::User, "reviews") => edge(Edge::Reviews),
                (Self::Reviews, Type::Review, "id") => leaf(Leaf::Id),
                (Self::Reviews, Type::Review, "body") => leaf(Leaf::Body),
                (Self::Reviews, Type::Review, "product") => edge(Edge::Product),
                (Self::Reviews, Type::Review, "author") => edge(Edge::Author),
                _ => None,
            },
        }
    }
}
