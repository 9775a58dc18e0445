//! Events and their attempts as JSON, as the metadata API of Hasura has them.

use source::event_log::{EventReport, Page, ScheduledQueue};
use tokio_postgres::types::Type;

use super::{EventLogError, Parameter, PostgresEventLog, column};

impl PostgresEventLog {
    /// A report as JSON; `None` if it is about one event that does not exist.
    pub async fn report(&self, report: &EventReport<'_>) -> Result<Option<String>, EventLogError> {
        match report {
            EventReport::Events { trigger, pending, page } => {
                let Page { limit, offset } = page;
                let parameters: [_; 4] = [
                    (trigger as _, Type::TEXT),
                    (pending as _, Type::BOOL),
                    (limit as _, Type::INT8),
                    (offset as _, Type::INT8),
                ];
                self.text(include_str!("report_events.sql"), &parameters).await
            }
            EventReport::Invocations { trigger, page } => {
                let statement = include_str!("report_invocations.sql");
                self.of_name(statement, trigger, *page).await
            }
            EventReport::Event { id, page } => {
                self.of_name(include_str!("report_event.sql"), id, *page).await
            }
            EventReport::Scheduled { queue, statuses, page } => {
                let (statement, name) = match queue {
                    ScheduledQueue::Cron(name) => (include_str!("report_cron.sql"), *name),
                    ScheduledQueue::OneOff => (include_str!("report_one_off.sql"), None),
                };
                let Page { limit, offset } = page;
                let parameters: [_; 4] = [
                    (&name as _, Type::TEXT),
                    (statuses as _, Type::TEXT_ARRAY),
                    (limit as _, Type::INT8),
                    (offset as _, Type::INT8),
                ];
                self.text(statement, &parameters).await
            }
            EventReport::ScheduledInvocations { queue, event, page } => {
                let (statement, name) = match queue {
                    ScheduledQueue::Cron(name) => {
                        (include_str!("report_cron_invocations.sql"), *name)
                    }
                    ScheduledQueue::OneOff => {
                        (include_str!("report_one_off_invocations.sql"), None)
                    }
                };
                let Page { limit, offset } = page;
                let parameters: [_; 4] = [
                    (&name as _, Type::TEXT),
                    (event as _, Type::TEXT),
                    (limit as _, Type::INT8),
                    (offset as _, Type::INT8),
                ];
                self.text(statement, &parameters).await
            }
        }
    }

    /// Removes an event of a schedule with its attempts.
    pub async fn delete_scheduled(
        &self,
        queue: ScheduledQueue<'_>,
        id: &str,
    ) -> Result<(), EventLogError> {
        let statement = match queue {
            ScheduledQueue::Cron(_) => include_str!("delete_cron.sql"),
            ScheduledQueue::OneOff => include_str!("delete_one_off.sql"),
        };
        let client = self.connect().await?;
        client.query_typed(statement, &[(&id as _, Type::TEXT)]).await?;
        Ok(())
    }

    async fn of_name(
        &self,
        statement: &str,
        name: &str,
        Page { limit, offset }: Page,
    ) -> Result<Option<String>, EventLogError> {
        let parameters: [_; 3] =
            [(&name as _, Type::TEXT), (&limit as _, Type::INT8), (&offset as _, Type::INT8)];
        self.text(statement, &parameters).await
    }

    async fn text(
        &self,
        statement: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<String>, EventLogError> {
        let client = self.connect().await?;
        let rows = client.query_typed(statement, parameters).await?;
        rows.first().map(|row| column(row, 0)).transpose()
    }
}
