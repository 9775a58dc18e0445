//! Mutations: small ones of one and of sixteen clients, and one that adds a thousand objects.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::failure::RestaurantsError;
use crate::background::{Background, Stop};
use crate::http::Connection;
use crate::statistics;

const CLIENTS: [usize; 2] = [1, 16];
/// Deep adds, of which the median counts.
const DEEP: u64 = 9;
/// A restaurant, its address, and its dishes are a hundred objects.
const RESTAURANTS: u64 = 10;
const DISHES: u64 = 98;

const ADD: &str = "mutation ($input: [AddDishInput!]!) { addDish(input: $input) { numUids } }";
const ADD_DEEP: &str =
    "mutation ($input: [AddRestaurantInput!]!) { addRestaurant(input: $input) { numUids } }";

/// Figures of mutations.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// Of so many clients.
    pub(super) small: Vec<Small>,
    /// Milliseconds of an add of a thousand objects.
    pub(super) deep: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Small {
    pub(super) clients: usize,
    pub(super) per_second: f64,
    /// Milliseconds that 50 and 99 of a hundred mutations do not exceed.
    pub(super) median: f64,
    pub(super) p99: f64,
}

/// Measures mutations of a server.
pub(super) fn measure(port: u16, time: Duration) -> Result<Written, RestaurantsError> {
    let mut small = Vec::new();
    for clients in CLIENTS {
        small.push(measure_small(port, clients, time)?);
    }
    let mut connection = Connection::open(port)?;
    let mut times = Vec::new();
    for number in 0..DEEP {
        let input: Vec<_> =
            (0..RESTAURANTS).map(|one| restaurant(number * RESTAURANTS + one)).collect();
        let body = json!({ "query": ADD_DEEP, "variables": { "input": input } });
        let started = Instant::now();
        let answer = connection.ask(&body)?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        let objects = RESTAURANTS * (DISHES + 2);
        require_added(&answer["data"]["addRestaurant"]["numUids"], objects, &answer)?;
    }
    Ok(Written { small, deep: statistics::median(times) })
}

fn measure_small(port: u16, clients: usize, time: Duration) -> Result<Small, RestaurantsError> {
    let started = Instant::now();
    let add = |_| Background::start(move |stop| add_until(port, stop));
    let running: Vec<_> = (0..clients).map(add).collect();
    thread::sleep(time);
    running.iter().for_each(Background::stop);
    let mut times = Vec::new();
    for client in running {
        times.extend(client.finish().unwrap_or(Err(RestaurantsError::Thread))?);
    }
    let seconds = started.elapsed().as_secs_f64();
    times.sort_unstable_by(f64::total_cmp);
    let at = |hundredths: usize| {
        times.get((times.len() * hundredths).div_ceil(100).saturating_sub(1)).copied()
    };
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let per_second = times.len() as f64 / seconds;
    let (median, p99) = (at(50).unwrap_or_default(), at(99).unwrap_or_default());
    Ok(Small { clients, per_second, median, p99 })
}

/// Adds dishes; the milliseconds of each mutation.
fn add_until(port: u16, stop: &Stop) -> Result<Vec<f64>, RestaurantsError> {
    let mut connection = Connection::open(port)?;
    let mut times = Vec::new();
    while !stop.is_set() {
        let body = json!({ "query": ADD, "variables": { "input": [dish(0)] } });
        let started = Instant::now();
        let answer = connection.ask(&body)?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        require_added(&answer["data"]["addDish"]["numUids"], 1, &answer)?;
    }
    Ok(times)
}

fn require_added(number: &Value, expected: u64, answer: &Value) -> Result<(), RestaurantsError> {
    match number.as_u64() == Some(expected) {
        true => Ok(()),
        false => Err(RestaurantsError::Mutation(answer.to_string())),
    }
}

/// A dish of the first restaurant.
fn dish(number: u64) -> Value {
    json!({
        "name": format!("New {number}"),
        "price": 125.5,
        "isVeg": true,
        "cuisine": { "name": "Northern Alder" },
        "servedBy": { "xid": "16000007" },
    })
}

/// A restaurant with its address and dishes.
fn restaurant(number: u64) -> Value {
    let dishes: Vec<_> = (0..DISHES)
        .map(|dish| {
            json!({
                "name": format!("New {dish}"),
                "price": 125.5,
                "isVeg": true,
                "cuisine": { "name": "Northern Alder" },
            })
        })
        .collect();
    json!({
        "xid": format!("new-{number}"),
        "name": format!("New {number}"),
        "rating": 4.5,
        "createdAt": "2020-02-28T10:20:30Z",
        "cuisines": [{ "name": "Northern Alder" }],
        "addr": {
            "lat": 1.5,
            "long": 2.5,
            "address": "1 Oak Road",
            "locality": "North",
            "city": { "id": "1" },
        },
        "dishes": dishes,
    })
}
