//! The order of the measurements.

use super::record::{Setting, Sharing};
use super::subgraphs::{Data, Form};

/// A setting with its loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) setting: Setting,
    /// Connections of the closed loops; without any, requests to subgraphs are only counted.
    pub(super) connections: &'static [u32],
    /// Whether arrival rates are raised too.
    pub(super) has_rates: bool,
}

/// The base setting: each other one differs in one thing.
pub(super) const ALONE: Setting = Setting {
    cores: 1,
    delay_milliseconds: 0,
    sharing: Sharing::None,
    form: Form::Canned,
    data: Data::Published,
};
/// The setting whose latency is that of the slowest chain of requests.
pub(super) const DELAYED: Setting = Setting { delay_milliseconds: DELAY, ..ALONE };
const DELAY: u64 = 10;

/// All stages of a run whose subgraphs mostly have a form, or only a few.
pub(super) fn stages(form: Form, quick: bool) -> Vec<Stage> {
    let stage = |setting, connections, has_rates| Stage { setting, connections, has_rates };
    let alone = Setting { form, ..ALONE };
    let delayed = Setting { form, ..DELAYED };
    let sixth = stage(Setting { data: Data::Sixth, ..alone }, &[], false);
    if quick {
        return vec![stage(alone, &[1, 50], false), stage(delayed, &[1, 50], false), sixth];
    }
    vec![
        stage(alone, &[1, 16, 50], true),
        stage(delayed, &[1, 16, 50], false),
        sixth,
        stage(Setting { sharing: Sharing::All, ..alone }, &[1, 16, 50], false),
        stage(Setting { cores: 2, ..alone }, &[1, 16, 50], false),
        stage(Setting { form: form.other(), ..alone }, &[1, 50], false),
        stage(Setting { data: Data::Distinct, ..alone }, &[1, 16, 50], false),
    ]
}

/// All participants, with another one first in each round.
pub(super) fn turns<T>(all: &[T], round: u32) -> impl Iterator<Item = &T> {
    let first = usize::try_from(round).unwrap_or_default().saturating_sub(1) % all.len().max(1);
    all.iter().cycle().skip(first).take(all.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_one_is_first_in_each_round() {
        let order = |round| turns(&['a', 'b', 'c'], round).collect::<String>();
        assert_eq!((order(1), order(2), order(4)), ("abc".into(), "bca".into(), "abc".into()));
        assert_eq!(turns::<char>(&[], 2).count(), 0);
    }

    #[test]
    fn one_setting_has_the_other_form_of_subgraphs() {
        for form in [Form::Canned, Form::Live] {
            let all = stages(form, false);
            let others = all.iter().filter(|stage| stage.setting.form != form).count();
            assert_eq!((all[0].setting.form, others), (form, 1));
        }
    }

    #[test]
    fn what_the_targets_are_about_is_in_every_run() {
        for quick in [true, false] {
            let stages = stages(Form::Canned, quick);
            let alone = stages.iter().find(|stage| stage.setting == ALONE).unwrap();
            assert!(alone.connections.contains(&1) && alone.connections.contains(&50));
            assert!(stages.iter().any(|stage| stage.setting == DELAYED));
            assert!(stages.iter().any(|stage| stage.setting.data == Data::Sixth));
        }
    }
}
