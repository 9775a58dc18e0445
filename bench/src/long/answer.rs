//! Whether a long answer has every row, with the values that the rows were made with.

use serde::Deserialize;

/// Rows of the flat table.
const FLAT: u32 = 1_000_000;
const PARENTS: u32 = 200_000;
const CHILDREN: u32 = 5;

/// A long answer that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Long {
    Flat,
    Nested,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<T> {
    data: T,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Flat<'a> {
    #[serde(borrow, rename = "allMeasurementsList")]
    rows: Vec<Measurement<'a>>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Measurement<'a> {
    id: u32,
    place: &'a str,
    amount: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nested<'a> {
    #[serde(borrow, rename = "allShipmentsList")]
    rows: Vec<Shipment<'a>>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shipment<'a> {
    id: u32,
    name: &'a str,
    #[serde(borrow, rename = "carrierByCarrierId")]
    carrier: Carrier<'a>,
    #[serde(rename = "parcelsByShipmentIdList")]
    parcels: Vec<Parcel>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Carrier<'a> {
    id: u32,
    name: &'a str,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parcel {
    id: u32,
    weight: u32,
}

impl Long {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Flat => "1,000,000 rows",
            Self::Nested => "200,000 rows with a row and five rows each",
        }
    }

    pub(super) fn document(self) -> &'static str {
        match self {
            Self::Flat => include_str!("flat.graphql"),
            Self::Nested => include_str!("nested.graphql"),
        }
    }

    pub(super) fn body(self) -> String {
        serde_json::json!({ "query": self.document() }).to_string()
    }

    /// The number of rows of the answer, those of all levels; or an error.
    pub(super) fn check(self, answer: &[u8]) -> Result<u64, String> {
        let no_json = |error: serde_json::Error| format!("is not what was asked for: {error}");
        match self {
            Self::Flat => {
                let answer: Envelope<Flat<'_>> = serde_json::from_slice(answer).map_err(no_json)?;
                check_flat(&answer.data.rows, FLAT)
            }
            Self::Nested => {
                let answer: Envelope<Nested<'_>> =
                    serde_json::from_slice(answer).map_err(no_json)?;
                check_nested(&answer.data.rows, PARENTS)
            }
        }
    }
}

fn check_flat(rows: &[Measurement<'_>], count: u32) -> Result<u64, String> {
    check_count(rows.len(), count)?;
    for (id, row) in (1..).zip(rows) {
        let place = format!("place {}", id % 1000);
        let expected = Measurement { id, place: &place, amount: value(id) };
        if *row != expected {
            return Err(format!("has {row:?} where {expected:?} should be"));
        }
    }
    Ok(rows.len() as u64)
}

fn check_nested(rows: &[Shipment<'_>], count: u32) -> Result<u64, String> {
    check_count(rows.len(), count)?;
    let mut all = 0;
    for (id, row) in (1..).zip(rows) {
        let carrier = 1 + id % 100;
        let name = format!("shipment {id}");
        let carrier_name = format!("carrier {carrier}");
        let parcels = (1..=CHILDREN).map(|child| {
            let id = (id - 1) * CHILDREN + child;
            Parcel { id, weight: value(id) }
        });
        let expected = Shipment {
            id,
            name: &name,
            carrier: Carrier { id: carrier, name: &carrier_name },
            parcels: parcels.collect(),
        };
        if *row != expected {
            return Err(format!("has {row:?} where {expected:?} should be"));
        }
        all += 2 + row.parcels.len() as u64;
    }
    Ok(all)
}

fn check_count(found: usize, count: u32) -> Result<(), String> {
    match found == count as usize {
        true => Ok(()),
        false => Err(format!("has {found} rows where {count} should be")),
    }
}

/// The value of a row by its id, as the scripts make it.
fn value(id: u32) -> u32 {
    id * 7 % 1009
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT_ROWS: &str =
        r#"[{"id":1,"place":"place 1","amount":7},{"id":2,"place":"place 2","amount":14}]"#;
    const NESTED_ROW: &str = r#"[{"id":1,"name":"shipment 1","carrier":{"id":2,"name":"carrier 2"},"parcels":[{"id":1,"weight":7},{"id":2,"weight":14},{"id":3,"weight":21},{"id":4,"weight":28},{"id":5,"weight":35}]}]"#;

    fn flat(rows: &str) -> Result<u64, String> {
        let rows: Vec<Measurement<'_>> = serde_json::from_str(rows).unwrap();
        check_flat(&rows, 2)
    }

    fn nested(rows: &str) -> Result<u64, String> {
        let rows = rows.replace("carrier\":{", "carrierByCarrierId\":{");
        let rows = rows.replace("parcels\":[", "parcelsByShipmentIdList\":[");
        let rows: Vec<Shipment<'_>> = serde_json::from_str(&rows).unwrap();
        check_nested(&rows, 1)
    }

    #[test]
    fn an_answer_has_every_row_with_its_values() {
        assert_eq!(flat(FLAT_ROWS), Ok(2));
        assert_eq!(nested(NESTED_ROW), Ok(7));
        let wrong = flat(&FLAT_ROWS.replace(":14", ":15"));
        assert!(wrong.unwrap_err().contains("amount: 15"));
        assert!(flat("[]").unwrap_err().contains("has 0 rows where 2 should be"));
        assert!(nested(&NESTED_ROW.replace(r#",{"id":5,"weight":35}"#, "")).is_err());
        assert!(nested(&NESTED_ROW.replace("carrier 2", "carrier 3")).is_err());
    }

    #[test]
    fn a_part_of_an_answer_and_one_with_errors_are_none() {
        let half = r#"{"data":{"allMeasurementsList":[{"id":1,"place":"place 1""#;
        assert!(Long::Flat.check(half.as_bytes()).is_err());
        let failed = r#"{"data":{"allMeasurementsList":[]},"errors":[{"message":"no"}]}"#;
        assert!(Long::Flat.check(failed.as_bytes()).unwrap_err().contains("errors"));
        let few = r#"{"data":{"allShipmentsList":[]}}"#;
        assert!(Long::Nested.check(few.as_bytes()).unwrap_err().contains("has 0 rows"));
    }
}
