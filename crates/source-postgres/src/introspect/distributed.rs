//! Tables that Citus distributes among servers.

use catalog::{Distribution, EntityKind, FieldAccess};

use super::fill::Fill;
use super::rows::DistributedTable;

impl Fill<'_> {
    /// Sets the servers that have the rows of tables. A row cannot move to another server: its
    /// distribution column is not updated.
    pub(super) fn distribute(&mut self, tables: &[DistributedTable]) {
        let mut is_distributed = false;
        for table in tables {
            let Some((entity, _)) = self.part(table.relation, &[]) else { continue };
            let number = table.number.filter(|_| !table.undivided);
            let by = number.and_then(|number| self.part(table.relation, &[number]));
            let by = by.and_then(|(_, fields)| fields.first().copied());
            let distribution = match (table.undivided, by) {
                (true, _) if table.reference => Distribution::Reference,
                (true, _) if table.colocation == 0 => Distribution::Local,
                (true, _) => Distribution::Single { colocation: table.colocation },
                (false, Some(by)) => Distribution::Distributed {
                    by,
                    // Without a group it has no other table beside it.
                    colocation: match table.colocation {
                        0 => table.relation,
                        colocation => colocation,
                    },
                },
                (false, None) => Distribution::Unknown,
            };
            if let Some(by) = by {
                let access = self.builder.catalog()[by].access;
                self.builder.set_field_access(by, FieldAccess { update: false, ..access });
            }
            is_distributed |= distribution.is_remote();
            self.builder.distribute(entity, distribution);
        }
        if !is_distributed {
            return;
        }
        let views: Vec<_> = self
            .builder
            .catalog()
            .entities()
            .filter(|entity| entity.kind == EntityKind::View)
            .map(|entity| entity.id)
            .collect();
        for view in views {
            self.builder.distribute(view, Distribution::Unknown);
        }
    }
}
