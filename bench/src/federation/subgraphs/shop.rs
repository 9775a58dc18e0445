//! The shop: who sells what, and who says what of it.
//!
//! Types, keys, numbers and lengths are those of the published benchmark of gateways, so that its
//! query has an answer of the same size and the same objects in it again and again: each user has
//! the first two reviews, and the first user has written all of them. The words are our own.
//!
//! Most answers of real services say less again and again, so that there is another shop of many more
//! users, products and reviews, in which hardly anything comes twice.

use serde::Serialize;

/// A service of the federation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Subgraph {
    Accounts,
    Inventory,
    Products,
    Reviews,
}

#[derive(Debug)]
pub(super) struct User {
    pub(super) name: &'static str,
    pub(super) username: &'static str,
}

#[derive(Debug)]
pub(super) struct Product {
    pub(super) name: &'static str,
    pub(super) price: i64,
    pub(super) weight: i64,
    pub(super) is_in_stock: bool,
}

#[derive(Debug)]
pub(super) struct Review {
    pub(super) body: &'static str,
    /// The place of its product among the products.
    pub(super) product: usize,
}

/// The products that users have reviewed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Data {
    /// Nothing that is not among the five products at the top.
    #[default]
    Published,
    /// A sixth product too, of which nobody hears before the reviews of users are read.
    Sixth,
    /// Everybody has written two reviews of their own, and each product has four.
    Distinct,
}

/// Seconds; the same for all.
pub(super) const BIRTHDAY: i64 = 1_234_567_890;
/// The place of the one who has written every review.
pub(super) const AUTHOR: usize = 0;
/// Numbers of users, of their reviews and of a product's, where little comes twice.
const MANY: usize = 384;
const OF_A_USER: usize = 2;
const OF_A_PRODUCT: usize = 4;
/// Brings reviews to products that have nothing else in common: it shares no factor with their number.
const SPREAD: usize = 317;
/// The number of reviews that every form of the data has.
const PUBLISHED: usize = 11;

/// The key of what stands at a place.
pub(super) fn key(place: usize) -> String {
    (place + 1).to_string()
}

/// The words and numbers of what stands at a place: there are fewer of them than places.
pub(super) fn at<T>(all: &[T], place: usize) -> Option<&T> {
    all.get(place % all.len().max(1))
}

pub(super) const USERS: [User; 6] = [
    User { name: "Tove Lindqvist", username: "tovel" },
    User { name: "Ines Okafor", username: "inesokafor" },
    User { name: "Mateo Brandt", username: "mateobrandt1" },
    User { name: "Aino Virtasalmi", username: "ainovir" },
    User { name: "Ravi Menons", username: "ravimenons" },
    User { name: "Clara Duboi", username: "clarad" },
];

pub(super) const PRODUCTS: [Product; 9] = [
    Product { name: "Bench", price: 899, weight: 100, is_in_stock: true },
    Product { name: "Shelf", price: 1299, weight: 1000, is_in_stock: false },
    Product { name: "Spoon", price: 15, weight: 20, is_in_stock: false },
    Product { name: "Stool", price: 499, weight: 100, is_in_stock: false },
    Product { name: "PC", price: 1299, weight: 1000, is_in_stock: true },
    Product { name: "Rug", price: 6999, weight: 300, is_in_stock: true },
    Product { name: "Stove", price: 3999, weight: 2000, is_in_stock: true },
    Product { name: "Piano", price: 100_000, weight: 6000, is_in_stock: false },
    Product { name: "Desk", price: 9999, weight: 800, is_in_stock: true },
];

