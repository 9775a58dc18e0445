//! Statements that define tables, for people to read: a line for each column.

mod terms;

use std::fmt::{self, Write as _};

use super::Printer;
use super::places::PlaceRows;
use crate::flavor::{Flavor, KeySequence, WordIndexes};
use crate::own::{OWN_SCHEMA, has_own_schema, own_object};
use crate::tree::definition::{
    Action, ColumnDefinition, Condition, Constraint, CreateTable, DataType, Definition,
    DeleteAction, IndexDefinition, IndexMethod, InsertedRows, NumberKey, TableRows, Tokens,
    Trigger, TriggerBody, TriggerEvent, WordForm, WordTable,
};
use crate::tree::{Identifier, TableName, VectorOperator};

/// Prints a statement that defines something.
#[must_use]
pub fn print_definition(definition: &Definition, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    // Writing to a string cannot fail.
    let _ = printer.definition(definition);
    printer.out
}

/// Prints a query of the rows of one table.
#[must_use]
pub fn print_table_rows(rows: &TableRows, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    // Writing to a string cannot fail.
    let _ = printer.table_rows(rows);
    printer.out
}

impl Printer<'_> {
    fn definition(&mut self, definition: &Definition) -> fmt::Result {
        match definition {
            Definition::CreateExtension(name) => {
                self.out.push_str("CREATE EXTENSION IF NOT EXISTS ");
                self.identifier(name);
            }
            Definition::CreateTable(table) => self.create_table(table)?,
            Definition::DropTable(name) => {
                self.out.push_str("DROP TABLE ");
                self.table_name(name);
            }
            Definition::RenameTable { table, to } => {
                self.alter_table(table);
                self.out.push_str("RENAME TO ");
                self.identifier(to);
            }
            Definition::FollowRenames(follow) => {
                let setting = if *follow { "OFF" } else { "ON" };
                self.out.push_str("PRAGMA legacy_alter_table = ");
                self.out.push_str(setting);
            }
            Definition::AddColumn { table, column, constraints } => {
                self.alter_table(table);
                self.out.push_str("ADD COLUMN ");
                self.column_definition(table, column)?;
                for constraint in constraints {
                    self.out.push(' ');
                    self.column_constraint(constraint)?;
                }
            }
            Definition::DropColumn { table, column } => {
                self.alter_table(table);
                self.out.push_str("DROP COLUMN ");
                self.identifier(column);
            }
            Definition::RenameColumn { table, column, to } => {
                self.alter_table(table);
                self.out.push_str("RENAME COLUMN ");
                self.renamed(column, to);
            }
            Definition::RenameConstraint { table, name, to } => {
                self.alter_table(table);
                self.out.push_str("RENAME CONSTRAINT ");
                self.renamed(name, to);
            }
            Definition::AlterType { table, column, data_type, using } => {
                self.alter_column(table, column);
                self.out.push_str(" TYPE ");
                self.data_type(data_type);
                self.out.push_str(" USING ");
                self.term(using)?;
            }
            Definition::AlterNull { table, column, is_required } => {
                self.alter_column(table, column);
                self.out.push_str(if *is_required { " SET NOT NULL" } else { " DROP NOT NULL" });
            }
            Definition::AddConstraint { table, constraint } => {
                self.alter_table(table);
                self.out.push_str("ADD ");
                self.constraint(constraint)?;
            }
            Definition::DropConstraint { table, name } => {
                self.alter_table(table);
                self.out.push_str("DROP CONSTRAINT ");
                self.identifier(name);
            }
            Definition::CreateIndex(index) => self.index(index),
            Definition::DropIndex(name) => {
                self.out.push_str("DROP INDEX ");
                self.table_name(name);
            }
            Definition::CreateWordTable(table) => self.word_table(table),
            Definition::FillWordTable(name) => {
                self.out.push_str("INSERT INTO ");
                self.table_name(name);
                self.column_list(&[&name.name]);
                self.out.push_str(" VALUES ('rebuild')");
            }
            Definition::CreatePlaceTable(table) => self.place_table(table),
            Definition::FillPlaceTable(table) => self.insert_places(table, PlaceRows::All)?,
            Definition::CreateFunction { name, body } => self.function(name, body)?,
            Definition::DropFunction(name) => {
                self.out.push_str("DROP FUNCTION ");
                self.table_name(name);
                self.out.push_str("()");
            }
            Definition::CreateTrigger(trigger) => self.trigger(trigger)?,
            Definition::DropTrigger { name, on } => {
                self.out.push_str("DROP TRIGGER ");
                self.identifier(name);
                // Where functions have the statements of triggers, triggers belong to their tables.
                if self.flavor.definitions.trigger_functions {
                    self.out.push_str(" ON ");
                    self.table_name(on);
                }
            }
            Definition::Action(action) => self.action(action)?,
        }
        Ok(())
    }

    fn alter_table(&mut self, table: &TableName) {
        self.out.push_str("ALTER TABLE ");
        self.table_name(table);
        self.out.push(' ');
    }

    fn renamed(&mut self, name: &Identifier, to: &Identifier) {
        self.identifier(name);
        self.out.push_str(" TO ");
        self.identifier(to);
    }

    fn alter_column(&mut self, table: &TableName, column: &Identifier) {
        self.alter_table(table);
        self.out.push_str("ALTER COLUMN ");
        self.identifier(column);
    }

    fn create_table(&mut self, table: &CreateTable) -> fmt::Result {
        self.out.push_str("CREATE TABLE ");
        self.table_name(&table.name);
        self.out.push_str(" (");
        for (index, column) in table.columns.iter().enumerate() {
            self.line(index);
            self.column_definition(&table.name, column)?;
        }
        for (index, constraint) in table.constraints.iter().enumerate() {
            self.line(index + table.columns.len());
            self.constraint(constraint)?;
        }
        self.out.push_str("\n)");
        if table.is_clustered && self.flavor.definitions.without_rowid {
            self.out.push_str(" WITHOUT ROWID");
        }
        Ok(())
    }

    fn line(&mut self, index: usize) {
        self.out.push_str(if index == 0 { "\n  " } else { ",\n  " });
    }

    fn column_definition(&mut self, table: &TableName, column: &ColumnDefinition) -> fmt::Result {
        self.identifier(&column.name);
        self.out.push(' ');
        match &column.key {
            None => {
                self.data_type(&column.data_type);
                if column.is_required {
                    self.out.push_str(" NOT NULL");
                }
            }
            Some(NumberKey::Serial { sequence, initial_value }) => {
                self.data_type(&column.data_type);
                if let KeySequence::Call(_) = self.flavor.sequence {
                    self.out.push_str(" GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME ");
                    self.table_name(sequence);
                    write!(self.out, " START WITH {initial_value})")?;
                }
                self.out.push_str(" PRIMARY KEY");
            }
            Some(key @ (NumberKey::Sequence | NumberKey::Given)) => {
                self.out.push_str(self.flavor.definitions.number_key);
                if let (NumberKey::Sequence, KeySequence::Call(_)) = (key, self.flavor.sequence) {
                    self.out.push_str(" DEFAULT ");
                    self.next_key(table.schema.as_ref())?;
                }
                self.out.push_str(" PRIMARY KEY");
            }
        }
        Ok(())
    }

    pub(super) fn data_type(&mut self, data_type: &DataType) {
        let name = match data_type {
            DataType::Boolean => "BOOLEAN",
            DataType::Integer => "INTEGER",
            DataType::BigInteger => "BIGINT",
            DataType::Double => "DOUBLE PRECISION",
            DataType::Text => "TEXT",
            DataType::Varchar(length) => {
                // Writing to a string cannot fail.
                let _ = write!(self.out, "VARCHAR({length})");
                return;
            }
            DataType::Uuid => "UUID",
            DataType::Decimal { precision, scale } => {
                // Writing to a string cannot fail.
                let _ = write!(self.out, "DECIMAL({precision},{scale})");
                return;
            }
            DataType::Timestamp => "TIMESTAMP(3)",
            DataType::TimestampWithZone => "TIMESTAMPTZ",
            DataType::Json => self.flavor.definitions.json,
            DataType::Array(element) if self.flavor.definitions.arrays => {
                self.data_type(element);
                "[]"
            }
            DataType::Array(_) => self.flavor.definitions.json,
        };
        self.out.push_str(name);
    }

    fn constraint(&mut self, constraint: &Constraint) -> fmt::Result {
        match constraint {
            Constraint::PrimaryKey(columns) => {
                self.out.push_str("PRIMARY KEY");
                self.identifiers(columns);
            }
            Constraint::Unique { name, columns } => {
                self.constraint_name(name);
                self.out.push_str("UNIQUE");
                self.identifiers(columns);
            }
            Constraint::Check { name, condition } => {
                self.constraint_name(name);
                self.check(condition)?;
            }
            Constraint::Reference { name, columns, .. } => {
                self.constraint_name(name);
                self.out.push_str("FOREIGN KEY");
                self.identifiers(columns);
                self.out.push(' ');
                self.references(constraint);
            }
        }
        Ok(())
    }

    /// A constraint behind the column that it is about.
    fn column_constraint(&mut self, constraint: &Constraint) -> fmt::Result {
        match constraint {
            Constraint::PrimaryKey(_) => self.out.push_str("PRIMARY KEY"),
            Constraint::Unique { name, .. } => {
                self.constraint_name(name);
                self.out.push_str("UNIQUE");
            }
            Constraint::Check { name, condition } => {
                self.constraint_name(name);
                self.check(condition)?;
            }
            Constraint::Reference { name, .. } => {
                self.constraint_name(name);
                self.references(constraint);
            }
        }
        Ok(())
    }

    fn constraint_name(&mut self, name: &Identifier) {
        self.out.push_str("CONSTRAINT ");
        self.identifier(name);
        self.out.push(' ');
    }

    fn check(&mut self, condition: &Condition) -> fmt::Result {
        self.out.push_str("CHECK (");
        self.condition(condition)?;
        self.out.push(')');
        Ok(())
    }

    fn references(&mut self, constraint: &Constraint) {
        let Constraint::Reference { to, target_columns, on_delete, is_deferred, .. } = constraint
        else {
            return;
        };
        self.out.push_str("REFERENCES ");
        self.table_name(to);
        self.identifiers(target_columns);
        self.out.push_str(match on_delete {
            DeleteAction::SetNull => " ON DELETE SET NULL",
            DeleteAction::Cascade => " ON DELETE CASCADE",
            DeleteAction::Restrict => " ON DELETE RESTRICT",
        });
        if *is_deferred {
            self.out.push_str(" DEFERRABLE INITIALLY DEFERRED");
        }
    }

    fn identifiers(&mut self, columns: &[Identifier]) {
        self.out.push(' ');
        self.column_list(&columns.iter().collect::<Vec<_>>());
    }

    fn column_list(&mut self, columns: &[&Identifier]) {
        self.out.push('(');
        for (index, column) in columns.iter().enumerate() {
            self.comma(index);
            self.identifier(column);
        }
        self.out.push(')');
    }

    fn index(&mut self, index: &IndexDefinition) {
        self.out.push_str("CREATE INDEX ");
        self.identifier(&index.name);
        self.out.push_str(" ON ");
        self.table_name(&index.on);
        self.out.push_str(match index.method {
            IndexMethod::Hash if self.flavor.definitions.hash_indexes => " USING hash (",
            IndexMethod::Tree | IndexMethod::Hash => " (",
            IndexMethod::Words(_) | IndexMethod::Trigrams | IndexMethod::Elements => " USING gin (",
            IndexMethod::Places => " USING gist (",
            IndexMethod::Vectors { .. } => " USING hnsw (",
        });
        for (position, column) in index.columns.iter().enumerate() {
            self.comma(position);
            match index.method {
                IndexMethod::Tree | IndexMethod::Hash | IndexMethod::Elements => {
                    self.identifier(column);
                }
                IndexMethod::Words(form) => {
                    self.own_function(
                        &index.on,
                        match form {
                            WordForm::Plain => "terms",
                            WordForm::Stemmed => "stems",
                        },
                    );
                    self.identifier(column);
                    self.out.push(')');
                }
                IndexMethod::Places => {
                    self.own_function(&index.on, "geo_box");
                    self.identifier(column);
                    self.out.push(')');
                }
                IndexMethod::Trigrams => {
                    self.identifier(column);
                    self.out.push_str(" gin_trgm_ops");
                }
                IndexMethod::Vectors { dimensions, operator, construction: _ } => {
                    self.out.push('(');
                    self.identifier(column);
                    let operators = match operator {
                        VectorOperator::Euclidean => "vector_l2_ops",
                        VectorOperator::Cosine => "vector_cosine_ops",
                        VectorOperator::DotProduct => "vector_ip_ops",
                    };
                    // Writing to a string cannot fail.
                    let _ = write!(self.out, "::vector({dimensions})) {operators}");
                }
            }
        }
        self.out.push(')');
        if let (IndexMethod::Vectors { dimensions, construction, .. }, Some(column)) =
            (index.method, index.columns.first())
        {
            if let Some(construction) = construction {
                let _ = write!(self.out, " WITH (ef_construction = {construction})");
            }
            self.out.push_str(" WHERE cardinality(");
            self.identifier(column);
            let _ = write!(self.out, ") = {dimensions}");
        }
    }

    fn word_table(&mut self, table: &WordTable) {
        debug_assert!(
            self.flavor.definitions.words == WordIndexes::VirtualTables,
            "a virtual table of a database without them"
        );
        self.out.push_str("CREATE VIRTUAL TABLE ");
        self.table_name(&table.name);
        self.out.push_str(" USING fts5(");
        self.identifier(&table.column);
        self.out.push_str(", content=");
        self.literal(&table.content.0);
        self.out.push_str(", content_rowid=");
        self.literal(&table.key.0);
        self.out.push_str(match table.tokens {
            Tokens::Words(WordForm::Plain) => ", tokenize='unicode61')",
            Tokens::Words(WordForm::Stemmed) => ", tokenize='porter unicode61')",
            Tokens::Trigrams => ", tokenize='trigram')",
        });
    }

    fn function(&mut self, name: &TableName, body: &[Action]) -> fmt::Result {
        self.out.push_str("CREATE FUNCTION ");
        self.table_name(name);
        // Whoever may write the rows of a table has no rights on what its triggers write.
        self.out.push_str(
            "() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, \
             pg_temp AS ",
        );
        let mut text = Printer::new(self.flavor);
        text.actions(body)?;
        // A text between dollar quotes must not have them itself.
        let mut quote = String::from("$thalweg$");
        while text.out.contains(&quote) {
            quote.insert(1, '_');
        }
        write!(self.out, "{quote}\nBEGIN\n{}  RETURN NULL;\nEND\n{quote}", text.out)
    }

    fn trigger(&mut self, trigger: &Trigger) -> fmt::Result {
        self.out.push_str("CREATE TRIGGER ");
        self.identifier(&trigger.name);
        match &trigger.event {
            TriggerEvent::BeforeInsert => self.out.push_str(" BEFORE INSERT"),
            TriggerEvent::Insert => self.out.push_str(" AFTER INSERT"),
            TriggerEvent::Update(columns) => {
                self.out.push_str(" AFTER UPDATE OF ");
                for (index, column) in columns.iter().enumerate() {
                    self.comma(index);
                    self.identifier(column);
                }
            }
            TriggerEvent::Delete => self.out.push_str(" AFTER DELETE"),
        }
        self.out.push_str(" ON ");
        self.table_name(&trigger.on);
        match &trigger.body {
            TriggerBody::Function(function) => {
                self.out.push_str(" FOR EACH ROW EXECUTE FUNCTION ");
                self.table_name(function);
                self.out.push_str("()");
            }
            TriggerBody::Actions(actions) => {
                self.out.push_str(" BEGIN\n");
                self.actions(actions)?;
                self.out.push_str("END");
            }
        }
        Ok(())
    }

    fn actions(&mut self, actions: &[Action]) -> fmt::Result {
        for action in actions {
            self.out.push_str("  ");
            self.action(action)?;
            self.out.push_str(";\n");
        }
        Ok(())
    }

    fn action(&mut self, action: &Action) -> fmt::Result {
        match action {
            Action::Insert { into, columns, rows } => {
                self.out.push_str("INSERT INTO ");
                self.table_name(into);
                self.identifiers(columns);
                match rows {
                    InsertedRows::One(terms) => {
                        self.out.push_str(" VALUES (");
                        self.terms(terms)?;
                        self.out.push(')');
                    }
                    InsertedRows::Of(rows) => {
                        self.out.push(' ');
                        self.table_rows(rows)?;
                    }
                }
            }
            Action::Update { table, sets, filter } => {
                self.out.push_str("UPDATE ");
                self.table_name(table);
                for (index, (column, term)) in sets.iter().enumerate() {
                    self.out.push_str(if index == 0 { " SET " } else { ", " });
                    self.identifier(column);
                    self.out.push_str(" = ");
                    self.term(term)?;
                }
                self.filter(filter.as_ref())?;
            }
            Action::Delete { from, filter } => {
                self.out.push_str("DELETE FROM ");
                self.table_name(from);
                self.filter(filter.as_ref())?;
            }
            Action::InsertPlace(table) => self.insert_places(table, PlaceRows::New)?,
            Action::Refuse { message, when } => {
                self.out.push_str("SELECT RAISE(ABORT, ");
                self.literal(message);
                self.out.push(')');
                self.filter(Some(when))?;
            }
        }
        Ok(())
    }

    fn table_rows(&mut self, rows: &TableRows) -> fmt::Result {
        self.out.push_str(if rows.distinct { "SELECT DISTINCT " } else { "SELECT " });
        self.terms(&rows.terms)?;
        self.out.push_str(" FROM ");
        self.table_name(&rows.from);
        self.filter(rows.filter.as_ref())
    }

    /// The next key of the sequence of the tables of a schema.
    pub(super) fn next_key(&mut self, schema: Option<&Identifier>) -> fmt::Result {
        let schema = schema.map(|schema| &*schema.0);
        match self.flavor.sequence {
            KeySequence::Call(call) if has_own_schema(schema) => self.out.push_str(call),
            KeySequence::Call(_) => {
                self.out.push_str("nextval(");
                let start = self.out.len();
                self.table_name(&own_object(schema, "id"));
                let name = self.out.split_off(start);
                self.literal(&name);
                self.out.push(')');
            }
            // The compiler takes keys from the row.
            KeySequence::Row { .. } => return Err(fmt::Error),
        }
        Ok(())
    }

    /// The beginning of a call of one of Thalweg's functions, for a column of a table.
    fn own_function(&mut self, table: &TableName, name: &str) {
        let schema = table.schema.as_ref().map(|schema| &*schema.0);
        match has_own_schema(schema) {
            true => self.out.extend([OWN_SCHEMA, ".", name]),
            false => self.table_name(&own_object(schema, name)),
        }
        self.out.push('(');
    }

    /// A text between quotes, with the quotes inside it doubled.
    pub(super) fn literal(&mut self, text: &str) {
        self.out.push('\'');
        for character in text.chars() {
            if character == '\'' {
                self.out.push('\'');
            }
            self.out.push(character);
        }
        self.out.push('\'');
    }
}
