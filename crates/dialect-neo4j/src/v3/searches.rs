//! Full-text indexes: a root field for each, and an argument of the lists.

use catalog::SearchId;

use super::descriptions::FULLTEXT_ARGUMENT;
use super::related::default_limit;
use super::roles::limit;
use crate::model::Target;
use crate::shared::builder::Builder;
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use crate::shared::naming::{lower_camel, upper_first};
use crate::shared::searches::{add_sort, add_where, score};
use api::binding::{
    ArgumentRole, EdgeField, FieldBinding, FilterRole, RowsBinding, RowsForm, RowsFrom,
};

/// The root fields of a type's indexes, and the types that they lead to.
pub(super) fn add_searches(build: &mut Builder<'_>, place: usize) {
    let node = &build.model.nodes[place];
    let found = build.placed.nodes.get(place).filter(|_| !node.fulltext.is_empty());
    let (Some(found), Some(id)) = (found, build.placed.score) else { return };
    let one = lower_camel(&node.name);
    let name = |end: &str| format!("{}Fulltext{end}", upper_first(&one));
    let (result, r#where, sort) = (name("Result"), name("Where"), name("Sort"));

    let text = format!("The result of a fulltext search on an index of {}", node.name);
    let kind = DraftKind::Object { fields: Vec::new(), interfaces: Vec::new() };
    build.draft.add(&result, Some(&text), kind);
    build.draft.add_field(&result, score(id));
    build.show(&result, &one, &format!("{}!", node.name), FieldBinding::Edge(EdgeField::Node));
    let of_nodes = format!("{}Sort", node.name);
    let of_nodes = build.draft.has(&of_nodes).then_some(of_nodes);
    let target = Target::Node(place);
    add_where(build, target, &r#where, (&one, id), "fulltext");
    add_sort(build, target, &sort, (&one, of_nodes, id), "fulltext");

    for (index, search) in node.fulltext.iter().zip(&found.fulltext) {
        add_search_by(build, &node.name, &index.index, *search);
        let Some(query) = &index.query else { continue };
        let form = RowsForm::List;
        let binding = FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Search(*search),
            entity: found.entity,
            form,
            default_limit: default_limit(build, place, form),
        });
        let field = DraftField::new(query, &format!("[{result}!]!"), binding)
            .argument(DraftInput::lenient("phrase", "String!", ArgumentRole::Searched))
            .argument(DraftInput::lenient("where", &r#where, FilterRole::Conditions))
            .argument(DraftInput::lenient("sort", &format!("[{sort}!]"), ArgumentRole::Sort))
            .argument(DraftInput::new("limit", "Int", limit(node.limit.max)))
            .argument(DraftInput::lenient("offset", "Int", ArgumentRole::Offset));
        build.draft.add_field("Query", field);
    }
}

/// Adds an index to the search argument of lists of nodes.
fn add_search_by(build: &mut Builder<'_>, node: &str, index: &str, search: SearchId) {
    let r#type = format!("{node}{}Fulltext", upper_first(index));
    build.put_lenient(&r#type, "phrase", "String!", ArgumentRole::Searched);
    let parent = format!("{node}Fulltext");
    build.put_lenient(&parent, index, &r#type, ArgumentRole::SearchBy(search));
}

/// The argument by which nodes of a list are searched for, if they have indexes.
pub(super) fn search_argument(build: &Builder<'_>, place: usize) -> Option<DraftInput> {
    let node = &build.model.nodes[place];
    let r#type = format!("{}Fulltext", node.name);
    let argument = || DraftInput::lenient("fulltext", &r#type, ArgumentRole::Options);
    (!node.fulltext.is_empty()).then(|| argument().because(FULLTEXT_ARGUMENT))
}
