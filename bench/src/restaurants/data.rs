//! The rows: a generator that gives the same ones each time, with the numbers of rows of Dgraph's
//! published benchmark.

/// Numbers of rows of the tables, apart from dishes.
const COUNTRIES: i64 = 15;
const CITIES: i64 = 74;
const CUISINES: i64 = 116;
const RESTAURANTS: i64 = 8_422;
/// The number of cuisines of all restaurants together.
const EDGES: i64 = 16_984;
/// The most cuisines of a restaurant.
const MOST_CUISINES: usize = 4;

const CURRENCIES: [&str; 3] = ["Rs.", "Rs.", "$"];
const PLACES: [&str; 12] = [
    "Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "Pine", "Rowan",
    "Willow",
];
const KINDS: [&str; 12] = [
    "Bakery", "Bar", "Bistro", "Cafe", "Canteen", "Diner", "Grill", "Inn", "Kitchen", "Lounge",
    "Oven", "Table",
];
const STYLES: [&str; 10] = [
    "Northern", "Southern", "Eastern", "Western", "Coastal", "Modern", "Rural", "Royal", "Street",
    "Classic",
];
const DESCRIPTION: &str = "Made to order from what the market has today, served hot with bread \
                           and a small salad; the kitchen knows what is in it, so please ask.";

/// The tables in the order in which rows refer to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    Country,
    City,
    Cuisine,
    Restaurant,
    RestaurantAddress,
    RestaurantCuisines,
    Dish,
}

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell<'c> {
    Integer(i64),
    Real(f64),
    Text(&'c str),
    Boolean(bool),
    /// Microseconds since 1970.
    Moment(i64),
}

/// Random numbers: <https://prng.di.unimi.it/splitmix64.c>.
#[derive(Debug)]
struct Random(u64);

impl Table {
    pub(super) const ALL: [Self; 7] = [
        Self::Country,
        Self::City,
        Self::Cuisine,
        Self::Restaurant,
        Self::RestaurantAddress,
        Self::RestaurantCuisines,
        Self::Dish,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Country => "Country",
            Self::City => "City",
            Self::Cuisine => "Cuisine",
            Self::Restaurant => "Restaurant",
            Self::RestaurantAddress => "RestaurantAddress",
            Self::RestaurantCuisines => "Restaurant_cuisines",
            Self::Dish => "Dish",
        }
    }

    /// The columns in the order of the cells.
    pub(super) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Country => &["cid", "id", "name"],
            Self::City => &["cid", "id", "name", "country"],
            Self::Cuisine => &["id", "name"],
            Self::Restaurant => {
                &["id", "xid", "name", "pic", "rating", "costFor2", "currency", "createdAt"]
            }
            Self::RestaurantAddress => {
                &["id", "lat", "long", "address", "locality", "zipcode", "city", "restaurant"]
            }
            Self::RestaurantCuisines => &["restaurant", "cuisines"],
            Self::Dish => {
                &["id", "name", "pic", "price", "description", "isVeg", "cuisine", "servedBy"]
            }
        }
    }
}

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: i64) -> i64 {
        (self.next() >> 1).cast_signed() % limit
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        let place = usize::try_from(self.next() % of.len() as u64).unwrap_or_default();
        of[place]
    }

    /// A number with two digits behind the point.
    fn hundredths(&mut self, from: i64, to: i64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let hundredths = (from + self.below(to - from)) as f64;
        hundredths / 100.0
    }
}

