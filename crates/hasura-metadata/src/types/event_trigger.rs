//! Events: of rows of a table, and by a schedule.

use serde_json::Number;

use crate::json::Json;
use crate::problem::ProblemKind;
use crate::reader::Reader;
use crate::types::connection::TextOrEnv;
use crate::types::name::Name;
use crate::types::permission::Columns;
use crate::types::webhook::{Header, RequestTransform, ResponseTransform};

object! {
    /// Requests for changes of rows.
    EventTrigger, then check_webhook {
        required name: Name = "name",
        required definition: EventTriggerDefinition = "definition",
        required retry_conf: RetryConfiguration = "retry_conf",
        optional webhook: String = "webhook",
        optional webhook_from_env: String = "webhook_from_env",
        default headers: Vec<Header> = "headers",
        optional request_transform: RequestTransform = "request_transform",
        optional response_transform: ResponseTransform = "response_transform",
        optional cleanup_config: CleanupConfiguration = "cleanup_config",
        omitted trigger_on_replication: bool = "trigger_on_replication" (false),
    }
}

keyed!(EventTrigger, "event trigger", |trigger| trigger.name.text.clone());

fn check_webhook(trigger: &mut EventTrigger, reader: &mut Reader) -> Option<()> {
    if trigger.webhook.is_some() != trigger.webhook_from_env.is_some() {
        return Some(());
    }
    let message = "One of the keys webhook and webhook_from_env is wanted.";
    reader.report(ProblemKind::WrongValue, &trigger.place.mark, message.into());
    None
}

object! {
    /// The changes for which there are requests.
    EventTriggerDefinition {
        optional delete: EventOperation = "delete",
        omitted enable_manual: bool = "enable_manual" (false),
        optional insert: EventOperation = "insert",
        optional update: EventOperation = "update",
    }
}

object! {
    /// Columns of a kind of change.
    EventOperation {
        /// Those whose change is an event.
        required columns: Columns = "columns",
        /// Those in the request; absent for all.
        optional payload: Columns = "payload",
    }
}

object! {
    /// Repetitions of failed requests. Times are in seconds.
    RetryConfiguration {
        always interval_sec: u64 = "interval_sec" (10),
        always num_retries: u64 = "num_retries" (0),
        optional timeout_sec: u64 = "timeout_sec",
    }
}

object! {
    /// Removal of old events.
    CleanupConfiguration {
        always batch_size: u64 = "batch_size" (10_000),
        always clean_invocation_logs: bool = "clean_invocation_logs" (false),
        /// Hours.
        required clear_older_than: u64 = "clear_older_than",
        always paused: bool = "paused" (false),
        required schedule: String = "schedule",
        /// Seconds.
        always timeout: u64 = "timeout" (60),
    }
}

object! {
    /// Requests by a schedule.
    CronTrigger {
        required name: Name = "name",
        required webhook: TextOrEnv = "webhook",
        /// An expression as of cron.
        required schedule: String = "schedule",
        required include_in_metadata: bool = "include_in_metadata",
        optional payload: Json = "payload",
        optional retry_conf: ScheduledRetryConfiguration = "retry_conf",
        default headers: Vec<Header> = "headers",
        optional comment: String = "comment",
        optional request_transform: RequestTransform = "request_transform",
        optional response_transform: ResponseTransform = "response_transform",
    }
}

keyed!(CronTrigger, "cron trigger", |trigger| trigger.name.text.clone());

object! {
    /// Repetitions of failed requests of a schedule. Times are in seconds.
    ScheduledRetryConfiguration {
        always num_retries: u64 = "num_retries" (0),
        always retry_interval_seconds: Number = "retry_interval_seconds" (10.into()),
        always timeout_seconds: Number = "timeout_seconds" (60.into()),
        /// The delay after which a request is dropped.
        always tolerance_seconds: Number = "tolerance_seconds" (21_600.into()),
    }
}
