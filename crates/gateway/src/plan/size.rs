//! Heap size of a plan, for the memory limit of the plan cache.

use graphql::heap::{HeapSize, of_arc};
use graphql::heap_size;

use super::projection::ResponseValue;
use super::reuse::{ItemTree, Provider, Reusable, ReusableSelection, Reuse};
use super::shape::{Read, Scalar, Shape, Value};
use super::{
    Context, Document, Entities, Entry, Fetch, FetchId, Form, Layout, Member, Nesting, Plan,
    Projection, ResponseMember, Root, SelectedField, Selection, SizeHint,
};

heap_size!(plain FetchId, Nesting, Scalar, SizeHint);

heap_size!(struct Layout {
    slots, widths, children, is_shared, objects, cells, elements, at, written,
});
heap_size!(struct Context { r#type, sources });
heap_size!(struct Fetch { subgraph, kind, needs, level, parts, root, entities, document });
heap_size!(struct Root { position, selection, shape });
heap_size!(struct Entities { typename, contexts, types, entries });
heap_size!(struct Entry {
    position, types, on, keys, inputs, form, selections, shapes, reuse,
});
heap_size!(struct Selection { typename, fields, fragments });
heap_size!(struct SelectedField { key, item, context_arguments, below });
heap_size!(struct Document { text, head, variables });
heap_size!(struct Form { typename, members });
heap_size!(struct Member { name, prefix, item, is_key, is_non_null, below });
heap_size!(struct Shape { typename, is_of_all, members, own });
heap_size!(struct Read { prefix, item, slot, lists, value, also });
heap_size!(enum Value { Leaf(scalar), Objects { position, r#type, is_alone, shape } });
heap_size!(struct Projection { members, orders, hidden_types, deferred });
heap_size!(struct ResponseMember { prefix, item, slot, parts, types, nesting, own, value });
heap_size!(
    enum ResponseValue {
        Introspection,
        Typename,
        Denied,
        Leaf,
        Id,
        Enum(values),
        Objects,
    }
);
heap_size!(struct Reusable { forms, known });
heap_size!(struct ReusableSelection { object, providers });
heap_size!(struct Provider { fetch, position, form, values });
heap_size!(struct Reuse { known, providers, values });
heap_size!(struct ItemTree { item, below });

impl HeapSize for Plan {
    fn heap_size(&self) -> usize {
        let Self { fetches, tree, layout, projections, contexts, reusable, chain, parts } = self;
        fetches.heap_size()
            + tree.heap_size()
            + of_arc(layout)
            + projections.heap_size()
            + contexts.heap_size()
            + reusable.heap_size()
            + chain.heap_size()
            + parts.heap_size()
    }
}

impl Plan {
    /// Frees the spare capacity of vectors: a plan is cached for long, and has many short vectors.
    pub(super) fn shrink(&mut self) {
        self.fetches.shrink_to_fit();
        for fetch in &mut self.fetches {
            fetch.needs.shrink_to_fit();
            fetch.root.iter_mut().for_each(|root| root.selection.shrink());
            fetch.entities.shrink_to_fit();
            fetch.entities.iter_mut().for_each(Entities::shrink);
        }
        self.contexts.shrink_to_fit();
        self.reusable.forms.shrink_to_fit();
        self.reusable.forms.iter_mut().for_each(Form::shrink);
        self.reusable.known.shrink_to_fit();
        self.tree.shrink();
    }
}

impl Entities {
    fn shrink(&mut self) {
        let Self { types, entries, contexts, .. } = self;
        contexts.shrink_to_fit();
        types.shrink_to_fit();
        types.iter_mut().for_each(|(_, selection)| selection.shrink());
        entries.shrink_to_fit();
        for entry in entries {
            entry.keys.shrink_to_fit();
            entry.inputs.shrink_to_fit();
            entry.form.shrink();
            entry.selections.shrink_to_fit();
            entry.selections.iter_mut().for_each(|(_, selection)| selection.shrink());
            entry.shapes.shrink_to_fit();
            entry.reuse.shrink_to_fit();
        }
    }
}

impl Selection {
    /// Recursion is bounded by the depth of the operation.
    fn shrink(&mut self) {
        self.fields.shrink_to_fit();
        self.fields.iter_mut().filter_map(|field| field.below.as_mut()).for_each(Self::shrink);
        self.fragments.shrink_to_fit();
        self.fragments.iter_mut().for_each(|(_, selection)| selection.shrink());
    }
}

impl Form {
    /// Recursion is bounded by the nesting of field sets.
    fn shrink(&mut self) {
        self.members.shrink_to_fit();
        for member in &mut self.members {
            member.below.shrink_to_fit();
            member.below.iter_mut().for_each(|(_, form)| form.shrink());
        }
    }
}
