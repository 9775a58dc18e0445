//! What columns of types become that Phrag does not know.

use super::made::{Tables, int};
use super::*;

#[test]
fn types_without_a_mapping_in_phrag_are_text_numbers_or_json() {
    let mut tables = Tables::new();
    let builder = &mut tables.builder;
    let mood = builder.r#enum(None, "mood".into(), Vec::new(), None);
    let address = builder.composite(None, "address".into(), None);
    let range = builder.range(None, "int4range".into(), int());
    let ids = Type::List(Box::new(Type::Scalar(Scalar::Uuid)));
    let domain = builder.domain(None, "ids".into(), ids, true, None);
    let scalar = Type::Scalar;
    tables.table(
        "things",
        1,
        &[
            ("id", scalar(Scalar::Uuid)),
            ("small", scalar(Scalar::Int16)),
            ("single", scalar(Scalar::Float32)),
            ("double", scalar(Scalar::Float64)),
            ("price", scalar(Scalar::Decimal { precision: Some(10), scale: Some(2) })),
            ("number", scalar(Scalar::Decimal { precision: None, scale: None })),
            ("money", scalar(Scalar::Money)),
            ("code", scalar(Scalar::Character { length: 3 })),
            ("nick", scalar(Scalar::CaseInsensitiveText)),
            ("json", scalar(Scalar::Json)),
            ("jsonb", scalar(Scalar::Jsonb)),
            ("pairs", scalar(Scalar::KeyValue)),
            ("markup", scalar(Scalar::Xml)),
            ("day", scalar(Scalar::Date)),
            ("moment", scalar(Scalar::TimestampWithZone)),
            ("span", scalar(Scalar::Interval)),
            ("bytes", scalar(Scalar::Bytes)),
            ("host", scalar(Scalar::Inet)),
            ("spot", scalar(Scalar::Point)),
            ("search", scalar(Scalar::Other("tsvector".into()))),
            ("mood", Type::Enum(mood)),
            ("address", Type::Composite(address)),
            ("places", Type::Range(range)),
            ("ids", Type::Domain(domain)),
        ],
    );
    let catalog = tables.finish();
    check(
        &catalog,
        &Options::default(),
        &expect![[r#"
            """Any JSON value, as it is."""
            scalar JSON

            type Query {
              things(where: ThingClauses, sort: ThingSort, limit: Int, offset: Int): [Thing]
              things_aggregate(where: ThingClauses): ThingAggregate
            }

            type Thing {
              id: String
              small: Int
              single: Float
              double: Float
              price: Float
              number: Float
              money: Float
              code: String
              nick: String
              json: JSON
              jsonb: JSON
              pairs: JSON
              markup: String
              day: String
              moment: String
              span: String
              bytes: String
              host: String
              spot: String
              search: String
              mood: String
              address: String
              places: String
              ids: [String]
            }

            input ThingClauses {
              and: [ThingClauses]
              or: [ThingClauses]
              id: StrWhere
              small: IntWhere
              single: FloatWhere
              double: FloatWhere
              price: FloatWhere
              number: FloatWhere
              money: FloatWhere
              code: StrWhere
              nick: StrWhere
              day: StrWhere
              moment: StrWhere
              span: StrWhere
              host: StrWhere
              mood: StrWhere
            }

            input ThingSort {
              id: SortOperator
              small: SortOperator
              single: SortOperator
              double: SortOperator
              price: SortOperator
              number: SortOperator
              money: SortOperator
              code: SortOperator
              nick: SortOperator
              jsonb: SortOperator
              day: SortOperator
              moment: SortOperator
              span: SortOperator
              bytes: SortOperator
              host: SortOperator
              mood: SortOperator
              places: SortOperator
            }

            type ThingAggregate {
              count: Int
              sum: ThingFields
              avg: ThingFields
              max: ThingFields
              min: ThingFields
            }

            type ThingFields {
              small: Float
              single: Float
              double: Float
              price: Float
              number: Float
              money: Float
              code: String
              nick: String
              day: String
              moment: String
              span: String
              host: String
              mood: String
            }

            enum SortOperator {
              asc
              desc
            }

            input IntWhere {
              in: [Int]
              eq: Int
              ne: Int
              gt: Int
              lt: Int
              gte: Int
              lte: Int
            }

            input FloatWhere {
              in: [Float]
              eq: Float
              ne: Float
              gt: Float
              lt: Float
              gte: Float
              lte: Float
            }

            input StrWhere {
              in: [String]
              eq: String
              ne: String
              like: String
              gt: String
              lt: String
              gte: String
              lte: String
            }

            input BoolWhere {
              eq: Boolean
              ne: Boolean
            }

            type Mutation {
              createThing(id: String, small: Int, single: Float, double: Float, price: Float, number: Float, money: Float, code: String, nick: String, json: JSON, jsonb: JSON, pairs: JSON, markup: String, day: String, moment: String, span: String, bytes: String, host: String, spot: String, search: String, mood: String, address: String, places: String, ids: [String]): ThingPks
              updateThing(pk_columns: ThingPkColumns!, small: Int, single: Float, double: Float, price: Float, number: Float, money: Float, code: String, nick: String, json: JSON, jsonb: JSON, pairs: JSON, markup: String, day: String, moment: String, span: String, bytes: String, host: String, spot: String, search: String, mood: String, address: String, places: String, ids: [String]): Result
              deleteThing(pk_columns: ThingPkColumns!): Result
            }

            type Result {
              result: Boolean
            }

            type ThingPks {
              id: String!
            }

            input ThingPkColumns {
              id: String!
            }
        "#]],
    );

    let api = phrag::api(&catalog, &Options::default());
    let values: String = catalog
        .entities()
        .flat_map(|entity| catalog.fields_of(entity.id))
        .map(|field| {
            let binding = api.find_column(field.id).unwrap();
            format!("{}: {:?}, {:?}\n", field.name, binding.value, binding.form)
        })
        .collect();
    expect![[r#"
        id: Leaf(Uuid), Stored
        small: Leaf(Int), Stored
        single: Leaf(Float), Stored
        double: Leaf(Float), Stored
        price: Leaf(Number { scale: Some(2) }), Stored
        number: Leaf(Number { scale: None }), Stored
        money: Leaf(Number { scale: None }), Number
        code: Leaf(Text), Stored
        nick: Leaf(Text), Stored
        json: Leaf(Json(Embedded)), Stored
        jsonb: Leaf(Json(Embedded)), Stored
        pairs: Leaf(KeyValue), Stored
        markup: Leaf(Text), Stored
        day: Leaf(Date), Stored
        moment: Leaf(TimestampWithZone), Stored
        span: Leaf(Text), Stored
        bytes: Leaf(Bytes), Stored
        host: Leaf(Text), Stored
        spot: Leaf(Any), Stored
        search: Leaf(Any), Stored
        mood: Leaf(Text), Stored
        address: Leaf(Any), Stored
        places: Leaf(Any), Stored
        ids: List(Leaf(Uuid)), Stored
    "#]]
    .assert_eq(&values);
}
