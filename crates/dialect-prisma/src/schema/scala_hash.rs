//! Hashes of Scala 2.12, and the order of its maps and sets, by which Prisma's server orders what it
//! prints.

/// Greatest number of elements of a map or set that keeps the order of insertion.
const SMALL: usize = 4;

/// Seed of hashes of case classes.
const PRODUCT: u32 = 0xcafe_babe;

/// Places of a new mutable map.
const PLACES: usize = 16;

/// The hash of a string.
pub(super) fn text(text: &str) -> u32 {
    text.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()))
}

/// The hash of a value of an enumeration, by its number.
pub(super) fn enumerated(number: u32) -> u32 {
    number
}

/// The hash of `Some` by that of its value.
pub(super) fn some(hash: u32) -> u32 {
    product(&[hash])
}

/// The hash of a case class by those of its members: MurmurHash3.
pub(super) fn product(members: &[u32]) -> u32 {
    let mut hash = PRODUCT;
    for member in members {
        let mixed = member.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        hash = (hash ^ mixed).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    hash ^= u32::try_from(members.len()).unwrap_or(u32::MAX);
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

/// The elements in the order of a mutable map to which they are added.
pub(super) fn map_order<T>(elements: Vec<T>, hash: impl Fn(&T) -> u32) -> Vec<T> {
    let mut places: Vec<Vec<T>> = empty(PLACES);
    for (count, element) in (1..).zip(elements) {
        let place = map_place(hash(&element), places.len());
        places[place].insert(0, element);
        // Three quarters are taken.
        if count * 4 > places.len() * 3 {
            let mut more = empty(places.len() * 2);
            for element in places.into_iter().rev().flatten() {
                let place = map_place(hash(&element), more.len());
                more[place].insert(0, element);
            }
            places = more;
        }
    }
    places.into_iter().rev().flatten().collect()
}

fn empty<T>(places: usize) -> Vec<Vec<T>> {
    (0..places).map(|_| Vec::new()).collect()
}

/// The place of a hash among a power of two.
fn map_place(hash: u32, places: usize) -> usize {
    let factor = 0x9e37_75cd;
    let mixed = hash.wrapping_mul(factor).swap_bytes().wrapping_mul(factor);
    // The seed of a table is the number of bits of its places.
    let bits = places.trailing_zeros();
    let improved = mixed.rotate_right(bits);
    (improved >> (u32::BITS - bits)) as usize
}

/// The elements in the order of an immutable map or set to which they are added.
pub(super) fn set_order<T>(mut elements: Vec<T>, hash: impl Fn(&T) -> u32) -> Vec<T> {
    if elements.len() > SMALL {
        elements.sort_by_cached_key(|element| trie_path(hash(element)));
    }
    elements
}

/// The place of a hash in a trie with five bits a level, from the lowest ones.
fn trie_path(hash: u32) -> [u32; 7] {
    let hash = hash.wrapping_add(!(hash << 9));
    let hash = hash ^ hash >> 14;
    let hash = hash.wrapping_add(hash << 4);
    let hash = hash ^ hash >> 10;
    [0, 5, 10, 15, 20, 25, 30].map(|shift| hash >> shift & 31)
}

#[cfg(test)]
mod tests {
    use super::{map_order, product, set_order, text};

    #[test]
    fn strings_have_the_hashes_of_java() {
        assert_eq!([text(""), text("a"), text("None")], [0, 97, 2_433_880]);
        assert_eq!(text("PostToUser"), text("PostToUser"));
        assert_ne!(product(&[1, 2]), product(&[2, 1]));
    }

    #[test]
    fn orders_keep_all_elements() {
        let numbers: Vec<u32> = (0..40).collect();
        for mut ordered in
            [map_order(numbers.clone(), |own| *own), set_order(numbers.clone(), |own| *own)]
        {
            assert_ne!(ordered, numbers);
            ordered.sort_unstable();
            assert_eq!(ordered, numbers);
        }
        assert_eq!(set_order(vec![9, 3, 5], |own| *own), [9, 3, 5]);
    }
}
