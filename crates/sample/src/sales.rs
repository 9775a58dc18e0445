//! Invoices over five years, and their lines.

use std::collections::HashSet;

use crate::Table;
use crate::cell::Cell;
use crate::people::Customer;
use crate::random::Random;
use crate::timestamp::Timestamp;
use crate::tracks::Track;

const INVOICES: usize = 412;

/// The numbers of lines that come round every seven invoices.
/// 59 rounds without one invoice of two lines are 412 invoices with 2240 lines.
const LINE_COUNTS: [usize; 7] = [1, 2, 4, 6, 9, 14, 2];

const FIRST_YEAR: u16 = 2021;

/// The days of 2021 to 2025.
const DAYS: usize = 1826;

/// The tables `invoice` and `invoice_line`.
pub(crate) fn invoice_tables(customers: &[Customer], tracks: &[Track]) -> [Table; 2] {
    let mut random = Random::new(6);
    let mut line_counts: Vec<usize> = LINE_COUNTS.into_iter().cycle().take(INVOICES).collect();
    random.shuffle(&mut line_counts);
    let mut buyers: Vec<&Customer> = customers.iter().cycle().take(INVOICES).collect();
    random.shuffle(&mut buyers);

    let mut invoices = Vec::with_capacity(INVOICES);
    let mut lines: Vec<Vec<Cell>> = Vec::new();
    for (idx, (customer, count)) in buyers.into_iter().zip(line_counts).enumerate() {
        let invoice_id = idx as i32 + 1;
        let date = invoice_date(&mut random, idx);
        let mut total = 0;
        for track in bought_tracks(&mut random, tracks, count) {
            let quantity = if random.percent(2) { 2 } else { 1 };
            total += track.hundredths * i64::from(quantity);
            lines.push(vec![
                (lines.len() as i32 + 1).into(),
                invoice_id.into(),
                track.id.into(),
                Cell::Price(track.hundredths),
                quantity.into(),
            ]);
        }
        invoices.push(invoice_row(invoice_id, customer, date, total));
    }
    [
        Table {
            name: "invoice",
            columns: &[
                "invoice_id",
                "customer_id",
                "invoice_date",
                "billing_address",
                "billing_city",
                "billing_state",
                "billing_country",
                "billing_postal_code",
                "total",
            ],
            rows: invoices,
        },
        Table {
            name: "invoice_line",
            columns: &["invoice_line_id", "invoice_id", "track_id", "unit_price", "quantity"],
            rows: lines,
        },
    ]
}

fn invoice_row(id: i32, customer: &Customer, date: Timestamp, total: i64) -> Vec<Cell> {
    vec![
        id.into(),
        customer.id.into(),
        date.into(),
        customer.address.into(),
        customer.city.into(),
        customer.state.into(),
        customer.country.into(),
        customer.postal_code.into(),
        Cell::Price(total),
    ]
}

/// Later invoices have later dates. Most have no time of day, as if written in the evening books.
fn invoice_date(random: &mut Random, idx: usize) -> Timestamp {
    // Invoices are more than four days apart on average, so that three cannot change the order.
    let days = idx * DAYS / INVOICES + random.below(4);
    let midnight = Timestamp::days_after(FIRST_YEAR, days as u16);
    if !random.percent(12) {
        return midnight;
    }
    let hour = random.between(9, 21) as u8;
    let minute = random.between(0, 59) as u8;
    Timestamp { hour, minute, second: random.between(0, 59) as u8, ..midnight }
}

/// Up to three neighbouring tracks at a time: people buy what stands together.
fn bought_tracks<'a>(random: &mut Random, tracks: &'a [Track], count: usize) -> Vec<&'a Track> {
    let mut taken = HashSet::new();
    let mut bought = Vec::with_capacity(count);
    while bought.len() < count {
        let start = random.below(tracks.len());
        let length = random.between(1, 3) as usize;
        let neighbours = tracks[start..].iter().take(length.min(count - bought.len()));
        bought.extend(neighbours.filter(|track| taken.insert(track.id)));
    }
    bought
}
