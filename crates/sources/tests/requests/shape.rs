//! Answers that show all outputs of a request.

use catalog::{Catalog, FieldId, Scalar, Type};
use ir::{Aggregate, AggregateFunction, From, Output, OutputKind, Request, Rows, StepKind};
use response::{Item, Leaf, Node, NodeId, OutputId, RowsId, Shape, ShapeField};

/// An object of root fields, each an object of the steps that read.
pub(crate) fn shape(catalog: &Catalog, request: &Request) -> Shape {
    let mut shape = Shape::default();
    let mut roots: Vec<Vec<ShapeField>> = Vec::new();
    let steps = request.transactions.iter().flat_map(|transaction| &transaction.steps);
    for (number, step) in steps.enumerate() {
        let root = step.root as usize;
        roots.resize_with(roots.len().max(root + 1), Vec::new);
        if let StepKind::Read(rows) = &step.kind {
            let name = format!("s{number}");
            match rows.shown {
                true => {
                    let node = list(catalog, rows, &mut shape);
                    roots[root].push(ShapeField::new(&name, node, true));
                }
                false => roots[root].extend(values(catalog, rows, &mut shape)),
            }
        }
    }
    let mut fields = Vec::new();
    for (root, shown) in roots.into_iter().enumerate() {
        let shown = shape.add_fields(shown);
        let node = shape.add(Node::Object(shown));
        fields.push(ShapeField::new(&format!("r{root}"), node, true));
    }
    shape.root = Some(shape.add_fields(fields));
    shape
}

fn list(catalog: &Catalog, rows: &Rows, shape: &mut Shape) -> NodeId {
    let mut fields: Vec<ShapeField> =
        rows.outputs.iter().filter_map(|output| field(catalog, rows, output, shape)).collect();
    let numbers = rows.outputs.iter().find(|output| output.kind == OutputKind::Variant);
    if let (From::Variants(variants), Some(output)) = (&rows.from, numbers) {
        let mut nodes = Vec::new();
        for variant in variants {
            let own = variant.outputs.iter();
            let own: Vec<_> =
                own.filter_map(|output| field(catalog, rows, output, shape)).collect();
            let own = shape.add_fields(own);
            nodes.push(shape.add(Node::Object(own)));
        }
        let variant = OutputId(output.id.0);
        let node = shape.add(Node::Variants { variant, nodes: nodes.into() });
        fields.push(ShapeField::new("own", node, true));
    }
    let fields = shape.add_fields(fields);
    let node = shape.add(Node::Object(fields));
    shape.add(Node::List { rows: RowsId(rows.id.0), item: Item { node, nullable: true } })
}

/// The values of all rows, which stand beside their list.
fn values(catalog: &Catalog, rows: &Rows, shape: &mut Shape) -> Vec<ShapeField> {
    rows.outputs.iter().filter_map(|output| value(catalog, output, shape)).collect()
}

fn value(catalog: &Catalog, output: &Output, shape: &mut Shape) -> Option<ShapeField> {
    let id = OutputId(output.id.0);
    match &output.kind {
        OutputKind::Count => {
            let node = shape.add(Node::Count { output: id });
            Some(ShapeField::new("count", node, true))
        }
        OutputKind::Aggregate(aggregate) => {
            let terms = terms(catalog, aggregate, shape);
            let fields = shape.add_fields(terms);
            let node = match aggregate.group_by.is_empty() {
                true => shape.add(Node::Aggregate { output: id, fields }),
                false => {
                    let node = shape.add(Node::Object(fields));
                    shape.add(Node::Groups { output: id, item: Item { node, nullable: true } })
                }
            };
            Some(ShapeField::new(if aggregate.paged { "page" } else { "all" }, node, true))
        }
        _ => None,
    }
}

fn terms(catalog: &Catalog, aggregate: &Aggregate, shape: &mut Shape) -> Vec<ShapeField> {
    let mut fields = Vec::new();
    for term in &aggregate.terms {
        let place = term.place.as_ref().map(|place| match place {
            ir::ValueRef::Field { field, .. } => Some(*field),
            _ => None,
        });
        let place = place.flatten();
        let name = match &term.place {
            None => "rows",
            Some(_) => place.map_or("common", |field| &catalog[field].name),
        };
        let leaf = match (term.function, place) {
            (
                AggregateFunction::Minimum
                | AggregateFunction::Maximum
                | AggregateFunction::All
                | AggregateFunction::Any
                | AggregateFunction::GroupKey,
                Some(field),
            ) => leaf(catalog, field),
            _ => Leaf::Digits,
        };
        let node = shape.add(Node::Leaf { output: OutputId(term.id.0), leaf });
        fields.push(ShapeField::new(&format!("{:?}_{name}", term.function), node, true));
    }
    fields
}

fn field(catalog: &Catalog, rows: &Rows, output: &Output, shape: &mut Shape) -> Option<ShapeField> {
    let id = OutputId(output.id.0);
    let (name, node) = match &output.kind {
        OutputKind::Field { path, field, .. } => {
            let leaf = leaf(catalog, *field);
            let on_path = if path.is_empty() { "" } else { "its_" };
            let name = format!("{on_path}{}", catalog[*field].name);
            (name, shape.add(Node::Leaf { output: id, leaf }))
        }
        OutputKind::Common { place, .. } => {
            let From::Variants(variants) = &rows.from else { panic!("no variants") };
            let leaf = leaf(catalog, variants[0].common[usize::from(*place)]);
            (format!("common{place}"), shape.add(Node::Leaf { output: id, leaf }))
        }
        OutputKind::Variant => return None,
        OutputKind::Related { rows, .. } if !rows.shown => {
            let fields = values(catalog, rows, shape);
            let fields = shape.add_fields(fields);
            (format!("rows{}", rows.id.0), shape.add(Node::Object(fields)))
        }
        OutputKind::Related { rows, .. } => {
            (format!("rows{}", rows.id.0), list(catalog, rows, shape))
        }
        OutputKind::Count | OutputKind::Aggregate(_) => return None,
        other => panic!("{other:?}"),
    };
    Some(ShapeField::new(&name, node, true))
}

fn leaf(catalog: &Catalog, field: FieldId) -> Leaf {
    match catalog.base_type(&catalog[field].r#type) {
        Type::Scalar(Scalar::Text) => Leaf::Text,
        Type::Scalar(Scalar::Boolean) => Leaf::Boolean,
        Type::Scalar(Scalar::Int16 | Scalar::Int32 | Scalar::Int64) => Leaf::Int,
        Type::Scalar(Scalar::Decimal { .. }) => Leaf::Digits,
        _ => Leaf::Any,
    }
}
