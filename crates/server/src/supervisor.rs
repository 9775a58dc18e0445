//! What a supervisor such as systemd is told, if it asks by `NOTIFY_SOCKET`.

use sd_notify::NotifyState;

/// Requests are answered, also after a reload, whether it brought something new or not.
pub(crate) fn tell_ready() {
    tell(&[NotifyState::Ready]);
}

pub(crate) fn tell_reloading() {
    match NotifyState::monotonic_usec_now() {
        // By the time the supervisor knows that this is the answer to its own signal.
        Ok(now) => tell(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!(%error, "there is no clock; the supervisor was not told"),
    }
}

pub(crate) fn tell_stopping() {
    tell(&[NotifyState::Stopping]);
}

fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the supervisor could not be told");
    }
}
