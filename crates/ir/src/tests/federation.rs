//! Federation: entities by their keys.

use std::sync::Arc;

use expect_test::expect;
use ir::{
    Call, ExternalArgument, Form, From, Isolation, Operand, OutputKind, Representations,
    Represented, RepresentedInput, RepresentedKey, RepresentedPart, RepresentedValue, StepKind,
};

use super::model::{Model, output, request, rows, snapshot, variable};

#[test]
fn entities() {
    let shop = Model::new("product: id, upc, sku, country, name");
    let key = |names: &[&str]| RepresentedKey {
        kinds: vec![RepresentedValue::Text; names.len()],
        paths: vec![names.iter().map(|name| [(*name).into()].into()).collect()],
        id: None,
    };
    let keys = vec![key(&["upc"]), key(&["sku", "country"])];
    let inputs = Vec::new();
    let of = Arc::new(Represented { typename: "Product".into(), first: 0, keys, inputs });
    let given = |key, field| {
        Operand::Representations(Representations {
            list: Box::new(variable(0, "")),
            of: Arc::clone(&of),
            key,
            part: RepresentedPart::Key(field),
        })
    };
    let entity = shop.entity("product");
    let by = |keys| From::Keys { entity, keys, external: Vec::new() };
    let by_upc = by(vec![(shop.field("product.upc"), given(0, 0))]);
    let by_sku = by(vec![
        (shop.field("product.sku"), given(1, 0)),
        (shop.field("product.country"), given(1, 1)),
    ]);
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

#[test]
fn what_is_external_beside_a_key_is_an_argument_of_a_function_of_its_row() {
    let shop = Model::new("product: upc, name\nfreight(weight)");
    let key = RepresentedKey {
        kinds: vec![RepresentedValue::Text],
        paths: vec![vec![["upc".into()].into()]],
        id: None,
    };
    let inputs = vec![RepresentedInput { name: "weight".into(), kind: RepresentedValue::Decimal }];
    let of = Represented { typename: "Product".into(), first: 0, keys: vec![key], inputs };
    let of = Arc::new(of);
    let represented = |part| {
        let (list, of) = (Box::new(variable(0, "")), Arc::clone(&of));
        Operand::Representations(Representations { list, of, key: 0, part })
    };
    let function = shop.function("freight");
    let from = From::Keys {
        entity: shop.entity("product"),
        keys: vec![(shop.field("product.upc"), represented(RepresentedPart::Key(0)))],
        external: vec![ExternalArgument {
            function,
            place: 0,
            values: represented(RepresentedPart::Input(0)),
        }],
    };
    let call = Call { function, of_row: Some(vec![]), arguments: vec![(0, Operand::External(0))] };
    let outputs = vec![
        output(0, OutputKind::Ordinal),
        output(1, OutputKind::Computed { call, form: Form::Stored }),
    ];
    let printed = ir::print(&snapshot(rows(0, from, outputs)), &shop.catalog);
    expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: keys of product (upc in field 0 of key 0 of Product (upc) in $0, told 0 in "weight" of key 0 of Product (upc) in $0)
            #0 ordinal
            #1 computed freight(row, weight: told 0)
    "#]].assert_eq(&printed);
}
