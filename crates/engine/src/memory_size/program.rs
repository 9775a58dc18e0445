//! The bytes of programs.

use relational::{
    ApartColumn, BoundedPages, Level, LevelKind, Link, ObjectList, ObjectPlace, ObjectSource, Page,
    Parameter, ParameterSource, Program, Repeats, Requirement, Test, Unit,
};
use source_neo4j::program::{
    GraphLevel, GraphParameter, GraphProgram, GraphStatement, GraphTransaction, LevelPage,
    ParameterType,
};

use super::{COUNTERS, MemorySize, of_shared, plain, sum};

plain!(ApartColumn, ir::Counter);

/// In all forms that were made until now, each with its statements as they are sent.
impl MemorySize for sources::Plan {
    fn memory_size(&self) -> usize {
        match self {
            Self::Sqlite(plan) => size_of_val(&**plan) + sum!(&plan.program.program),
            Self::Postgres(plan) => {
                let program = &plan.program;
                let forms =
                    program.forms().map(|form| form.statement_bytes() + sum!(&form.program));
                let own_request = program
                    .own_request()
                    .map_or(0, |request| COUNTERS + size_of_val(request) + request.memory_size());
                size_of_val(&**plan) + forms.sum::<usize>() + program.form_bytes() + own_request
            }
            Self::Neo4j(plan) => size_of_val(&**plan) + sum!(&plan.program),
        }
    }
}

impl MemorySize for Program {
    fn memory_size(&self) -> usize {
        let Self { levels, layout, units } = self;
        sum!(levels, layout, units)
    }
}

impl MemorySize for Unit {
    fn memory_size(&self) -> usize {
        let Self {
            roots,
            requirements,
            isolation: _,
            levels: _,
            writes: _,
            may_be_long: _,
            finds_or_inserts: _,
        } = self;
        sum!(roots, requirements)
    }
}

impl MemorySize for Requirement {
    fn memory_size(&self) -> usize {
        let Self { after: _, test, root: _, otherwise, gaps, when } = self;
        size_of_val(&**when)
            + sum!(gaps)
            + match test {
                Test::RowThere | Test::NoRow => sum!(otherwise),
                Test::AtMost(most) => sum!(most, otherwise),
            }
    }
}

impl MemorySize for Level {
    fn memory_size(&self) -> usize {
        let Self {
            id: _,
            root: _,
            name,
            kind,
            parent: _,
            end: _,
            text,
            bounded,
            parameters,
            parents: _,
            repeats,
            apart,
            link,
            round: _,
            calls: _,
            when,
            columns: _,
            sorted_by: _,
        } = self;
        size_of_val(&**when) + sum!(name, kind, text, bounded, parameters, repeats, apart, link)
    }
}

impl MemorySize for LevelKind {
    fn memory_size(&self) -> usize {
        match self {
            Self::Rows(Page { limit, offset, look_ahead: _, from_end: _ }) => sum!(limit, offset),
            Self::Count | Self::Aggregate | Self::Groups | Self::Write(_) => 0,
        }
    }
}

impl MemorySize for BoundedPages {
    fn memory_size(&self) -> usize {
        self.bytes()
    }
}

impl MemorySize for Parameter {
    fn memory_size(&self) -> usize {
        let Self { source, kind: _ } = self;
        sum!(source)
    }
}

impl MemorySize for ParameterSource {
    fn memory_size(&self) -> usize {
        match self {
            ParameterSource::Operand(operand) => sum!(operand),
            ParameterSource::Objects(list) => {
                let ObjectList { table, only_if: _, which: _, each } = &**list;
                size_of::<ObjectList>() + of_shared(table) + sum!(each)
            }
            ParameterSource::Columns(columns) => {
                columns.iter().map(|own| size_of::<Parameter>() + own.memory_size()).sum()
            }
            ParameterSource::WholeRows { level: _, columns } => size_of_val(&**columns),
            ParameterSource::Parent { column: _ }
            | ParameterSource::Keys { level: _, column: _ }
            | ParameterSource::Rows { level: _, column: _ }
            | ParameterSource::Results { level: _, column: _ }
            | ParameterSource::Result { level: _, row: _, column: _ } => 0,
        }
    }
}

impl MemorySize for ObjectSource {
    fn memory_size(&self) -> usize {
        let Self {
            found,
            new: _,
            identity,
            further,
            description,
            has_key: _,
            held,
            is_outermost: _,
            unless,
            missing,
            existing,
        } = self;
        sum!(found, identity, further, description, held, unless, missing, existing)
    }
}

impl MemorySize for ObjectPlace {
    fn memory_size(&self) -> usize {
        0
    }
}

impl MemorySize for Repeats {
    fn memory_size(&self) -> usize {
        let Self { key, columns: _, is_short: _ } = self;
        sum!(key)
    }
}

impl MemorySize for Link {
    fn memory_size(&self) -> usize {
        let Self { parent_columns, columns } = self;
        sum!(parent_columns, columns)
    }
}

impl MemorySize for GraphProgram {
    fn memory_size(&self) -> usize {
        let Self { transactions, levels, layout } = self;
        sum!(transactions, levels, layout)
    }
}

impl MemorySize for GraphTransaction {
    fn memory_size(&self) -> usize {
        let Self { access: _, statements } = self;
        sum!(statements)
    }
}

impl MemorySize for GraphStatement {
    fn memory_size(&self) -> usize {
        let Self { root: _, text, parameters, touched: _ } = self;
        sum!(text, parameters)
    }
}

impl MemorySize for GraphParameter {
    fn memory_size(&self) -> usize {
        let Self { operand, r#type } = self;
        sum!(operand, r#type)
    }
}

impl MemorySize for ParameterType {
    fn memory_size(&self) -> usize {
        match self {
            Self::List(of) => sum!(of),
            Self::Row(members) | Self::Map(members) => sum!(members),
            Self::Boolean
            | Self::Integer
            | Self::Float
            | Self::Text
            | Self::Date
            | Self::LocalTime
            | Self::Time
            | Self::LocalDateTime
            | Self::DateTime
            | Self::Duration
            | Self::GeographicPoint
            | Self::CartesianPoint
            | Self::Packed
            | Self::Any => 0,
        }
    }
}

impl MemorySize for GraphLevel {
    fn memory_size(&self) -> usize {
        let Self { rows: _, width: _, page, counters } = self;
        let LevelPage { limit, offset, look_ahead: _ } = page;
        sum!(counters, limit, offset)
    }
}