/// Gives all rows with so many dishes, table by table but for the cuisines of restaurants, which
/// come with them. Returns the last id.
pub(super) fn rows<E>(
    dishes: i64,
    mut row: impl FnMut(Table, &[Cell<'_>]) -> Result<(), E>,
) -> Result<i64, E> {
    use Cell::{Boolean, Integer, Moment, Real, Text};
    let mut random = Random(1);
    let cities = COUNTRIES;
    let cuisines = cities + CITIES;
    let restaurants = cuisines + CUISINES;
    let addresses = restaurants + RESTAURANTS;
    let first_dish = addresses + RESTAURANTS;
    for number in 1..=COUNTRIES {
        let name = format!("{} Republic", PLACES[usize::try_from(number).unwrap_or(0) % 12]);
        row(Table::Country, &[Integer(number), Text(&format!("{}", number * 13)), Text(&name)])?;
    }
    for number in 1..=CITIES {
        let country = if number <= COUNTRIES { number } else { 1 + random.below(COUNTRIES) };
        let name = format!("{} {}ville", random.one(&STYLES), random.one(&PLACES));
        let (id, xid) = (cities + number, number.to_string());
        row(Table::City, &[Integer(id), Text(&xid), Text(&name), Integer(country)])?;
    }
    for number in 1..=CUISINES {
        let place = usize::try_from(number - 1).unwrap_or_default();
        let name = format!("{} {}", STYLES[place % 10], PLACES[place / 10]);
        row(Table::Cuisine, &[Integer(cuisines + number), Text(&name)])?;
    }
    let (mut cuisines_of, mut pictures) = (Vec::new(), Vec::new());
    for number in 1..=RESTAURANTS {
        let name = format!("{} {} {number}", random.one(&PLACES), random.one(&KINDS));
        let xid = (16_000_000 + number * 7).to_string();
        let key = random.next();
        let picture = format!("https://pictures.example.com/chains/{xid}/{key:016x}_featured.jpg");
        let created = 1_577_836_800_000_000 + random.below(31_000_000) * 1_000_000;
        row(
            Table::Restaurant,
            &[
                Integer(restaurants + number),
                Text(&xid),
                Text(&name),
                Text(&picture),
                Real(random.hundredths(200, 500)),
                Real(random.hundredths(20_000, 250_000)),
                Text(random.one(&CURRENCIES)),
                Moment(created),
            ],
        )?;
        pictures.push(picture);
        // Each cuisine is used at least once.
        cuisines_of.push(vec![if number <= CUISINES {
            number
        } else {
            1 + random.below(CUISINES)
        }]);
    }
    let mut further = EDGES - RESTAURANTS;
    while further > 0 {
        let restaurant = usize::try_from(random.below(RESTAURANTS)).unwrap_or_default();
        let (own, cuisine) = (&mut cuisines_of[restaurant], 1 + random.below(CUISINES));
        if own.len() < MOST_CUISINES && !own.contains(&cuisine) {
            own.push(cuisine);
            further -= 1;
        }
    }
    for number in 1..=RESTAURANTS {
        let address = format!("{} {} Road", 1 + random.below(400), random.one(&PLACES));
        row(
            Table::RestaurantAddress,
            &[
                Integer(addresses + number),
                Real(random.hundredths(-6_000, 6_000)),
                Real(random.hundredths(-17_000, 17_000)),
                Text(&address),
                Text(random.one(&STYLES)),
                Integer(100_000 + random.below(800_000)),
                Integer(cities + 1 + random.below(CITIES)),
                Integer(restaurants + number),
            ],
        )?;
    }
    for (restaurant, own) in (restaurants + 1..).zip(&cuisines_of) {
        for cuisine in own {
            let cells = [Integer(restaurant), Integer(cuisines + cuisine)];
            row(Table::RestaurantCuisines, &cells)?;
        }
    }
    let mut id = first_dish;
    for (place, own) in cuisines_of.iter().enumerate() {
        let number = i64::try_from(place).unwrap_or_default();
        // All have nearly the same number; the ends of the ranges make the sum exact.
        let (start, end) = (dishes * number / RESTAURANTS, dishes * (number + 1) / RESTAURANTS);
        for dish in 1..=end - start {
            id += 1;
            let most = i64::try_from(own.len()).unwrap_or(1);
            let cuisine = own[usize::try_from(random.below(most)).unwrap_or_default()];
            row(
                Table::Dish,
                &[
                    Integer(id),
                    Text(&format!("Dish {dish}")),
                    Text(&pictures[place]),
                    Real(random.hundredths(4_000, 90_000)),
                    Text(DESCRIPTION),
                    Boolean(random.below(2) == 0),
                    Integer(cuisines + cuisine),
                    Integer(restaurants + 1 + number),
                ],
            )?;
        }
    }
    Ok(id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn the_numbers_of_rows_are_those_of_the_published_benchmark() {
        let mut counts = BTreeMap::new();
        let counted = rows(41_587, |table, cells| {
            assert_eq!(cells.len(), table.columns().len());
            *counts.entry(table).or_insert(0) += 1;
            Ok::<_, Infallible>(())
        });
        assert_eq!(counted, Ok(15 + 74 + 116 + 2 * 8_422 + 41_587));
        let expected = [15, 74, 116, 8_422, 8_422, 16_984, 41_587];
        assert_eq!(counts, Table::ALL.into_iter().zip(expected).collect());
    }
}
