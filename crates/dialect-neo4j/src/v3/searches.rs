//! Full-text indexes: a root field for each, and an argument of the lists.

use std::sync::Arc;

use catalog::SearchId;
use ir::ValueRef;

use super::build::Build;
use super::roles::{filter, limit};
use super::texts::FULLTEXT_ARGUMENT;
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use crate::shared::naming::{lower_camel, upper_first};
use api::binding::{
    ArgumentRole, EdgeField, FieldBinding, FilterRole, InputBinding, OrderRole, RowsBinding,
    RowsForm, RowsFrom, Subject,
};

impl Build<'_> {
    /// The root fields of a type's indexes, and the types that they lead to.
    pub(super) fn add_searches(&mut self, place: usize) {
        let node = &self.model.nodes[place];
        let found = self.placed.nodes.get(place).filter(|_| !node.fulltext.is_empty());
        let (Some(found), Some(score)) = (found, self.placed.score) else { return };
        let one = lower_camel(&node.name);
        let name = |end: &str| format!("{}Fulltext{end}", upper_first(&one));
        let (result, r#where, sort) = (name("Result"), name("Where"), name("Sort"));

        let text = format!("The result of a fulltext search on an index of {}", node.name);
        let kind = DraftKind::Object { fields: Vec::new(), interfaces: Vec::new() };
        self.draft.add(&result, Some(&text), kind);
        let binding = FieldBinding::Edge(EdgeField::Column(score));
        self.show(&result, "score", "Float!", binding);
        self.show(&result, &one, &format!("{}!", node.name), FieldBinding::Edge(EdgeField::Node));

        let operators = FilterRole::Operators(Arc::new(Subject::new(ValueRef::Edge(score))));
        let of_nodes = DraftInput::new(&one, &format!("{}Where", node.name), filter());
        let fields = vec![DraftInput::lenient("score", "FloatWhere", operators), of_nodes];
        let text = format!("The input for filtering a fulltext query on an index of {}", node.name);
        self.draft.add(&r#where, Some(&text), DraftKind::Input { fields, form: None });

        let mut fields =
            vec![DraftInput::lenient("score", "SortDirection", OrderRole::Edge(score))];
        let of_nodes = format!("{}Sort", node.name);
        if self.draft.has(&of_nodes) {
            fields.push(DraftInput::lenient(&one, &of_nodes, OrderRole::Sort));
        }
        let text = format!("The input for sorting a fulltext query on an index of {}", node.name);
        self.draft.add(&sort, Some(&text), DraftKind::Input { fields, form: None });

        for (index, search) in node.fulltext.iter().zip(&found.fulltext) {
            self.add_search_by(&node.name, &index.index, *search);
            let Some(query) = &index.query else { continue };
            let form = RowsForm::List;
            let binding = FieldBinding::Rows(RowsBinding {
                from: RowsFrom::Search(*search),
                entity: found.entity,
                form,
                default_limit: self.default_limit(place, form),
            });
            let field = DraftField::new(query, &format!("[{result}!]!"), binding)
                .argument(DraftInput::lenient("phrase", "String!", ArgumentRole::Searched))
                .argument(DraftInput::new("where", &r#where, filter()))
                .argument(DraftInput::lenient("sort", &format!("[{sort}!]"), ArgumentRole::Sort))
                .argument(DraftInput::new("limit", "Int", limit(node.limit.max)))
                .argument(DraftInput::lenient("offset", "Int", ArgumentRole::Offset));
            self.draft.add_field("Query", field);
        }
    }

    /// What lists of nodes say of an index.
    fn add_search_by(&mut self, node: &str, index: &str, search: SearchId) {
        let r#type = format!("{node}{}Fulltext", upper_first(index));
        let binding = InputBinding::lenient(ArgumentRole::Searched);
        self.put(&r#type, "phrase", "String!", binding);
        let binding = InputBinding::lenient(ArgumentRole::SearchBy(search));
        self.put(&format!("{node}Fulltext"), index, &r#type, binding);
    }

    /// The argument by which nodes of a list are searched for, if they have indexes.
    pub(super) fn search_argument(&self, place: usize) -> Option<DraftInput> {
        let node = &self.model.nodes[place];
        let r#type = format!("{}Fulltext", node.name);
        let binding = InputBinding::lenient(ArgumentRole::Options);
        let argument = || DraftInput::new("fulltext", &r#type, binding).because(FULLTEXT_ARGUMENT);
        (!node.fulltext.is_empty()).then(argument)
    }
}
