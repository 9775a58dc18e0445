//! The root fields of indexes by which nodes are searched for.

use std::sync::Arc;

use catalog::{FieldId, SearchId};
use ir::ValueRef;

use super::build::Build;
use super::connections::{add_edge, default_limit, limited};
use super::sort;
use crate::model::Target;
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use crate::shared::naming::{lower_camel, upper_first};
use api::binding::{
    ArgumentRole, ConnectionField, EdgeField, FieldBinding, FilterRole, OrderRole, RowsBinding,
    RowsForm, RowsFrom, Subject,
};

/// What descriptions of inputs call an index. Where a type has both kinds, its inputs are described
/// as those of the first.
struct Words {
    filtering: &'static str,
    sorting: &'static str,
}

const FULLTEXT: Words = Words { filtering: "full-text", sorting: "Fulltext" };
const VECTOR: Words = Words { filtering: "Vector", sorting: "Vector" };

/// The types of what is found, by their names.
struct Names {
    connection: String,
    edge: String,
    r#where: String,
    sort: String,
}

/// `searchMovies(phrase: …)` and `similarMovies(vector: …)`, by the names that the definitions say.
pub(super) fn fields(build: &mut Build<'_>, node: usize) {
    let known = build.model.nodes.get(node).zip(build.placed.nodes.get(node));
    let (Some((known, found)), Some(score)) = (known, build.placed.score) else { return };
    let names = names(build, node);
    let rows = |build: &Build<'_>, search: SearchId| {
        FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Search(search),
            entity: found.entity,
            form: RowsForm::Connection,
            default_limit: default_limit(build, Target::Node(node)),
        })
    };
    let r#type = format!("{}!", names.connection);
    for (index, search) in known.fulltext.iter().zip(&found.fulltext) {
        let Some(query) = &index.query else { continue };
        types(build, node, &names, score, &FULLTEXT);
        let field = DraftField::new(query, &r#type, rows(build, *search))
            .argument(DraftInput::lenient("phrase", "String!", ArgumentRole::Searched));
        let field = arguments(build, node, &names, field);
        build.draft.add_field("Query", field);
    }
    for (index, search) in known.vector.iter().zip(&found.vectors) {
        types(build, node, &names, score, &VECTOR);
        let field = DraftField::new(&index.query, &r#type, rows(build, *search));
        let field = arguments(build, node, &names, field).argument(DraftInput::lenient(
            "vector",
            "[Float!]",
            ArgumentRole::Searched,
        ));
        build.draft.add_field("Query", field);
    }
}

fn names(build: &Build<'_>, node: usize) -> Names {
    let target = Target::Node(node);
    let several = build.names(target).pascal_plural();
    let one = upper_first(&lower_camel(build.name(target)));
    Names {
        connection: format!("{several}IndexConnection"),
        edge: format!("{one}IndexEdge"),
        r#where: format!("{one}IndexWhere"),
        sort: format!("{one}IndexSort"),
    }
}

/// The arguments of any search, what is searched for left aside.
fn arguments(build: &Build<'_>, node: usize, names: &Names, field: DraftField) -> DraftField {
    field
        .argument(DraftInput::lenient("where", &names.r#where, FilterRole::Conditions))
        .argument(DraftInput::lenient("sort", &format!("[{}!]", names.sort), ArgumentRole::Sort))
        .argument(limited(build, "first", Target::Node(node)))
        .argument(DraftInput::lenient("after", "String", ArgumentRole::AfterOffset))
}

/// The types of what is found, which all indexes of a type share.
fn types(build: &mut Build<'_>, node: usize, names: &Names, score: FieldId, words: &Words) {
    if build.draft.has(&names.connection) {
        return;
    }
    let own = build.name(Target::Node(node));
    let sort = sort::name(build, Target::Node(node));
    add_edge(build, &names.edge, own);
    let binding = FieldBinding::Edge(EdgeField::Column(score));
    build.draft.add_field(&names.edge, DraftField::new("score", "Float!", binding));
    for (field, r#type, binding) in [
        ("totalCount", "Int!", ConnectionField::TotalCount),
        ("pageInfo", "PageInfo!", ConnectionField::PageInfo),
        ("edges", &*format!("[{}!]!", names.edge), ConnectionField::Edges),
    ] {
        let binding = FieldBinding::Connection(binding);
        build.draft.add_field(&names.connection, DraftField::new(field, r#type, binding));
    }
    let operators = FilterRole::Operators(Arc::new(Subject::new(ValueRef::Edge(score))));
    let fields = vec![
        DraftInput::lenient("score", "FloatWhere", operators),
        DraftInput::lenient("node", &format!("{own}Where"), FilterRole::Conditions),
    ];
    let text = format!("The input for filtering a {} query on an index of {own}", words.filtering);
    build.draft.add(&names.r#where, Some(&text), DraftKind::Input { fields, form: None });
    let mut fields = vec![DraftInput::lenient("score", "SortDirection", OrderRole::Edge(score))];
    fields.extend(sort.map(|sort| DraftInput::lenient("node", &sort, OrderRole::Sort)));
    let text = format!("The input for sorting a {} query on an index of {own}", words.sorting);
    build.draft.add(&names.sort, Some(&text), DraftKind::Input { fields, form: None });
}
