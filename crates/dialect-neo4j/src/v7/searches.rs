//! The root fields of indexes by which nodes are searched for.

use catalog::{FieldId, SearchId};

use super::connections::limited;
use super::sort;
use crate::model::Target;
use crate::shared::builder::Builder;
use crate::shared::draft::{DraftField, DraftInput};
use crate::shared::naming::{lower_camel, upper_first};
use crate::shared::rows::{EDGES_LAST, add_edge, add_page, default_limit};
use crate::shared::searches::{add_sort, add_where, score};
use api::binding::{ArgumentRole, FieldBinding, FilterRole, RowsBinding, RowsForm, RowsFrom};

/// Words for an index in descriptions of inputs. Where a type has both kinds, its inputs are described
/// as those of the first.
struct Words {
    filtering: &'static str,
    sorting: &'static str,
}

const FULLTEXT: Words = Words { filtering: "full-text", sorting: "Fulltext" };
const VECTOR: Words = Words { filtering: "Vector", sorting: "Vector" };

/// Names of the types of results.
struct Names {
    connection: String,
    edge: String,
    r#where: String,
    sort: String,
}

/// `searchMovies(phrase: …)` and `similarMovies(vector: …)`, by the names that the definitions say.
pub(super) fn fields(build: &mut Builder<'_>, node: usize) {
    let known = build.model.nodes.get(node).zip(build.placed.nodes.get(node));
    let (Some((known, found)), Some(score)) = (known, build.placed.score) else { return };
    let names = names(build, node);
    let rows = |build: &Builder<'_>, search: SearchId| {
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

fn names(build: &Builder<'_>, node: usize) -> Names {
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

/// Adds the arguments of any search, but for the phrase or vector.
fn arguments(build: &Builder<'_>, node: usize, names: &Names, field: DraftField) -> DraftField {
    field
        .argument(DraftInput::lenient("where", &names.r#where, FilterRole::Conditions))
        .argument(DraftInput::lenient("sort", &format!("[{}!]", names.sort), ArgumentRole::Sort))
        .argument(limited(build, "first", Target::Node(node)))
        .argument(DraftInput::lenient("after", "String", ArgumentRole::AfterOffset))
}

/// Adds the types of results, which all indexes of a type share.
fn types(build: &mut Builder<'_>, node: usize, names: &Names, id: FieldId, words: &Words) {
    if build.draft.has(&names.connection) {
        return;
    }
    let own = build.name(Target::Node(node));
    let sort = sort::name(build, Target::Node(node));
    add_edge(build, &names.edge, own);
    build.draft.add_field(&names.edge, score(id));
    add_page(build, &names.connection, &names.edge, EDGES_LAST);
    let target = Target::Node(node);
    add_where(build, target, &names.r#where, ("node", id), words.filtering);
    add_sort(build, target, &names.sort, ("node", sort, id), words.sorting);
}
