//! Clauses in sequence.

use std::fmt;

use super::Printer;
use crate::tree::{
    Clause, Direction, Match, Merge, Projection, Query, Removal, Search, SearchIndex, Set, Union,
    Variable,
};

impl Printer<'_> {
    /// A query whose branches begin with imported variables, if there are any.
    pub(super) fn query(&mut self, query: &Query, taken: &[Variable]) -> fmt::Result {
        for (index, branch) in query.branches.iter().enumerate() {
            if index > 0 {
                self.out.push_str(match query.union {
                    Union::All => " UNION ALL ",
                    Union::Distinct => " UNION ",
                });
            }
            if !taken.is_empty() {
                self.out.push_str("WITH ");
                self.variables(taken)?;
                self.out.push(' ');
            }
            for (index, clause) in branch.iter().enumerate() {
                if index > 0 {
                    self.out.push(' ');
                }
                self.clause(clause)?;
            }
        }
        Ok(())
    }

    fn clause(&mut self, clause: &Clause) -> fmt::Result {
        match clause {
            Clause::Match(clause) => self.match_clause(clause),
            Clause::With(projection) => {
                self.out.push_str("WITH ");
                self.projection(projection)
            }
            Clause::Return(projection) => {
                self.out.push_str("RETURN ");
                self.projection(projection)
            }
            Clause::Unwind { list, variable } => {
                self.out.push_str("UNWIND ");
                self.expression(list)?;
                self.out.push_str(" AS ");
                self.variable(*variable)
            }
            Clause::Create(paths) => {
                self.out.push_str("CREATE ");
                for (index, path) in paths.iter().enumerate() {
                    self.comma(index);
                    self.path(path)?;
                }
                Ok(())
            }
            Clause::Merge(merge) => self.merge(merge),
            Clause::Set(sets) => self.sets(sets),
            Clause::Remove(removals) => self.removals(removals),
            Clause::Delete { detach, elements } => {
                self.out.push_str(if *detach { "DETACH DELETE " } else { "DELETE " });
                self.variables(elements)
            }
            Clause::Search(search) => self.search(search),
            Clause::Call { scope, query } => self.call_clause(scope, query),
            Clause::Statement(statement) => self.statement(statement),
        }
    }

    fn match_clause(&mut self, clause: &Match) -> fmt::Result {
        self.out.push_str(if clause.optional { "OPTIONAL MATCH " } else { "MATCH " });
        for (index, path) in clause.paths.iter().enumerate() {
            self.comma(index);
            self.path(path)?;
        }
        if let Some(filter) = &clause.filter {
            self.out.push_str(" WHERE ");
            self.expression(filter)?;
        }
        Ok(())
    }

    fn search(&mut self, search: &Search) -> fmt::Result {
        self.out.push_str(match search.index {
            SearchIndex::Fulltext => "CALL db.index.fulltext.queryNodes(",
            SearchIndex::Vector => "CALL db.index.vector.queryNodes(",
        });
        for (index, argument) in search.arguments.iter().enumerate() {
            self.comma(index);
            self.expression(argument)?;
        }
        self.out.push_str(") YIELD node AS ");
        self.variable(search.node)?;
        self.out.push_str(", score AS ");
        self.variable(search.score)?;
        if let Some(filter) = &search.filter {
            self.out.push_str(" WHERE ");
            self.expression(filter)?;
        }
        Ok(())
    }

    fn projection(&mut self, projection: &Projection) -> fmt::Result {
        if projection.distinct {
            self.out.push_str("DISTINCT ");
        }
        if projection.items.is_empty() {
            self.out.push('*');
        }
        for (index, item) in projection.items.iter().enumerate() {
            self.comma(index);
            self.expression(&item.expression)?;
            if let Some(name) = item.name {
                self.out.push_str(" AS ");
                self.variable(name)?;
            }
        }
        for (index, item) in projection.order.iter().enumerate() {
            self.out.push_str(if index == 0 { " ORDER BY " } else { ", " });
            self.expression(&item.expression)?;
            match item.direction {
                Direction::Ascending => {}
                Direction::Descending => self.out.push_str(" DESC"),
            }
        }
        let bounds = [(" SKIP ", &projection.skip), (" LIMIT ", &projection.limit)];
        for (word, bound) in bounds {
            if let Some(bound) = bound {
                self.out.push_str(word);
                self.expression(bound)?;
            }
        }
        if let Some(filter) = &projection.filter {
            self.out.push_str(" WHERE ");
            self.expression(filter)?;
        }
        Ok(())
    }

    fn merge(&mut self, merge: &Merge) -> fmt::Result {
        self.out.push_str("MERGE ");
        self.path(&merge.path)?;
        let changes = [(" ON CREATE ", &merge.on_create), (" ON MATCH ", &merge.on_match)];
        for (word, sets) in changes {
            if !sets.is_empty() {
                self.out.push_str(word);
                self.sets(sets)?;
            }
        }
        Ok(())
    }

    fn sets(&mut self, sets: &[Set]) -> fmt::Result {
        self.out.push_str("SET ");
        for (index, set) in sets.iter().enumerate() {
            self.comma(index);
            match set {
                Set::Property { of, name, value } => {
                    self.variable(*of)?;
                    self.out.push('.');
                    self.name(name);
                    self.out.push_str(" = ");
                    self.expression(value)?;
                }
                Set::Labels { of, labels } => {
                    self.variable(*of)?;
                    self.all_labels(labels);
                }
            }
        }
        Ok(())
    }

    fn removals(&mut self, removals: &[Removal]) -> fmt::Result {
        self.out.push_str("REMOVE ");
        for (index, removal) in removals.iter().enumerate() {
            self.comma(index);
            match removal {
                Removal::Property { of, name } => {
                    self.variable(*of)?;
                    self.out.push('.');
                    self.name(name);
                }
                Removal::Labels { of, labels } => {
                    self.variable(*of)?;
                    self.all_labels(labels);
                }
            }
        }
        Ok(())
    }

    fn call_clause(&mut self, scope: &[Variable], query: &Query) -> fmt::Result {
        if self.flavor.scope_clause {
            self.out.push_str("CALL (");
            self.variables(scope)?;
            self.out.push_str(") { ");
            self.query(query, &[])?;
        } else {
            self.out.push_str("CALL { ");
            self.query(query, scope)?;
        }
        self.out.push_str(" }");
        Ok(())
    }
}
