//! Prefixes of node ids.

use catalog::{EntityId, Note, NoteKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::build::Build;
use super::entity::Served;

/// Prefixes of node ids: those of PostGraphile, which forms them of the table's own name. Where
/// several tables would have the same, as `a.files` and `b.files`, none of them gets it, since
/// `node` could not tell them apart: they get the names of their types.
pub(super) fn prefixes(
    build: &mut Build<'_>,
    served: &[Served<'_>],
) -> FxHashMap<EntityId, Box<str>> {
    let identified: Vec<&Served<'_>> =
        served.iter().filter(|one| build.has_node_ids(one.entity.id)).collect();
    let usual = |build: &Build<'_>, one: &Served<'_>| -> Box<str> {
        build.inflection.node_prefix(&one.entity.name).into()
    };
    let mut numbers: FxHashMap<Box<str>, usize> = FxHashMap::default();
    for one in &identified {
        *numbers.entry(usual(build, one)).or_default() += 1;
    }
    let mut taken: FxHashSet<Box<str>> = numbers.keys().cloned().collect();
    let mut prefixes = FxHashMap::default();
    for one in identified {
        let id = one.entity.id;
        let usual = usual(build, one);
        if numbers.get(&usual) == Some(&1) {
            prefixes.insert(id, usual);
            continue;
        }
        let mut own: Box<str> = one.name.as_str().into();
        while !taken.insert(own.clone()) {
            own = format!("{own}_").into();
        }
        let subject = build.entity_name(id).into();
        build.note(Note {
            kind: NoteKind::NodeId,
            subject,
            message: format!(
                "its node ids begin with {own:?}, since {usual:?}, which PostGraphile takes, would \
                 be those of another table, too."
            )
            .into(),
            remedy: "where ids that PostGraphile gave are kept, ask for new ones.".into(),
        });
        prefixes.insert(id, own);
    }
    prefixes
}
