//! Conditions: the request's filters as SQL expressions.

use catalog::{EntityId, EntityKind, FieldId, Scalar, Type};
use ir::{
    Case, Comparison, Filter, GeoOperator, Hop, Operand, Quantifier, TextMatch, TimeUnit,
    TreeComparison, ValueRef,
};
use source::CompileError;
use sql::flavor::{
    JSON_CONTAINS, JSON_CONTENT, JSON_HAS_ALL_KEYS, JSON_HAS_ANY_KEY, JSON_HAS_KEY, LIKE, Pattern,
    RE2,
};
use sql::{
    Alias, CallArgument, Expression, Identifier, Select, SelectItem, SqlType, TableName, TimeKind,
};

use super::compile::Compiler;
use super::level::ParameterSource;
use super::row_set::Scope;
use super::statement::Statement;
use super::value::{Against, COUNT, ParameterKind, ValueKind};

/// What a condition compares.
struct With<'c> {
    against: Against,
    r#type: &'c Type,
    value: Expression,
    /// The item whose columns are the attributes of the value, where it is a whole row.
    whole_row: Option<Alias>,
}

impl Compiler<'_> {
    pub(super) fn filter(
        &self,
        filter: &Filter,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        Ok(match filter {
            Filter::And(filters) => {
                connected(self.filters(filters, scope, statement)?, Expression::all)
            }
            Filter::Or(filters) => {
                connected(self.filters(filters, scope, statement)?, Expression::Or)
            }
            Filter::Not(filter) => {
                Expression::Not(Box::new(self.filter(filter, scope, statement)?))
            }
            Filter::Except(filter) => {
                Expression::IsNotTrue(Box::new(self.filter(filter, scope, statement)?))
            }
            Filter::IsNull(ValueRef::Counted { distinct: false }) => {
                Expression::IsNull(Box::new(Expression::CountRows))
            }
            Filter::IsNull(ValueRef::Aggregated { function, place }) => {
                let value = self.aggregate(*function, Some(place), scope, statement)?;
                Expression::IsNull(Box::new(value))
            }
            Filter::CompareValues { left, comparison, right } => {
                self.compare_values(left, *comparison, right, scope, statement)?
            }
            Filter::Exists { entity, filter } => {
                self.exists(*entity, filter, scope.alias, statement)?
            }
            Filter::IsNull(place) => {
                let compared = self.compared_with(place, scope, statement)?;
                Expression::IsNull(Box::new(compared.value))
            }
            Filter::Compare {
                place: ValueRef::Aggregated { function, place },
                comparison,
                operand,
            } => {
                let compared = (*comparison, operand);
                self.compare_aggregate(*function, place, compared, scope, statement)?
            }
            Filter::Compare {
                place: ValueRef::Counted { distinct: false },
                comparison,
                operand,
            } => self.compared(COUNT, Expression::CountRows, *comparison, operand, statement)?,
            Filter::Compare { place, comparison, operand } => {
                let with = self.compared_with(place, scope, statement)?;
                self.compare(with, *comparison, operand, statement)?
            }
            Filter::CompareText { place, comparison, case, operand } => {
                let with = self.compared_with(place, scope, statement)?;
                self.compare_text(with, *comparison, *case, operand, statement)?
            }
            Filter::Text { place, r#match, operand, .. } if r#match.is_of_elements() => {
                let (field, value) = self.place(place, scope, statement)?;
                self.searched((field, value), *r#match, operand, scope, statement)?
            }
            Filter::Text { place, r#match, case, operand } => {
                let with = self.compared_with(place, scope, statement)?;
                self.matched(with, *r#match, *case, operand, statement)?
            }
            Filter::AnyElement { place, comparison, operand } => {
                let with = self.compared_with(place, scope, statement)?;
                self.any_element(with, *comparison, operand, statement)?
            }
            Filter::ElementBetween { place, least, most } => {
                let with = self.compared_with(place, scope, statement)?;
                self.element_between(with, (least, most), statement)
            }
            Filter::Relation { hop, quantifier, filter } => {
                self.related(*hop, *quantifier, filter, scope.alias, statement)?
            }
            Filter::FunctionRows { call, filter } => {
                self.has_function_row(call, filter, scope, statement)?
            }
            Filter::RelatedGroup { hop, filter, having, .. } => {
                self.related_group((*hop, filter, having), scope, statement)?
            }
            Filter::Barrier { first, then } => self.barrier(first, then, scope, statement)?,
            Filter::VariantGroup { .. } => {
                return Err(CompileError::not_built("rows of several entities"));
            }
            Filter::Nearest(nearest) => self.nearest(nearest, scope.alias, statement)?,
            Filter::Geo { place, operator: GeoOperator::Spatial(relation), operand } => {
                let With { r#type, value, .. } = self.compared_with(place, scope, statement)?;
                let kind = match place {
                    ValueRef::Spatial { to, .. } => Some(*to),
                    _ => None,
                };
                self.spatial((r#type, kind), value, *relation, operand, statement)?
            }
            Filter::Geo { place, operator, operand } => {
                let placed = self.place(place, scope, statement)?;
                self.located(placed, *operator, operand, scope, statement)?
            }
            Filter::Required(_) => return Err(CompileError::not_built("a required condition")),
        })
    }

    fn filters(
        &self,
        filters: &[Filter],
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Vec<Expression>, CompileError> {
        filters.iter().map(|filter| self.filter(filter, scope, statement)).collect()
    }

    /// What a condition compares.
    fn compared_with(
        &self,
        place: &ValueRef,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<With<'_>, CompileError> {
        match place {
            ValueRef::Attribute { of, attribute } => {
                let of = self.compared_with(of, scope, statement)?;
                let Type::Composite(composite) = self.catalog.base_type(of.r#type) else {
                    return Err(CompileError::not_built("a part of what has no parts"));
                };
                let found = self.catalog[*composite].attributes.get(usize::from(*attribute));
                let found = found.ok_or(CompileError::not_built("a part that is not there"))?;
                let value = match of.whole_row {
                    Some(alias) => Expression::named(alias, &found.name),
                    None => {
                        let name = Identifier(found.name.clone());
                        Expression::Attribute { of: Box::new(of.value), name }
                    }
                };
                let against = Against::Attribute(*composite, *attribute);
                Ok(With { against, r#type: &found.r#type, value, whole_row: None })
            }
            ValueRef::Spatial { place, to } => {
                let of = self.compared_with(place, scope, statement)?;
                let value = self.as_spatial(of.r#type, of.value, *to)?;
                Ok(With { against: Against::Spatial(*to), value, ..of })
            }
            _ => {
                let (field, value) = self.place(place, scope, statement)?;
                let definition = &self.catalog[field];
                let is_row_itself = matches!(place, ValueRef::Field { .. });
                let whole_row = is_row_itself && self.is_whole_row(definition);
                let whole_row = whole_row.then_some(scope.alias);
                let r#type = &definition.r#type;
                Ok(With { against: Against::Field(field), r#type, value, whole_row })
            }
        }
    }

    fn compare(
        &self,
        with: With<'_>,
        comparison: Comparison,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let With { against, r#type, value, .. } = with;
        let base = self.catalog.base_type(r#type);
        let source = ParameterSource::Operand(operand.clone());
        let is_network = matches!(base, Type::Scalar(Scalar::Inet | Scalar::Cidr));
        if !self.flavor.typed_text && matches!(base, Type::Scalar(Scalar::Json)) {
            let operand = |statement: &mut Statement, kind| {
                Expression::Parameter(statement.parameter(source.clone(), kind))
            };
            let json = ParameterKind::Value { against, kind: ValueKind::Json };
            match comparison {
                Comparison::Contains => {
                    return Ok(function(JSON_CONTAINS, [value, operand(statement, json)]));
                }
                Comparison::ContainedBy => {
                    return Ok(function(JSON_CONTAINS, [operand(statement, json), value]));
                }
                Comparison::HasKey => {
                    let key = operand(statement, ParameterKind::Text);
                    return Ok(function(JSON_HAS_KEY, [value, key]));
                }
                Comparison::HasAnyKey => {
                    let keys = operand(statement, ParameterKind::TextList);
                    return Ok(function(JSON_HAS_ANY_KEY, [value, keys]));
                }
                Comparison::HasAllKeys => {
                    let keys = operand(statement, ParameterKind::TextList);
                    return Ok(function(JSON_HAS_ALL_KEYS, [value, keys]));
                }
                Comparison::Overlaps => {
                    let list = statement.parameter(source, ParameterKind::JsonElements);
                    return Ok(Expression::AnyElementIn { list, array: Box::new(value) });
                }
                _ => {}
            }
        }
        if let Against::Spatial(to) = against
            && !matches!(comparison, Comparison::In | Comparison::NotIn)
        {
            // Its type cannot be inferred where the operators of PostGIS are not in the search path.
            let parameter = statement.parameter(source, ParameterKind::Inferred);
            let right = self.as_spatial(r#type, Expression::Parameter(parameter), to)?;
            let (left, right) = (Box::new(value), Box::new(right));
            let comparison = plain_comparison(comparison)?;
            return Ok(Expression::Compare { left, comparison, right });
        }
        let (comparison, kind) = match (comparison, base) {
            (Comparison::HasKey, _) => (sql::Comparison::HasKey, ParameterKind::Text),
            (Comparison::HasAnyKey, _) => (sql::Comparison::HasAnyKey, ParameterKind::TextList),
            (Comparison::HasAllKeys, _) => (sql::Comparison::HasAllKeys, ParameterKind::TextList),
            (Comparison::ContainsElement, Type::Range(range)) => {
                (sql::Comparison::Contains, ParameterKind::RangeElement { range: *range })
            }
            (Comparison::PathExists, _) => (sql::Comparison::PathExists, ParameterKind::Inferred),
            (Comparison::PathIsTrue, _) => (sql::Comparison::PathIsTrue, ParameterKind::Inferred),
            (Comparison::Tree(tree), _) => {
                return self.compare_tree((against, r#type), value, tree, source, statement);
            }
            (Comparison::Contains, _) if is_network => {
                let kind = ParameterKind::Value { against, kind: ValueKind::Other };
                (sql::Comparison::ContainsOrEquals, kind)
            }
            (Comparison::ContainedBy, _) if is_network => {
                let kind = ParameterKind::Value { against, kind: ValueKind::Other };
                (sql::Comparison::ContainedOrEquals, kind)
            }
            _ => {
                let kind = ValueKind::of_type(self.catalog, r#type);
                return self.compared((against, kind), value, comparison, operand, statement);
            }
        };
        Ok(Expression::Compare {
            left: Box::new(value),
            comparison,
            right: Box::new(Expression::Parameter(statement.parameter(source, kind))),
        })
    }

    /// A comparison of a path of labels.
    fn compare_tree(
        &self,
        (against, r#type): (Against, &Type),
        value: Expression,
        comparison: TreeComparison,
        source: ParameterSource,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        if !self.flavor.typed_text {
            return Err(CompileError::not_built("paths of labels"));
        }
        let kind = ValueKind::of_type(self.catalog, r#type);
        let one = ParameterKind::Value { against, kind };
        let (comparison, kind) = match comparison {
            TreeComparison::AncestorOf => (sql::Comparison::Contains, one),
            TreeComparison::DescendantOf => (sql::Comparison::ContainedBy, one),
            TreeComparison::Matches => (sql::Comparison::MatchesRegex, ParameterKind::Inferred),
            TreeComparison::MatchesAny => (sql::Comparison::HasKey, ParameterKind::InferredList),
            TreeComparison::MatchesText => {
                (sql::Comparison::MatchesLabels, ParameterKind::Inferred)
            }
            TreeComparison::AncestorOfAny | TreeComparison::DescendantOfAny => {
                let comparison = match comparison {
                    TreeComparison::AncestorOfAny => sql::Comparison::Contains,
                    _ => sql::Comparison::ContainedBy,
                };
                let list = statement.parameter(source, ParameterKind::List { against, kind });
                let expression = Box::new(value);
                return Ok(Expression::ComparesToAny { expression, comparison, list });
            }
        };
        let right = Expression::Parameter(statement.parameter(source, kind));
        let (left, right) = (Box::new(value), Box::new(right));
        Ok(Expression::Compare { left, comparison, right })
    }

    /// Whether some element of a list compares so. The operand stands before the list, so the
    /// comparison is turned around.
    fn any_element(
        &self,
        with: With<'_>,
        comparison: Comparison,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let comparison = match comparison {
            Comparison::Equal => sql::Comparison::Equal,
            Comparison::NotEqual => sql::Comparison::NotEqual,
            Comparison::Less => sql::Comparison::Greater,
            Comparison::LessOrEqual => sql::Comparison::GreaterOrEqual,
            Comparison::Greater => sql::Comparison::Less,
            Comparison::GreaterOrEqual => sql::Comparison::LessOrEqual,
            _ => return Err(CompileError::not_built("this comparison with elements")),
        };
        let source = ParameterSource::Operand(operand.clone());
        let (array, kind) = self.elements_of(with);
        let value = statement.parameter(source, kind);
        Ok(Expression::AnyElement { value, comparison, array: Box::new(array) })
    }

    /// Whether some element of a list is between two values, or equals one of them.
    fn element_between(
        &self,
        with: With<'_>,
        (least, most): (&Operand, &Operand),
        statement: &mut Statement,
    ) -> Expression {
        let (array, kind) = self.elements_of(with);
        let mut bound = |operand: &Operand| {
            statement.parameter(ParameterSource::Operand(operand.clone()), kind)
        };
        let (least, most) = (bound(least), bound(most));
        Expression::ElementBetween { least, most, array: Box::new(array) }
    }

    /// A list, and the kind of a value that is compared with its elements.
    fn elements_of(&self, with: With<'_>) -> (Expression, ParameterKind) {
        match self.has_texts_ignoring_case(with.r#type) {
            true => (cast(with.value, SqlType::TextArray), ParameterKind::Text),
            false => (with.value, ParameterKind::Element { against: with.against }),
        }
    }

    /// Whether it is a list of PostgreSQL's text without regard to case.
    fn has_texts_ignoring_case(&self, r#type: &Type) -> bool {
        let Type::List(element) = self.catalog.base_type(r#type) else { return false };
        **element == Type::Scalar(Scalar::CaseInsensitiveText)
    }

    /// The same for a value of another kind than the field's.
    pub(super) fn compared(
        &self,
        (against, kind): (Against, ValueKind),
        column: Expression,
        comparison: Comparison,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let source = self.value_source(operand, statement)?;
        let column = match source {
            // It came from a row, as this column does.
            ParameterSource::Result { .. } => column,
            _ => self.comparable(kind, column),
        };
        if let Comparison::In | Comparison::NotIn = comparison {
            let list = statement.parameter(source, ParameterKind::List { against, kind });
            let within = Expression::InList { expression: Box::new(column), list };
            return Ok(match comparison {
                Comparison::NotIn => Expression::Not(Box::new(within)),
                _ => within,
            });
        }
        let comparison = plain_comparison(comparison)?;
        let parameter = statement.parameter(source, ParameterKind::Value { against, kind });
        Ok(Expression::Compare {
            left: Box::new(column),
            comparison,
            right: Box::new(Expression::Parameter(parameter)),
        })
    }

    /// Texts compared letter by letter, or without regard to case.
    fn compare_text(
        &self,
        with: With<'_>,
        comparison: Comparison,
        case: Case,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let base = self.catalog.base_type(with.r#type);
        let is_list = matches!(base, Type::List(_));
        let folded = match case {
            Case::AsTyped => return self.compare(with, comparison, operand, statement),
            Case::Exact => false,
            Case::Ignored => true,
        };
        let column = match folded {
            true => Expression::Folded(Box::new(with.value)),
            false if is_list => cast(with.value, SqlType::TextArray),
            false => cast(with.value, SqlType::Text),
        };
        let source = ParameterSource::Operand(operand.clone());
        if let Comparison::In | Comparison::NotIn = comparison {
            let list = statement.parameter(source, ParameterKind::TextList);
            let expression = Box::new(column);
            let within = match folded {
                true => Expression::InFoldedList { expression, list },
                false => Expression::InList { expression, list },
            };
            return Ok(match comparison {
                Comparison::NotIn => Expression::Not(Box::new(within)),
                _ => within,
            });
        }
        let kind = if is_list { ParameterKind::TextList } else { ParameterKind::Text };
        let parameter = statement.parameter(source, kind);
        let parameter = Expression::Parameter(parameter);
        let right = match folded {
            true => Expression::Folded(Box::new(cast(parameter, SqlType::Text))),
            false => parameter,
        };
        Ok(Expression::Compare {
            left: Box::new(column),
            comparison: plain_comparison(comparison)?,
            right: Box::new(right),
        })
    }

    fn matched(
        &self,
        with: With<'_>,
        r#match: TextMatch,
        case: Case,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let source = ParameterSource::Operand(operand.clone());
        let against = with.against;
        let kind = ParameterKind::Pattern { against, r#match, case };
        let pattern = statement.parameter(source.clone(), kind);
        let column = with.value;
        let kind = ValueKind::of_type(self.catalog, with.r#type);
        let column = match (kind, self.flavor.typed_text) {
            (ValueKind::Text, _) if case == Case::Exact => cast(column, SqlType::Text),
            (ValueKind::Text, _) => column,
            // As PostgreSQL prints them.
            (ValueKind::Uuid, false) => Expression::Lower(Box::new(column)),
            (kind @ ValueKind::Timestamp, false) => self.comparable(kind, column),
            (_, true | false) => cast(column, SqlType::Text),
        };
        let is_glob = self.flavor.pattern == Pattern::Glob;
        if let Some(comparison) = regex_comparison(r#match, case) {
            let pattern = Expression::Parameter(pattern);
            return Ok(match is_glob {
                true => function(RE2, [column, pattern]),
                false => {
                    let (left, right) = (Box::new(column), Box::new(pattern));
                    Expression::Compare { left, comparison, right }
                }
            });
        }
        let matched = |column| match case {
            Case::Ignored => Expression::LikeIgnoringCase { expression: Box::new(column), pattern },
            Case::AsTyped | Case::Exact if is_glob && r#match != TextMatch::StartsWith => {
                function(LIKE, [column, Expression::Parameter(pattern)])
            }
            Case::AsTyped | Case::Exact => {
                Expression::Like { expression: Box::new(column), pattern }
            }
        };
        let may_be_looked_up = r#match == TextMatch::Like
            && case == Case::AsTyped
            && kind == ValueKind::Text
            && self.may_be_indexed(against);
        if !is_glob || !may_be_looked_up {
            return Ok(matched(column));
        }
        let prefix = statement.parameter(source, ParameterKind::PatternPrefix { against });
        let expression = Box::new(column.clone());
        Ok(Expression::all(vec![Expression::Like { expression, pattern: prefix }, matched(column)]))
    }

    /// Whether an index may find rows by a field. What a view shows may be indexed below it.
    fn may_be_indexed(&self, against: Against) -> bool {
        let Against::Field(field) = against else { return false };
        let entity = &self.catalog[self.catalog[field].entity];
        entity.kind != EntityKind::Table
            || entity.indexes.iter().any(|index| index.fields.contains(&field))
            || entity.keys.iter().any(|key| key.fields.contains(&field))
    }

    /// The rows that a relationship leads to, from the row at `near`.
    pub(super) fn rows_along(&self, hop: Hop, near: Alias, statement: &mut Statement) -> Scope {
        let far = statement.alias();
        let mut scope = Scope::new(Select::from(self.table(self.target(hop), far)), far);
        let (near_fields, far_fields) = self.hop_fields(hop);
        for (near_field, far_field) in near_fields.iter().zip(far_fields) {
            let same = self.field(far, *far_field).equals(self.field(near, *near_field));
            scope.select.and_where(same);
        }
        scope
    }

    /// Whether rows that a relationship leads to, from the row at `near`, pass a filter.
    fn related(
        &self,
        hop: Hop,
        quantifier: Quantifier,
        filter: &Filter,
        near: Alias,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        if !self.may_correlate(hop, near, statement) {
            return self.related_elsewhere((hop, quantifier, filter), near, statement);
        }
        let mut scope = self.rows_along(hop, near, statement);
        if !filter.is_all() {
            statement.nested += 1;
            let passes = self.filter_within(near, filter, &mut scope, statement)?;
            statement.nested -= 1;
            scope.select.and_where(match quantifier {
                Quantifier::Every => Expression::Not(Box::new(passes)),
                Quantifier::Some | Quantifier::None | Quantifier::Single => passes,
            });
        }
        if quantifier == Quantifier::Single {
            scope.select.items = vec![SelectItem { expression: Expression::CountRows, name: None }];
            let count = Expression::Subquery(Box::new(scope.select));
            return Ok(count.equals(Expression::Number(1)));
        }
        if statement.nested >= self.flavor.freely_nested {
            let none = Operand::Constant(ir::Value::Integer(0));
            let source = ParameterSource::Operand(none);
            let offset = statement.parameter(source, ParameterKind::Offset);
            scope.select.offset = Some(Expression::Parameter(offset));
        }
        let exists = || Expression::Exists(Box::new(scope.select));
        match quantifier {
            Quantifier::Some | Quantifier::Single => Ok(exists()),
            Quantifier::None => Ok(Expression::Not(Box::new(exists()))),
            // No row fails what every row passes.
            Quantifier::Every if filter.is_all() => Ok(Expression::Boolean(true)),
            Quantifier::Every => Ok(Expression::Not(Box::new(exists()))),
        }
    }

    /// Whether an entity has a row that passes a filter.
    fn exists(
        &self,
        entity: EntityId,
        filter: &Filter,
        near: Alias,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let alias = statement.alias();
        let mut scope = Scope::new(Select::from(self.table(entity, alias)), alias);
        if !filter.is_all() {
            let passes = self.filter_within(near, filter, &mut scope, statement)?;
            scope.select.and_where(passes);
        }
        Ok(Expression::Exists(Box::new(scope.select)))
    }

    /// A filter of other rows than those at `near`, which it may name as outer rows.
    pub(super) fn filter_within(
        &self,
        near: Alias,
        filter: &Filter,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        statement.outer.push(near);
        let condition = self.filter(filter, scope, statement);
        statement.outer.pop();
        condition
    }

    fn compare_values(
        &self,
        left: &ValueRef,
        comparison: Comparison,
        right: &ValueRef,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let mut value = |place| {
            let (field, value) = self.place(place, scope, statement)?;
            let kind = ValueKind::of(self.catalog, field);
            Ok::<_, CompileError>(Box::new(self.comparable(kind, value)))
        };
        let (left, right) = (value(left)?, value(right)?);
        Ok(Expression::Compare { left, comparison: plain_comparison(comparison)?, right })
    }

    /// The column as this database can compare values of its kind.
    pub(super) fn comparable(&self, kind: ValueKind, column: Expression) -> Expression {
        match (self.flavor.typed_text, kind) {
            (false, ValueKind::Timestamp) => Expression::CanonicalTimestamp(Box::new(column)),
            (false, ValueKind::Uuid) => Expression::IgnoreCase(Box::new(column)),
            (false, ValueKind::Json) => function(JSON_CONTENT, [column]),
            (false, ValueKind::TimestampWithZone) => time_number(TimeKind::Instant, column),
            (false, ValueKind::Time) => time_number(TimeKind::Clock, column),
            (false, ValueKind::TimeWithZone) => time_number(TimeKind::ZonedClock, column),
            (true | false, _) => column,
        }
    }

    /// A value to be compared, or null.
    fn value_if(&self, condition: Expression, value: Expression) -> Expression {
        if self.flavor.typed_text {
            return Expression::When { condition: Box::new(condition), then: Box::new(value) };
        }
        // What a column is compared as is known of it in a subquery, and forgotten in a CASE.
        let mut select = Select::once();
        select.items.push(SelectItem { expression: value, name: None });
        select.and_where(condition);
        Expression::Subquery(Box::new(select))
    }

    pub(super) fn place(
        &self,
        place: &ValueRef,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(FieldId, Expression), CompileError> {
        match place {
            ValueRef::Field { path, field } => {
                let column = self.column(scope, statement, path, *field);
                Ok(match self.guard_of_joined(scope, path, statement)? {
                    Some(passes) => (*field, self.value_if(passes, column)),
                    None => (*field, column),
                })
            }
            ValueRef::Outer { levels, field } => {
                let outer = statement.outer.len().checked_sub(usize::from(*levels));
                let alias = outer.and_then(|outer| statement.outer.get(outer).copied());
                let alias =
                    alias.ok_or(CompileError::not_built("an outer row that is not there"))?;
                Ok((*field, self.field(alias, *field)))
            }
            ValueRef::Edge(_) => Err(CompileError::not_built("a relationship's own property")),
            ValueRef::Truncated { place, unit } => {
                let (field, column) = self.place(place, scope, statement)?;
                let moment = Box::new(self.comparable(ValueKind::of(self.catalog, field), column));
                let unit = match unit {
                    TimeUnit::Hour => sql::TimeUnit::Hour,
                    TimeUnit::Day => sql::TimeUnit::Day,
                };
                Ok((field, Expression::Truncated { unit, moment }))
            }
            ValueRef::Spatial { .. } => Err(CompileError::not_built("a value as another type")),
            ValueRef::Aggregated { function, place } => {
                let (field, _) = self.place(place, scope, statement)?;
                let value = self.aggregate(*function, Some(place), scope, statement)?;
                Ok((field, self.comparable_aggregate(*function, field, value)))
            }
            ValueRef::Attribute { .. } => {
                Err(CompileError::not_built("an attribute of a composite"))
            }
            ValueRef::Computed(call) => self.computed_place(call, scope, statement),
            ValueRef::Distance(distance) => {
                let field = self.vector(distance, scope)?.0;
                Ok((field, self.distance(distance, scope, statement)?))
            }
            ValueRef::Counted { .. } => Err(CompileError::not_built("a number of related rows")),
            ValueRef::Common(place) => scope.common(*place),
            ValueRef::Coalesce(places) => {
                let values = places.iter().map(|place| self.place(place, scope, statement));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                let (fields, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
                let field = fields.first().copied();
                let field = field.ok_or(CompileError::not_built("the first of no values"))?;
                Ok((field, Expression::first_of(values)))
            }
            // Only aggregates read each value once.
            ValueRef::Distinct(place) => self.place(place, scope, statement),
            ValueRef::Together(_) => Err(CompileError::not_built("several values as one")),
            ValueRef::OrElse { .. } => Err(CompileError::not_built("a value in the place of null")),
            ValueRef::If { place, filter } => {
                let ValueRef::Field { path, field } = &**place else {
                    return Err(CompileError::not_built("a part of a row that may not pass"));
                };
                let alias = self.joined(scope, statement, path);
                let condition = self.condition_on(filter, alias, statement)?;
                let condition = match self.guard_of_joined(scope, path, statement)? {
                    Some(passes) => Expression::all(vec![passes, condition]),
                    None => condition,
                };
                Ok((*field, self.value_if(condition, self.field(alias, *field))))
            }
        }
    }
}

/// The operator of a match with a regular expression.
fn regex_comparison(r#match: TextMatch, case: Case) -> Option<sql::Comparison> {
    match (r#match, case) {
        (TextMatch::Regex, Case::Ignored) => Some(sql::Comparison::MatchesRegexIgnoringCase),
        (TextMatch::Regex, Case::AsTyped | Case::Exact) => Some(sql::Comparison::MatchesRegex),
        (TextMatch::Similar, _) => Some(sql::Comparison::SimilarTo),
        _ => None,
    }
}

/// The operator between two values.
fn plain_comparison(comparison: Comparison) -> Result<sql::Comparison, CompileError> {
    Ok(match comparison {
        Comparison::Equal => sql::Comparison::Equal,
        Comparison::NotEqual => sql::Comparison::NotEqual,
        Comparison::DistinctFrom => sql::Comparison::DistinctFrom,
        Comparison::NotDistinctFrom => sql::Comparison::NotDistinctFrom,
        Comparison::Less => sql::Comparison::Less,
        Comparison::LessOrEqual => sql::Comparison::LessOrEqual,
        Comparison::Greater => sql::Comparison::Greater,
        Comparison::GreaterOrEqual => sql::Comparison::GreaterOrEqual,
        Comparison::Contains => sql::Comparison::Contains,
        Comparison::ContainedBy => sql::Comparison::ContainedBy,
        Comparison::ContainsMore => sql::Comparison::ContainsMore,
        Comparison::ContainedByMore => sql::Comparison::ContainedByMore,
        Comparison::Overlaps => sql::Comparison::Overlaps,
        Comparison::LeftOf => sql::Comparison::LeftOf,
        Comparison::RightOf => sql::Comparison::RightOf,
        Comparison::NotRightOf => sql::Comparison::NotRightOf,
        Comparison::NotLeftOf => sql::Comparison::NotLeftOf,
        Comparison::Adjacent => sql::Comparison::Adjacent,
        Comparison::In
        | Comparison::NotIn
        | Comparison::ContainsElement
        | Comparison::HasKey
        | Comparison::HasAnyKey
        | Comparison::HasAllKeys
        | Comparison::PathExists
        | Comparison::PathIsTrue
        | Comparison::Tree(_) => return Err(CompileError::not_built("this comparison")),
    })
}

/// A call of one of our own functions.
pub(super) fn function<const N: usize>(name: &str, arguments: [Expression; N]) -> Expression {
    let name = TableName { schema: None, name: Identifier(name.into()) };
    let argument = |value| CallArgument { name: None, value };
    let arguments = arguments.into_iter().map(argument).collect();
    Expression::Call(sql::Call { function: name, arguments })
}

fn time_number(kind: TimeKind, text: Expression) -> Expression {
    Expression::TimeNumber { kind, text: Box::new(text) }
}

pub(super) fn cast(expression: Expression, r#type: SqlType) -> Expression {
    Expression::Cast { expression: Box::new(expression), r#type }
}

/// All of the conditions.
pub(super) fn all(conditions: Vec<Expression>) -> Expression {
    connected(conditions, Expression::all)
}

/// How many conditions are connected at once.
const CONNECTED: usize = 64;

/// Conditions connected in groups: `a OR b OR c …` is as deep as it is long to SQLite, which
/// takes a thousand levels.
fn connected(
    mut conditions: Vec<Expression>,
    connect: fn(Vec<Expression>) -> Expression,
) -> Expression {
    while conditions.len() > CONNECTED {
        let mut groups = Vec::with_capacity(conditions.len() / CONNECTED + 1);
        let mut rest = conditions.into_iter().peekable();
        while rest.peek().is_some() {
            groups.push(connect(rest.by_ref().take(CONNECTED).collect()));
        }
        conditions = groups;
    }
    connect(conditions)
}

#[cfg(test)]
mod tests {
    use super::{CONNECTED, connected};
    use sql::Expression;

    /// The number of conditions, and how deep they are in groups.
    fn measure(expression: &Expression) -> (usize, usize) {
        match expression {
            Expression::Or(conditions) => {
                let parts = conditions.iter().map(measure);
                let (number, depth) =
                    parts.fold((0, 0), |sum, part| (sum.0 + part.0, sum.1.max(part.1)));
                assert!(conditions.len() <= CONNECTED);
                (number, depth + 1)
            }
            _ => (1, 0),
        }
    }

    #[test]
    fn many_conditions_are_connected_in_groups() {
        let check = |number: usize, depth: usize| {
            let conditions = vec![Expression::Boolean(true); number];
            assert_eq!(measure(&connected(conditions, Expression::Or)), (number, depth));
        };
        check(1, 1);
        check(CONNECTED, 1);
        check(CONNECTED + 1, 2);
        check(5_000, 3);
    }
}
