//! Asking until a server is as fast as it gets.

/// Two loops in a row that differ by less are the same.
const STEADY: f64 = 0.05;

/// Runs loops until two in a row differ by less than 5 %, at most so many, and gives the speed of
/// the last one. `known` is what the server has reached before, which one loop may be compared with.
pub(crate) fn until_steady<E>(
    most: u32,
    known: Option<f64>,
    mut measure: impl FnMut() -> Result<f64, E>,
) -> Result<f64, E> {
    let mut last = known;
    let mut left = most.max(1);
    loop {
        let speed = measure()?;
        left -= 1;
        let is_steady = last.is_some_and(|last| (speed - last).abs() < STEADY * last.max(speed));
        if is_steady || left == 0 {
            return Ok(speed);
        }
        last = Some(speed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(known: Option<f64>, speeds: &[f64], most: u32, loops: usize) {
        let mut asked = 0;
        let speed = until_steady(most, known, || {
            asked += 1;
            speeds.get(asked - 1).copied().ok_or("asked too often")
        });
        assert_eq!(asked, loops, "{speeds:?}");
        assert_eq!(speed, Ok(speeds[loops - 1]));
    }

    #[test]
    fn it_ends_when_two_in_a_row_are_alike() {
        check(None, &[100.0, 200.0, 300.0, 310.0, 900.0], 6, 4);
        check(None, &[100.0, 104.0], 6, 2);
        // Slower is as different as faster.
        check(None, &[100.0, 90.0, 89.0], 6, 3);
    }

    #[test]
    fn it_ends_where_nothing_becomes_steady() {
        check(None, &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0], 4, 4);
        check(None, &[5.0], 1, 1);
        check(None, &[0.0, 0.0, 0.0], 3, 3);
    }

    #[test]
    fn one_loop_is_enough_where_the_speed_is_known_and_reached() {
        check(Some(100.0), &[98.0, 200.0], 6, 1);
        // Something has changed, or it is cold.
        check(Some(100.0), &[50.0, 80.0, 99.0, 100.0], 6, 4);
        check(Some(100.0), &[120.0, 121.0], 6, 2);
    }

    #[test]
    fn a_failure_ends_it() {
        assert_eq!(until_steady(3, None, || Err::<f64, _>("no")), Err("no"));
    }
}
