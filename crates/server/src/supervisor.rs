//! Notifications to a supervisor such as systemd, if `NOTIFY_SOCKET` is set.

use sd_notify::NotifyState;

/// Notifies that requests are answered, also after a reload, successful or not.
pub(crate) fn notify_ready() {
    notify(&[NotifyState::Ready]);
}

pub(crate) fn notify_reloading() {
    match NotifyState::monotonic_usec_now() {
        // The time by which systemd matches the notification with its own signal.
        Ok(now) => notify(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!(%error, "no clock; the supervisor was not notified"),
    }
}

pub(crate) fn notify_stopping() {
    notify(&[NotifyState::Stopping]);
}

fn notify(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the supervisor could not be notified");
    }
}
