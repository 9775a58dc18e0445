//! Asking until a server is as fast as it gets.

/// Two loops in a row that differ by less are the same.
const STEADY: f64 = 0.05;

/// Runs loops until two in a row differ by less than 5 %, at most so many, and gives the speed of
/// the last one.
pub(crate) fn until_steady<E>(
    most: u32,
    mut measure: impl FnMut() -> Result<f64, E>,
) -> Result<f64, E> {
    let mut last = measure()?;
    for _ in 1..most {
        let speed = measure()?;
        let is_steady = (speed - last).abs() < STEADY * last.max(speed);
        last = speed;
        if is_steady {
            break;
        }
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(speeds: &[f64], most: u32, loops: usize) {
        let mut asked = 0;
        let speed = until_steady(most, || {
            asked += 1;
            speeds.get(asked - 1).copied().ok_or("asked too often")
        });
        assert_eq!(asked, loops, "{speeds:?}");
        assert_eq!(speed, Ok(speeds[loops - 1]));
    }

    #[test]
    fn it_ends_when_two_in_a_row_are_alike() {
        check(&[100.0, 200.0, 300.0, 310.0, 900.0], 6, 4);
        check(&[100.0, 104.0], 6, 2);
        // Slower is as different as faster.
        check(&[100.0, 90.0, 89.0], 6, 3);
    }

    #[test]
    fn it_ends_where_nothing_becomes_steady() {
        check(&[1.0, 2.0, 1.0, 2.0, 1.0, 2.0], 4, 4);
        check(&[5.0], 1, 1);
        check(&[0.0, 0.0, 0.0], 3, 3);
    }

    #[test]
    fn a_failure_ends_it() {
        assert_eq!(until_steady(3, || Err::<f64, _>("no")), Err("no"));
    }
}
