//! Values and conditions.

use std::fmt::{self, Write as _};

use super::Printer;
use crate::flavor::{
    ADD_INT16, ADD_INT32, ADD_INT64, CLOCK, INSTANT, JSON_DELETE_ELEMENT, JSON_DELETE_KEY,
    JSON_DELETE_PATH, JSON_MERGE, KeyArrays, LIKE_IGNORING_CASE, LIST_WITH, LIST_WITHOUT,
    NullSafeEqual, Pattern, TIMESTAMP, Truncation, Upsert, ZONED_CLOCK,
};
use crate::tree::{
    AggregateFunction, Column, Comparison, Expression, Identifier, InPlaceIndex, InTextIndex,
    IntegerType, OfJson, Operation, Parameter, SqlType, TimeKind, TimeUnit, VectorDistance,
    VectorOperator,
};

impl Printer<'_> {
    pub(super) fn expression(&mut self, expression: &Expression) -> fmt::Result {
        match expression {
            Expression::Column { alias, column } => {
                if !self.without_aliases {
                    self.alias(*alias)?;
                    self.out.push('.');
                }
                match column {
                    Column::Named(name) => self.identifier(name),
                    Column::Numbered(number) => write!(self.out, "c{number}")?,
                }
            }
            Expression::Parameter(parameter) => self.parameter(*parameter)?,
            Expression::Boolean(value) => self.out.push_str(if *value { "TRUE" } else { "FALSE" }),
            Expression::Compare { left, comparison: Comparison::DistinctFrom, right }
                if self.flavor.null_safe_equal == NullSafeEqual::Spaceship =>
            {
                self.out.push_str("NOT (");
                self.operand(left)?;
                self.out.push_str(" <=> ");
                self.operand(right)?;
                self.out.push(')');
            }
            Expression::Compare { left, comparison, right } => {
                self.operand(left)?;
                self.out.push_str(self.comparison(*comparison));
                self.operand(right)?;
            }
            Expression::And(conditions) => self.connected(conditions, " AND ", "TRUE")?,
            Expression::Or(conditions) => self.connected(conditions, " OR ", "FALSE")?,
            Expression::Not(condition) => {
                self.out.push_str("NOT ");
                self.operand(condition)?;
            }
            Expression::IsNotTrue(condition) => {
                self.operand(condition)?;
                self.out.push_str(" IS NOT TRUE");
            }
            Expression::IsNullItself(expression) => {
                self.operand(expression)?;
                self.out.push_str(" IS NOT DISTINCT FROM NULL");
            }
            Expression::IsNull(expression) => {
                self.operand(expression)?;
                self.out.push_str(" IS NULL");
            }
            Expression::InList { expression, list } => {
                self.operand(expression)?;
                self.list(*list)?;
            }
            Expression::ComparesToAny { expression, comparison, list } => {
                self.operand(expression)?;
                self.out.push_str(self.comparison(*comparison));
                self.out.push_str("ANY(");
                self.parameter(*list)?;
                self.out.push(')');
            }
            Expression::InFoldedList { expression, list } => {
                self.operand(expression)?;
                self.folded_list(*list)?;
            }
            Expression::LikeIgnoringCase { expression, pattern } => match self.flavor.pattern {
                Pattern::Like => {
                    self.operand(expression)?;
                    self.out.push_str(" ILIKE ");
                    self.parameter(*pattern)?;
                }
                Pattern::LikeCollated { exact } => {
                    let fold = self.flavor.fold;
                    write!(self.out, "{fold}(")?;
                    self.expression(expression)?;
                    write!(self.out, ") LIKE {fold}(")?;
                    self.parameter(*pattern)?;
                    write!(self.out, ") COLLATE {exact}")?;
                }
                Pattern::Glob => {
                    self.out.push_str(LIKE_IGNORING_CASE);
                    self.out.push('(');
                    self.expression(expression)?;
                    self.out.push_str(", ");
                    self.parameter(*pattern)?;
                    self.out.push(')');
                }
            },
            Expression::AnyElement { value, comparison, array }
                if self.flavor.key_arrays == KeyArrays::JsonEach =>
            {
                self.out.push_str("EXISTS (SELECT 1 FROM json_each(");
                self.expression(array)?;
                self.out.push_str(") WHERE ");
                self.parameter(*value)?;
                self.out.push_str(self.comparison(*comparison));
                self.out.push_str("value)");
            }
            Expression::AnyElement { value, comparison, array } => {
                self.any_element(*value, *comparison, array)?;
            }
            Expression::ElementBetween { least, most, array } => {
                self.element_between((*least, *most), array)?;
            }
            Expression::AnyElementIn { list, array } => self.any_element_in(*list, array)?,
            Expression::Attribute { of, name } => {
                self.out.push('(');
                self.expression(of)?;
                self.out.push_str(").");
                self.identifier(name);
            }
            Expression::InTextIndex(within) => {
                let InTextIndex { number, index, query, content, key } = &**within;
                self.operand(number)?;
                self.out.push_str(" IN (SELECT rowid FROM ");
                self.table_name(index);
                self.out.push_str(" WHERE ");
                self.identifier(&index.name);
                // FTS5 refuses null, and finds nothing for an empty phrase.
                self.out.push_str(" MATCH coalesce(");
                self.parameter(*query)?;
                self.out.push_str(", '\"\"') UNION ALL SELECT ");
                self.identifier(key);
                self.out.push_str(" FROM ");
                self.table_name(content);
                self.out.push_str(" WHERE ");
                self.parameter(*query)?;
                self.out.push_str(" IS NULL)");
            }
            Expression::InPlaceIndex(within) => self.in_place_index(within)?,
            Expression::Exists(select) => {
                self.out.push_str("EXISTS (");
                self.select(select)?;
                self.out.push(')');
            }
            Expression::InRows { expression, rows } => {
                self.operand(expression)?;
                self.out.push_str(" IN (");
                self.select(rows)?;
                self.out.push(')');
            }
            Expression::Like { expression, pattern } => {
                self.operand(expression)?;
                self.out.push_str(match self.flavor.pattern {
                    Pattern::Like | Pattern::LikeCollated { .. } => " LIKE ",
                    Pattern::Glob => " GLOB ",
                });
                self.parameter(*pattern)?;
                if let Pattern::LikeCollated { exact } = self.flavor.pattern {
                    write!(self.out, " COLLATE {exact}")?;
                }
            }
            Expression::Cast { expression, r#type } => {
                self.out.push_str("CAST(");
                self.expression(expression)?;
                let casts = self.flavor.casts;
                let (name, array) = match r#type {
                    SqlType::Named(name) => {
                        self.out.push_str(" AS ");
                        self.table_name(name);
                        self.out.push(')');
                        return Ok(());
                    }
                    SqlType::Text => (casts.text, ""),
                    SqlType::TextArray => (casts.text, "[]"),
                    SqlType::Numeric => (casts.numeric, ""),
                    SqlType::NumericArray => (casts.numeric, "[]"),
                };
                write!(self.out, " AS {name}{array})")?;
            }
            Expression::CanonicalTimestamp(text) => {
                self.out.push_str(TIMESTAMP);
                self.out.push('(');
                self.expression(text)?;
                self.out.push(')');
            }
            Expression::TimeNumber { kind, text } => {
                self.out.push_str(match kind {
                    TimeKind::Instant => INSTANT,
                    TimeKind::Clock => CLOCK,
                    TimeKind::ZonedClock => ZONED_CLOCK,
                });
                self.out.push('(');
                self.expression(text)?;
                self.out.push(')');
            }
            Expression::Folded(text) => {
                self.out.push_str(self.flavor.fold);
                self.out.push('(');
                self.expression(text)?;
                self.out.push(')');
            }
            Expression::Lower(text) => {
                self.out.push_str("lower(");
                self.expression(text)?;
                self.out.push(')');
            }
            Expression::TruthText(truth) => {
                self.out.push_str("CASE WHEN ");
                self.expression(truth)?;
                self.out.push_str(" THEN 'true' WHEN NOT ");
                self.operand(truth)?;
                self.out.push_str(" THEN 'false' END");
            }
            Expression::IgnoreCase(text) => {
                self.operand(text)?;
                self.out.push_str(" COLLATE NOCASE");
            }
            Expression::CountRows => self.out.push_str("count(*)"),
            Expression::OfJson(value) => {
                let OfJson { table, column, json } = &**value;
                self.out.push_str("(jsonb_populate_record(CAST(NULL AS ");
                self.table_name(table);
                self.out.push_str("), jsonb_build_object(");
                self.literal(&column.0);
                self.out.push_str(", CAST(");
                self.expression(json)?;
                self.out.push_str(" AS jsonb)))).");
                self.identifier(column);
            }
            Expression::NextKey { schema } => self.next_key(schema.as_ref())?,
            Expression::Aggregate { function: AggregateFunction::Average, argument }
                if self.flavor.average_squares =>
            {
                let (distinct, argument) = match &**argument {
                    Expression::Distinct(argument) => ("DISTINCT ", argument),
                    _ => ("", argument),
                };
                write!(self.out, "(sum({distinct}CAST(")?;
                self.expression(argument)?;
                let double = self.flavor.casts.double;
                write!(self.out, " AS {double})) / count({distinct}")?;
                self.expression(argument)?;
                self.out.push_str("))");
            }
            Expression::Distinct(value) => {
                self.out.push_str("DISTINCT ");
                self.expression(value)?;
            }
            Expression::Aggregate { function, argument } => {
                self.out.push_str(self.aggregate(*function));
                self.expression(argument)?;
                self.out.push_str(match function {
                    AggregateFunction::Total | AggregateFunction::ExactTotal => "), 0)",
                    _ => ")",
                });
            }
            Expression::Truncated { unit, moment } => self.truncated(*unit, moment)?,
            Expression::Call(call) => self.call(call)?,
            Expression::Row(alias) => {
                // The alias alone would mean a column of its name, if there is one.
                self.alias(*alias)?;
                self.out.push_str(".*");
            }
            Expression::Number(number) => write!(self.out, "{number}")?,
            Expression::RowNumber { partition_by, order_by } => {
                self.out.push_str("row_number() OVER (PARTITION BY ");
                for (index, expression) in partition_by.iter().enumerate() {
                    self.comma(index);
                    self.expression(expression)?;
                }
                for (index, item) in order_by.iter().enumerate() {
                    self.out.push_str(if index == 0 { " ORDER BY " } else { ", " });
                    self.order_item(item)?;
                }
                self.out.push(')');
            }
            Expression::When { condition, then } => {
                self.out.push_str("CASE WHEN ");
                self.expression(condition)?;
                self.out.push_str(" THEN ");
                self.expression(then)?;
                self.out.push_str(" END");
            }
            Expression::OrEmptyArray(array) => {
                self.out.push_str("coalesce(");
                self.expression(array)?;
                self.out.push_str(", '{}')");
            }
            Expression::Subquery(select) => {
                self.out.push('(');
                self.select(select)?;
                self.out.push(')');
            }
            Expression::VectorDistance(distance) => self.vector_distance(distance)?,
            Expression::VisitsVectors(number) => {
                self.out.push_str("(SELECT set_config('hnsw.ef_search', CAST(");
                self.expression(&Expression::Parameter(*number))?;
                self.out.push_str(" AS text), TRUE)) IS NOT NULL");
            }
            Expression::Coalesce(values) => {
                self.out.push_str("coalesce(");
                for (place, value) in values.iter().enumerate() {
                    self.out.push_str(if place == 0 { "" } else { ", " });
                    self.expression(value)?;
                }
                self.out.push(')');
            }
            Expression::Arguments(values) => {
                for (place, value) in values.iter().enumerate() {
                    self.comma(place);
                    self.expression(value)?;
                }
            }
            Expression::Together(values) => {
                // Quoted values have no comma outside of their quotes.
                let (before, between, after) = match self.flavor.row_values {
                    true => ("ROW(", ", ", ")"),
                    false => ("(quote(", ") || ',' || quote(", "))"),
                };
                self.out.push_str(before);
                for (place, value) in values.iter().enumerate() {
                    self.out.push_str(if place == 0 { "" } else { between });
                    self.expression(value)?;
                }
                self.out.push_str(after);
            }
            Expression::Computed { left, operation: Operation::Append, right } => {
                self.out.push_str("array_append(");
                self.expression(left)?;
                self.out.push_str(", ");
                self.expression(right)?;
                self.out.push(')');
            }
            Expression::Computed { left, operation: Operation::Without, right } => {
                self.list_without(left, right)?;
            }
            Expression::Computed { left, operation: Operation::With, right } => {
                self.list_with(left, right)?;
            }
            Expression::Computed {
                left,
                operation:
                    operation @ (Operation::Merge
                    | Operation::DeleteKey
                    | Operation::DeleteElement
                    | Operation::DeletePath),
                right,
            } => self.json_change(left, *operation, right)?,
            Expression::Computed { left, operation: Operation::AddWithin(within), right }
                if !self.flavor.typed_text =>
            {
                let function = match within {
                    IntegerType::Int16 => ADD_INT16,
                    IntegerType::Int32 => ADD_INT32,
                    IntegerType::Int64 => ADD_INT64,
                };
                self.of_two(function, left, right)?;
            }
            Expression::Computed { left, operation, right } => {
                self.operand(left)?;
                self.out.push_str(match operation {
                    Operation::Add | Operation::AddWithin(_) => " + ",
                    Operation::Subtract => " - ",
                    Operation::Multiply => " * ",
                    Operation::Divide => " / ",
                    Operation::Append
                    | Operation::With
                    | Operation::Without
                    | Operation::Merge
                    | Operation::DeleteKey
                    | Operation::DeleteElement
                    | Operation::DeletePath => " || ",
                });
                self.operand(right)?;
            }
            Expression::Excluded(column) => match self.flavor.upsert {
                Upsert::OnConflict => {
                    self.out.push_str("excluded.");
                    self.identifier(column);
                }
                Upsert::OnDuplicateKey => {
                    self.out.push_str("VALUES(");
                    self.identifier(column);
                    self.out.push(')');
                }
            },
        }
        Ok(())
    }

    fn in_place_index(&mut self, within: &InPlaceIndex) -> fmt::Result {
        let InPlaceIndex { number, index, bounds } = within;
        self.operand(number)?;
        self.out.push_str(" IN (SELECT id FROM ");
        self.table_name(index);
        for (word, bound, place) in [
            ("WHERE", "west <=", 2),
            ("AND", "east >=", 0),
            ("AND", "south <=", 3),
            ("AND", "north >=", 1),
        ] {
            write!(self.out, " {word} {bound} ")?;
            self.parameter(*bounds)?;
            write!(self.out, " ->> {place}")?;
        }
        self.out.push(')');
        Ok(())
    }

    /// An expression as a part of another: in parentheses unless it is an atom.
    pub(super) fn operand(&mut self, expression: &Expression) -> fmt::Result {
        let atom = match expression {
            Expression::Column { .. }
            | Expression::Parameter(_)
            | Expression::Boolean(_)
            | Expression::Cast { .. }
            | Expression::Folded(_)
            | Expression::Lower(_)
            | Expression::Exists(_)
            | Expression::Attribute { .. }
            | Expression::TimeNumber { .. }
            | Expression::IgnoreCase(_)
            | Expression::CountRows
            | Expression::NextKey { .. }
            | Expression::OfJson(_)
            | Expression::Aggregate { .. }
            | Expression::Distinct(_)
            | Expression::Call(_)
            | Expression::Row(_)
            | Expression::Number(_)
            | Expression::RowNumber { .. }
            | Expression::When { .. }
            | Expression::OrEmptyArray(_)
            | Expression::Computed { operation: Operation::Append | Operation::Without, .. }
            | Expression::Excluded(_)
            | Expression::CanonicalTimestamp(_)
            | Expression::Subquery(_)
            | Expression::Coalesce(_)
            | Expression::Arguments(_)
            | Expression::Together(_) => true,
            Expression::Compare { .. }
            | Expression::And(_)
            | Expression::Or(_)
            | Expression::Not(_)
            | Expression::IsNotTrue(_)
            | Expression::IsNull(_)
            | Expression::IsNullItself(_)
            | Expression::InList { .. }
            | Expression::ComparesToAny { .. }
            | Expression::InFoldedList { .. }
            | Expression::InTextIndex(_)
            | Expression::InPlaceIndex(_)
            | Expression::InRows { .. }
            | Expression::Like { .. }
            | Expression::Truncated { .. }
            | Expression::TruthText(_)
            | Expression::LikeIgnoringCase { .. }
            | Expression::AnyElement { .. }
            | Expression::AnyElementIn { .. }
            | Expression::ElementBetween { .. }
            | Expression::VectorDistance(_)
            | Expression::VisitsVectors(_)
            | Expression::Computed { .. } => false,
        };
        if atom {
            return self.expression(expression);
        }
        self.out.push('(');
        self.expression(expression)?;
        self.out.push(')');
        Ok(())
    }

    fn connected(&mut self, conditions: &[Expression], word: &str, empty: &str) -> fmt::Result {
        if conditions.is_empty() {
            self.out.push_str(empty);
        }
        for (index, condition) in conditions.iter().enumerate() {
            if index > 0 {
                self.out.push_str(word);
            }
            if matches!(condition, Expression::And(_) | Expression::Or(_) | Expression::Not(_)) {
                self.operand(condition)?;
            } else {
                self.expression(condition)?;
            }
        }
        Ok(())
    }

    /// Whether a value compares so with some element of an array.
    fn any_element(
        &mut self,
        value: Parameter,
        comparison: Comparison,
        array: &Expression,
    ) -> fmt::Result {
        let comparison = self.comparison(comparison);
        if let KeyArrays::Unnest = self.flavor.key_arrays {
            self.parameter(value)?;
            self.out.push_str(comparison);
            self.out.push_str("ANY(");
            self.expression(array)?;
        } else {
            let element = self.elements(array)?;
            self.parameter(value)?;
            write!(self.out, "{comparison}{element}")?;
        }
        self.out.push(')');
        Ok(())
    }

    fn element_between(
        &mut self,
        (least, most): (Parameter, Parameter),
        array: &Expression,
    ) -> fmt::Result {
        let element = match self.flavor.key_arrays {
            KeyArrays::Unnest => {
                self.out.push_str("EXISTS (SELECT 1 FROM unnest(");
                self.expression(array)?;
                self.out.push_str(") AS list(c0) WHERE ");
                "c0"
            }
            KeyArrays::JsonEach | KeyArrays::JsonTable { .. } => self.elements(array)?,
        };
        write!(self.out, "{element} >= ")?;
        self.parameter(least)?;
        write!(self.out, " AND {element} <= ")?;
        self.parameter(most)?;
        self.out.push(')');
        Ok(())
    }

    fn any_element_in(&mut self, list: Parameter, array: &Expression) -> fmt::Result {
        if let KeyArrays::Unnest = self.flavor.key_arrays {
            self.expression(array)?;
            self.out.push_str(self.comparison(Comparison::Overlaps));
            return self.parameter(list);
        }
        let element = self.elements(array)?;
        self.out.push_str(element);
        self.list(list)?;
        self.out.push(')');
        Ok(())
    }

    /// The beginning of a condition on some element of a JSON array, up to the condition. Returns
    /// the column of the element.
    fn elements(&mut self, array: &Expression) -> Result<&'static str, fmt::Error> {
        let is_table = match self.flavor.key_arrays {
            KeyArrays::JsonTable { element } => Some(element),
            KeyArrays::Unnest | KeyArrays::JsonEach => None,
        };
        self.out.push_str("EXISTS (SELECT 1 FROM ");
        self.out.push_str(if is_table.is_some() { "JSON_TABLE(" } else { "json_each(" });
        self.expression(array)?;
        match is_table {
            Some(element) => {
                write!(self.out, ", '$[*]' COLUMNS (c0 {element} PATH '$')) AS list WHERE ")?;
                Ok("c0")
            }
            None => {
                self.out.push_str(") WHERE ");
                Ok("value")
            }
        }
    }

    /// The distance of two lists of floats, as vectors.
    fn vector_distance(&mut self, distance: &VectorDistance) -> fmt::Result {
        let VectorDistance { vector, other, dimensions, operator, schema } = distance;
        let operator = match operator {
            VectorOperator::Euclidean => "<->",
            VectorOperator::Cosine => "<=>",
            VectorOperator::DotProduct => "<#>",
        };
        self.vector(vector, *dimensions, schema)?;
        self.out.push_str(" OPERATOR(");
        self.identifier(schema);
        write!(self.out, ".{operator}) ")?;
        self.vector(other, *dimensions, schema)
    }

    fn vector(&mut self, list: &Expression, dimensions: u16, schema: &Identifier) -> fmt::Result {
        self.out.push_str("CAST(");
        self.expression(list)?;
        self.out.push_str(" AS ");
        self.identifier(schema);
        write!(self.out, ".\"vector\"({dimensions}))")
    }

    /// A list without the elements of another, the others in their order.
    fn list_without(&mut self, list: &Expression, elements: &Expression) -> fmt::Result {
        if self.flavor.key_arrays != KeyArrays::Unnest {
            return self.of_two(LIST_WITHOUT, list, elements);
        }
        self.out.push_str("ARRAY(SELECT c0 FROM unnest(");
        self.expression(list)?;
        self.out.push_str(") WITH ORDINALITY AS list(c0, c1) WHERE (c0 = ANY(");
        self.expression(elements)?;
        self.out.push_str(")) IS NOT TRUE ORDER BY c1)");
        Ok(())
    }

    /// A list with those elements of another that it lacks, each once and in their order. Nulls equal
    /// each other. The second list has the type of the first one, also if it is a parameter.
    fn list_with(&mut self, list: &Expression, elements: &Expression) -> fmt::Result {
        if self.flavor.key_arrays != KeyArrays::Unnest {
            return self.of_two(LIST_WITH, list, elements);
        }
        self.operand(list)?;
        self.out.push_str(" || ARRAY(SELECT c0 FROM unnest(coalesce(");
        self.expression(elements)?;
        self.out.push_str(", ");
        self.expression(list)?;
        self.out.push_str(")) WITH ORDINALITY AS list(c0, c1) WHERE array_position(");
        self.expression(list)?;
        self.out.push_str(", c0) IS NULL GROUP BY c0 ORDER BY min(c1))");
        Ok(())
    }

    /// A change of a part of JSON. PostgreSQL has several operators of one sign, by the type of the
    /// second value.
    fn json_change(
        &mut self,
        left: &Expression,
        operation: Operation,
        right: &Expression,
    ) -> fmt::Result {
        let (function, sign, r#type) = match operation {
            Operation::DeleteKey => (JSON_DELETE_KEY, " - ", "::text"),
            Operation::DeleteElement => (JSON_DELETE_ELEMENT, " - ", "::integer"),
            Operation::DeletePath => (JSON_DELETE_PATH, " #- ", "::text[]"),
            _ => (JSON_MERGE, " || ", ""),
        };
        if !self.flavor.typed_text {
            return self.of_two(function, left, right);
        }
        self.operand(left)?;
        self.out.push_str(sign);
        self.operand(right)?;
        self.out.push_str(r#type);
        Ok(())
    }

    fn of_two(&mut self, function: &str, left: &Expression, right: &Expression) -> fmt::Result {
        self.out.push_str(function);
        self.out.push('(');
        self.expression(left)?;
        self.out.push_str(", ");
        self.expression(right)?;
        self.out.push(')');
        Ok(())
    }

    fn list(&mut self, list: Parameter) -> fmt::Result {
        match self.flavor.key_arrays {
            KeyArrays::Unnest => {
                self.out.push_str(" = ANY(");
                self.parameter(list)?;
                self.out.push(')');
            }
            KeyArrays::JsonEach => {
                self.out.push_str(" IN (SELECT value FROM json_each(");
                self.parameter(list)?;
                self.out.push_str("))");
            }
            KeyArrays::JsonTable { element } => {
                self.out.push_str(" IN (SELECT c0 FROM JSON_TABLE(");
                self.parameter(list)?;
                write!(self.out, ", '$[*]' COLUMNS (c0 {element} PATH '$')) AS list)")?;
            }
        }
        Ok(())
    }

    /// The list is folded once, so that an index on the folded expression still serves.
    fn folded_list(&mut self, list: Parameter) -> fmt::Result {
        let fold = self.flavor.fold;
        match self.flavor.key_arrays {
            KeyArrays::Unnest => {
                write!(self.out, " = ANY(ARRAY(SELECT {fold}(c0) FROM unnest(CAST(")?;
                self.parameter(list)?;
                self.out.push_str(" AS text[])) AS list(c0)))");
            }
            KeyArrays::JsonEach => {
                write!(self.out, " IN (SELECT {fold}(value) FROM json_each(")?;
                self.parameter(list)?;
                self.out.push_str("))");
            }
            KeyArrays::JsonTable { element } => {
                write!(self.out, " IN (SELECT {fold}(c0) FROM JSON_TABLE(")?;
                self.parameter(list)?;
                write!(self.out, ", '$[*]' COLUMNS (c0 {element} PATH '$')) AS list)")?;
            }
        }
        Ok(())
    }

    /// An aggregate's name as far as its argument.
    fn aggregate(&self, function: AggregateFunction) -> &'static str {
        match (function, self.flavor.exact_sums) {
            (AggregateFunction::Count, _) => "count(",
            (AggregateFunction::CountDistinct, _) => "count(DISTINCT ",
            (AggregateFunction::Sum, _) | (AggregateFunction::ExactSum, true) => "sum(",
            (AggregateFunction::ExactSum, false) => "exact_sum(",
            (AggregateFunction::Total, _) | (AggregateFunction::ExactTotal, true) => {
                "coalesce(sum("
            }
            (AggregateFunction::ExactTotal, false) => "coalesce(exact_sum(",
            (AggregateFunction::Average, _) | (AggregateFunction::ExactAverage, true) => "avg(",
            (AggregateFunction::ExactAverage, false) => "exact_avg(",
            (AggregateFunction::All, _) if self.flavor.boolean_aggregates => "bool_and(",
            (AggregateFunction::Any, _) if self.flavor.boolean_aggregates => "bool_or(",
            // Booleans are 0 and 1.
            (AggregateFunction::Minimum | AggregateFunction::All, _) => "min(",
            (AggregateFunction::Maximum | AggregateFunction::Any, _) => "max(",
            (AggregateFunction::StandardDeviationSample, _) => "stddev_samp(",
            (AggregateFunction::StandardDeviationPopulation, _) => "stddev_pop(",
            (AggregateFunction::VarianceSample, _) => "var_samp(",
            (AggregateFunction::VariancePopulation, _) => "var_pop(",
            (AggregateFunction::Correlation, _) => "corr(",
            (AggregateFunction::CovarianceSample, _) => "covar_samp(",
        }
    }

    fn truncated(&mut self, unit: TimeUnit, moment: &Expression) -> fmt::Result {
        let (before, after) = match (self.flavor.truncation, unit) {
            (Truncation::DateTrunc, TimeUnit::Hour) => ("date_trunc('hour', ", ")"),
            (Truncation::DateTrunc, TimeUnit::Day) => ("date_trunc('day', ", ")"),
            (Truncation::DateFormat, TimeUnit::Hour) => {
                ("CAST(date_format(", ", '%Y-%m-%d %H:00:00') AS datetime)")
            }
            (Truncation::DateFormat, TimeUnit::Day) => {
                ("CAST(date_format(", ", '%Y-%m-%d 00:00:00') AS datetime)")
            }
            (Truncation::Substring, TimeUnit::Hour) => ("substr(", ", 1, 13) || ':00:00'"),
            (Truncation::Substring, TimeUnit::Day) => ("substr(", ", 1, 10) || ' 00:00:00'"),
        };
        self.out.push_str(before);
        self.expression(moment)?;
        self.out.push_str(after);
        Ok(())
    }

    fn comparison(&self, comparison: Comparison) -> &'static str {
        match comparison {
            Comparison::Equal => " = ",
            Comparison::NotEqual => " <> ",
            Comparison::DistinctFrom => match self.flavor.null_safe_equal {
                NullSafeEqual::DistinctFrom => " IS DISTINCT FROM ",
                NullSafeEqual::Is => " IS NOT ",
                // In front of it stands NOT, by `expression`.
                NullSafeEqual::Spaceship => " <=> ",
            },
            Comparison::NotDistinctFrom => match self.flavor.null_safe_equal {
                NullSafeEqual::DistinctFrom => " IS NOT DISTINCT FROM ",
                NullSafeEqual::Is => " IS ",
                NullSafeEqual::Spaceship => " <=> ",
            },
            Comparison::Less => " < ",
            Comparison::LessOrEqual => " <= ",
            Comparison::Greater => " > ",
            Comparison::GreaterOrEqual => " >= ",
            Comparison::Contains => " @> ",
            Comparison::ContainedBy => " <@ ",
            Comparison::Overlaps => " && ",
            Comparison::ContainsOrEquals => " >>= ",
            Comparison::ContainedOrEquals => " <<= ",
            Comparison::ContainsMore | Comparison::RightOf => " >> ",
            Comparison::ContainedByMore | Comparison::LeftOf => " << ",
            Comparison::MatchesRegex => " ~ ",
            Comparison::MatchesRegexIgnoringCase => " ~* ",
            Comparison::SimilarTo => " SIMILAR TO ",
            Comparison::HasKey => " ? ",
            Comparison::HasAnyKey => " ?| ",
            Comparison::HasAllKeys => " ?& ",
            Comparison::PathExists => " @? ",
            Comparison::PathIsTrue => " @@ ",
            Comparison::MatchesLabels => " @ ",
            Comparison::NotRightOf => " &< ",
            Comparison::NotLeftOf => " &> ",
            Comparison::Adjacent => " -|- ",
        }
    }
}