/// It stands by the door and nobody has fallen off it.
const LONG: &str = "We put it by the door, where everybody sits down to take off wet boots, and \
after one winter of that it looks just as it did on the day when it came. The wood is oiled and not \
painted, so a scratch can be rubbed out with a cloth and a spoon of oil. Two of us carried it up four \
flights of stairs without a rest, which says something about its weight. The only thing I would change \
is the height: two fingers more and my father could get up from it with ease.";
const MIDDLE: &str = "Bought for the kitchen and moved to the garden within a week, because it takes \
rain better than anything else that we own. The screws are of brass and come in a paper bag, one more \
than needed. My neighbours have asked twice where it is from, so I tell it here: from this shop, and \
at once.";
const SHORT: &str = "It arrived on a Tuesday, one day early, in a box without any plastic in it. Putting it \
together took as long as a cup of coffee, and the cup stood on it while I did so. If there is a fault \
I have not found it yet; I shall write again when a year has gone by, as I promised.";
const SHORTEST: &str = "Good value and plain looks. It does what it is for and asks for nothing in return, \
which is more than I can say of the one before it, or of me.";
const LONGEST: &str = "This is the third that I have owned, and the first one that I did not have to glue. \
The legs are turned from one piece, the seat is hollowed out a little, and it stands firm on a floor \
that is neither even nor level. I use it to reach the upper cupboards, to hold a pot of basil in summer \
and a lamp in winter, and now and then to sit on. Children climb it like a mountain and have not brought \
it down. What I have learnt in these months: do not leave it beside the oven, for the finish takes the \
heat badly and turns white in a ring, though the ring went away with beeswax; do not buy the cushion, \
which slides; and do buy two, because as soon as there is one in the house, somebody else will have \
carried it to another room. The people of the shop answered a letter of mine in a day and in full \
sentences, and that is why there are five stars here and not four.";

pub(super) const REVIEWS: [Review; PUBLISHED + 1] = [
    Review { body: LONG, product: 0 },
    Review { body: MIDDLE, product: 0 },
    Review { body: SHORT, product: 0 },
    Review { body: SHORTEST, product: 0 },
    Review { body: LONG, product: 1 },
    Review { body: MIDDLE, product: 1 },
    Review { body: SHORT, product: 1 },
    Review { body: SHORTEST, product: 1 },
    Review { body: SHORTEST, product: 2 },
    Review { body: SHORTEST, product: 3 },
    Review { body: LONGEST, product: 3 },
    Review { body: SHORTEST, product: 5 },
];

impl Data {
    pub(super) fn users(self) -> usize {
        match self {
            Self::Published | Self::Sixth => USERS.len(),
            Self::Distinct => MANY,
        }
    }

    pub(super) fn products(self) -> usize {
        match self {
            Self::Published | Self::Sixth => PRODUCTS.len(),
            Self::Distinct => MANY * OF_A_USER / OF_A_PRODUCT,
        }
    }

    /// The number of reviews, the first ones.
    pub(super) fn reviews(self) -> usize {
        match self {
            Self::Published => PUBLISHED,
            Self::Sixth => REVIEWS.len(),
            Self::Distinct => MANY * OF_A_USER,
        }
    }

    /// The places of the reviews that a user is said to have.
    pub(super) fn reviews_of_a_user(self, user: usize) -> Vec<usize> {
        match self {
            Self::Published => vec![0, 1],
            Self::Sixth => vec![0, 1, PUBLISHED],
            Self::Distinct => (user * OF_A_USER..(user + 1) * OF_A_USER).collect(),
        }
    }

    /// The place of the one who has written a review.
    pub(super) fn author(self, review: usize) -> usize {
        match self {
            Self::Published | Self::Sixth => AUTHOR,
            Self::Distinct => review / OF_A_USER,
        }
    }

    /// The place of the product that a review is of.
    pub(super) fn product(self, review: usize) -> usize {
        match self {
            Self::Published | Self::Sixth => REVIEWS[review % REVIEWS.len()].product,
            Self::Distinct => review * SPREAD % self.reviews() / OF_A_PRODUCT,
        }
    }
}

impl Subgraph {
    pub(crate) const ALL: [Self; 4] =
        [Self::Accounts, Self::Inventory, Self::Products, Self::Reviews];

    /// In its path, and in the supergraph.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Accounts => "accounts",
            Self::Inventory => "inventory",
            Self::Products => "products",
            Self::Reviews => "reviews",
        }
    }
}
