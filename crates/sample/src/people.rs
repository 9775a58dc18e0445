//! Employees and customers: written by hand, one a line; only numbers and addresses are made up.

use crate::Table;
use crate::cell::Cell;
use crate::random::Random;
use crate::timestamp::Timestamp;

/// A customer, with what the invoices repeat.
pub(crate) struct Customer {
    pub(crate) id: i32,
    pub(crate) address: &'static str,
    pub(crate) city: &'static str,
    pub(crate) state: Option<&'static str>,
    pub(crate) country: &'static str,
    pub(crate) postal_code: Option<&'static str>,
    first_name: &'static str,
    last_name: &'static str,
    company: Option<&'static str>,
    phone: &'static str,
    fax: Option<&'static str>,
}

/// The employees, each after the one they report to.
pub(crate) fn employee_table() -> Table {
    let mut random = Random::new(1);
    let lines = include_str!("words/employees.txt").lines();
    Table {
        name: "employee",
        columns: &[
            "employee_id",
            "last_name",
            "first_name",
            "title",
            "reports_to",
            "birth_date",
            "hire_date",
            "address",
            "city",
            "state",
            "country",
            "postal_code",
            "phone",
            "fax",
            "email",
        ],
        rows: (1..)
            .zip(lines)
            .filter_map(|(id, line)| employee_row(&mut random, id, line))
            .collect(),
    }
}

pub(crate) fn customers() -> Vec<Customer> {
    let lines = include_str!("words/customers.txt").lines();
    (1..).zip(lines).filter_map(|(id, line)| parse_customer(id, line)).collect()
}

pub(crate) fn customer_table(customers: &[Customer]) -> Table {
    let mut random = Random::new(2);
    Table {
        name: "customer",
        columns: &[
            "customer_id",
            "first_name",
            "last_name",
            "company",
            "address",
            "city",
            "state",
            "country",
            "postal_code",
            "phone",
            "fax",
            "email",
            "support_rep_id",
        ],
        rows: customers.iter().map(|customer| customer_row(&mut random, customer)).collect(),
    }
}

/// `None` for a line without all of its parts, which the test of the row counts then shows.
fn employee_row(random: &mut Random, id: i32, line: &'static str) -> Option<Vec<Cell>> {
    let parts: Vec<&str> = line.split('|').collect();
    let [last, first, title, boss, born, hired, address, city, state, country, code, phone, fax] =
        parts[..]
    else {
        return None;
    };
    Some(vec![
        id.into(),
        last.into(),
        first.into(),
        title.into(),
        boss.parse::<i32>().ok().into(),
        Timestamp::parse_date(born).into(),
        Timestamp::parse_date(hired).into(),
        address.into(),
        city.into(),
        state.into(),
        country.into(),
        code.into(),
        random.digits(phone).into(),
        random.digits(fax).into(),
        [&ascii(first), "@riverbed.example"].concat().into(),
    ])
}

fn parse_customer(id: i32, line: &'static str) -> Option<Customer> {
    let parts: Vec<&'static str> = line.split('|').collect();
    let [first_name, last_name, company, address, city, state, country, postal_code, phone, fax] =
        parts[..]
    else {
        return None;
    };
    Some(Customer {
        id,
        address,
        city,
        state: non_empty(state),
        country,
        postal_code: non_empty(postal_code),
        first_name,
        last_name,
        company: non_empty(company),
        phone,
        fax: non_empty(fax),
    })
}

fn customer_row(random: &mut Random, customer: &Customer) -> Vec<Cell> {
    let initial: String = ascii(customer.first_name).chars().take(1).collect();
    let domain = random.pick(&["@example.com", "@example.org", "@example.net"]);
    let email = [&initial, ".", &ascii(customer.last_name), domain].concat();
    vec![
        customer.id.into(),
        customer.first_name.into(),
        customer.last_name.into(),
        customer.company.into(),
        customer.address.into(),
        customer.city.into(),
        customer.state.into(),
        customer.country.into(),
        customer.postal_code.into(),
        random.digits(customer.phone).into(),
        customer.fax.map(|pattern| random.digits(pattern)).into(),
        email.into(),
        // The three sales support agents.
        random.between(3, 5).into(),
    ]
}

fn non_empty(part: &'static str) -> Option<&'static str> {
    (!part.is_empty()).then_some(part)
}

/// The name in small ASCII letters, for an email address; what is no letter is left out.
fn ascii(name: &str) -> String {
    name.to_lowercase().chars().filter_map(ascii_letter).collect()
}

fn ascii_letter(character: char) -> Option<char> {
    match character {
        'a'..='z' => Some(character),
        'á' | 'à' | 'ã' | 'å' | 'ä' | 'ą' => Some('a'),
        'ç' | 'č' | 'ć' => Some('c'),
        'é' | 'è' | 'ê' | 'ë' | 'ě' => Some('e'),
        'í' | 'î' | 'ï' => Some('i'),
        'ł' => Some('l'),
        'ñ' | 'ń' => Some('n'),
        'ó' | 'ô' | 'õ' | 'ö' | 'ō' | 'ø' => Some('o'),
        'ř' => Some('r'),
        'š' | 'ś' | 'ß' => Some('s'),
        'ú' | 'ü' | 'ů' => Some('u'),
        'ý' => Some('y'),
        'ž' | 'ź' | 'ż' => Some('z'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_of_a_name_reaches_the_email_address() {
        assert_eq!(ascii("Weißmann"), "weismann");
        assert_eq!(ascii("O'Dwyer"), "odwyer");
        for customer in customers() {
            for name in [customer.first_name, customer.last_name] {
                let count =
                    name.to_lowercase().chars().filter(|letter| letter.is_alphabetic()).count();
                assert_eq!(ascii(name).len(), count, "{name}");
            }
        }
    }
}
