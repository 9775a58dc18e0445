//! Federation: entities by their keys.

use std::sync::Arc;

use ir::{
    From, Isolation, Operand, OutputKind, Representations, Represented, RepresentedKey,
    RepresentedValue, StepKind,
};

use crate::model::{Model, output, request, rows, variable};

#[test]
fn entities() {
    let shop = Model::new("product: id, upc, sku, country, name");
    let key = |names: &[&str]| RepresentedKey {
        kinds: vec![RepresentedValue::Text; names.len()],
        said: vec![names.iter().map(|name| [(*name).into()].into()).collect()],
        id: None,
    };
    let keys = vec![key(&["upc"]), key(&["sku", "country"])];
    let of = Arc::new(Represented { typename: "Product".into(), first: 0, keys });
    let given = |key, field| {
        Operand::Representations(Representations {
            list: Box::new(variable(0, "")),
            of: Arc::clone(&of),
            key,
            field,
        })
    };
    let entity = shop.entity("product");
    let by_upc = From::Keys { entity, keys: vec![(shop.field("product.upc"), given(0, 0))] };
    let by_sku = From::Keys {
        entity,
        keys: vec![
            (shop.field("product.sku"), given(1, 0)),
            (shop.field("product.country"), given(1, 1)),
        ],
    };
    let outputs =
        |first| vec![output(first, OutputKind::Ordinal), shop.output(first + 1, "product.name")];
    shop.check(&request(
        Isolation::Snapshot,
        vec![
            StepKind::Read(rows(0, by_upc, outputs(0))),
            StepKind::Read(rows(1, by_sku, outputs(2))),
        ],
    ));
}
