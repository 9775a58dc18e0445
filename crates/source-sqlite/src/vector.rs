//! Distances of vectors, which are JSON lists of numbers. PostgreSQL's functions of `vectors.sql`
//! compute the same values in the same order.

/// A distance of two vectors.
pub(super) type Measure = fn(&[f64], &[f64]) -> Option<f64>;

/// The numbers of a list; `None` if it is none.
pub(super) fn read(text: &str) -> Option<Vec<f64>> {
    serde_json::from_str(text).ok()
}

/// The square root of the sum of the squared differences.
pub(super) fn euclidean(one: &[f64], other: &[f64]) -> Option<f64> {
    Some(sum(one, other, |one, other| (one - other) * (one - other))?.sqrt())
}

/// One less the cosine of the angle between both; `None` of a vector without a length.
pub(super) fn cosine(one: &[f64], other: &[f64]) -> Option<f64> {
    let lengths = (dot(one, one)? * dot(other, other)?).sqrt();
    Some(1.0 - dot(one, other)? / lengths).filter(|distance| distance.is_finite())
}

/// One less the dot product.
pub(super) fn dot_product(one: &[f64], other: &[f64]) -> Option<f64> {
    Some(1.0 - dot(one, other)?)
}

fn dot(one: &[f64], other: &[f64]) -> Option<f64> {
    sum(one, other, |one, other| one * other)
}

/// The sum of a function of each pair of numbers; `None` if the lengths differ, or are zero.
fn sum(one: &[f64], other: &[f64], of: impl Fn(f64, f64) -> f64) -> Option<f64> {
    if one.is_empty() || one.len() != other.len() {
        return None;
    }
    Some(one.iter().zip(other).fold(0.0, |sum, (one, other)| sum + of(*one, *other)))
}

#[cfg(test)]
mod tests {
    use super::{cosine, dot_product, euclidean, read};

    #[test]
    fn distances_are_those_of_dgraph() {
        assert_eq!(euclidean(&[0.0, 3.0], &[4.0, 0.0]), Some(5.0));
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 2.0]), Some(1.0));
        assert_eq!(cosine(&[1.0, 1.0], &[2.0, 2.0]), Some(0.0));
        assert_eq!(dot_product(&[1.0, 2.0], &[3.0, 0.5]), Some(-3.0));
    }

    #[test]
    fn vectors_of_other_lengths_have_no_distance() {
        for distance in [euclidean, cosine, dot_product] {
            assert_eq!(distance(&[1.0], &[1.0, 2.0]), None);
            assert_eq!(distance(&[], &[]), None);
        }
        assert_eq!(cosine(&[0.0, 0.0], &[1.0, 0.0]), None);
    }

    #[test]
    fn vectors_are_lists_of_numbers() {
        assert_eq!(read("[1, 2.5e0]"), Some(vec![1.0, 2.5]));
        assert_eq!(read("[1,null]"), None);
        assert_eq!(read("1"), None);
    }
}
