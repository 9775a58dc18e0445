//! The most expensive documents within the default limits.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::DocumentLimits;
use crate::Validator;
use crate::schema::{
    FieldDefinition, InputDefinition, Schema, TypeDefinition, TypeId, TypeKind, TypeRef,
};

/// The number of object types beside the root.
const OBJECTS: usize = 300;

/// Objects `T0`, `T1` and so on and the root, of the interface `I`, each with `n` and `m` of type
/// `I` and `v` with an argument.
fn recursive_schema() -> Schema {
    let mut schema = Schema::default();
    let mut named = |name: &str, kind| {
        let definition = TypeDefinition { name: name.into(), description: None, kind };
        schema.add_type(definition).unwrap()
    };
    let int = TypeRef::named(named("Int", TypeKind::Scalar));
    let boolean = TypeRef::named(named("Boolean", TypeKind::Scalar));
    named("String", TypeKind::Scalar);
    let interface = TypeKind::Interface { fields: Vec::new(), interfaces: Default::default() };
    let interface = named("I", interface);
    let object = || TypeKind::Object { fields: Vec::new(), interfaces: [interface].into() };
    let query = named("Query", object());
    let mut types: Vec<TypeId> = vec![interface, query];
    types.extend((0..OBJECTS).map(|index| named(&format!("T{index}"), object())));
    for id in types {
        for name in ["n", "m", "v"] {
            let r#type = if name == "v" { int } else { TypeRef::named(interface) };
            let field = FieldDefinition {
                name: name.into(),
                description: None,
                arguments: Vec::new(),
                r#type,
                deprecated: None,
            };
            let field = schema.add_field(id, field);
            if name != "v" {
                continue;
            }
            for (name, r#type) in [("list", int.list()), ("flag", boolean)] {
                let argument = InputDefinition {
                    name: name.into(),
                    description: None,
                    r#type,
                    default: None,
                    deprecated: None,
                };
                schema.add_argument(field, argument);
            }
        }
    }
    schema.query = Some(query);
    schema
}

/// A document of a size up to a maximum; its cost grows with the size.
type Attack = (&'static str, usize, fn(usize) -> String);

const ATTACKS: &[Attack] = &[
    ("many fields of one name", 3000, |size| format!("{{ {} }}", "n{v}".repeat(size))),
    ("many fields of many names", 3000, |size| {
        let names = (0..size).fold(String::new(), |mut text, _| {
            text += "v ";
            text
        });
        format!("{{ n {{ {names} }} m {{ {names} }} }}")
    }),
    ("deep fields of one name", 200, |size| {
        let deep = format!("{}v{}", "n{".repeat(30), "}".repeat(30));
        format!("{{ {} }}", format!("{deep} ").repeat(size))
    }),
    ("a large argument in many places", 6000, |size| {
        let places = (0..100).fold(String::new(), |mut text, index| {
            let _ = write!(text, "a{index}:n{{...F}}");
            text
        });
        format!("{{ {places} }} fragment F on I {{ v(list:[{}]) }}", "1 ".repeat(size))
    }),
    ("a large argument at many depths", 6000, |size| {
        let list = format!("v(list:[{}])", "1 ".repeat(size));
        format!("{{ {}{list}{} }}", "n{".repeat(60), "}".repeat(60))
    }),
    ("operations that share large fragments", 60, |size| {
        let mut text = String::from("query A { ...F0 } ");
        for index in 1..size.min(100) {
            let _ = write!(text, "query A{index}{{...F0}}");
        }
        // Each is reachable from each before it, so that each search for cycles visits the last.
        for index in 0..90 {
            let _ = write!(text, "fragment F{index} on I{{...F{}}}", index + 1);
        }
        text + &format!("fragment F90 on I{{ {} }}", "v ".repeat(size * 20))
    }),
    ("variables that are used often", 1500, |size| {
        let count = size.min(240);
        let variables = (0..count).fold(String::new(), |mut text, index| {
            let _ = write!(text, "$v{index}:Boolean");
            text
        });
        let uses = (0..size).fold(String::new(), |mut text, index| {
            let _ = write!(text, "v(flag:$v{})", count - 1 - index % count);
            text
        });
        let all = (0..count).fold(String::new(), |mut text, index| {
            let _ = write!(text, "n{{v(flag:$v{index})}}");
            text
        });
        format!("query({variables}) {{ ...on T0 {{ v }} m {{ {uses} }} }}")
            .replace("...on T0 { v }", &all)
    }),
    ("abstract fragments of many types", 600, |size| {
        let types = (0..size.min(OBJECTS)).fold(String::new(), |mut text, index| {
            let _ = write!(text, "...on T{index}{{v}}");
            text
        });
        format!("{{ n {{ {types} {} }} }}", "...on I{v}".repeat(size))
    }),
    ("fragments that double by response names", 12, |size| {
        doubling(size, |left, right| format!("a:n{{{left}}} b:n{{{right}}}"))
    }),
    ("fragments that double by types", 12, |size| {
        doubling(size, |left, right| format!("...on T0{{n{{{left}}}}} ...on T1{{n{{{right}}}}}"))
    }),
    ("fragments that are spread twice", 60, |size| {
        let mut text = String::from("{ ...F0 }");
        for index in 0..size {
            let next = format!("...F{0} ...F{0}", index + 1);
            let _ = write!(text, "fragment F{index} on I {{ n {{ {next} }} {next} }}");
        }
        text + &format!("fragment F{size} on I {{ v }}")
    }),
];

/// A choice at each level, which multiplies with the levels below: the document grows
/// quadratically, the compared sets of fields double.
fn doubling(levels: usize, choice: impl Fn(&str, &str) -> String) -> String {
    let mut text = String::from("{ n { ...L0 } }");
    for level in 0..levels {
        let next = level + 1;
        let left = format!("...L{next} ...X{level}x{next}");
        let right = format!("...L{next} ...Y{level}x{next}");
        let _ = write!(text, "fragment L{level} on I{{n{{v}} {}}}", choice(&left, &right));
        for name in ["X", "Y"] {
            for below in next..levels {
                let next = format!("...{name}{level}x{}", below + 1);
                let _ = write!(
                    text,
                    "fragment {name}{level}x{below} on I{{a:n{{{next}}} b:n{{{next}}} n{{{next}}}}}"
                );
            }
            let _ = write!(text, "fragment {name}{level}x{levels} on I{{v}}");
        }
    }
    text + &format!("fragment L{levels} on I{{v}}")
}

#[test]
fn the_worst_documents_within_the_limits_are_validated_in_time() {
    let schema = recursive_schema();
    let validator = Validator::new(&schema);
    let validate = |text: &str| {
        let started = Instant::now();
        let result = validator.operation(&schema, text, None, &DocumentLimits::default());
        (result.err().map(|errors| errors[0].code.as_str()), started.elapsed())
    };
    let is_refused = |code: Option<&str>| {
        code.is_some_and(|code| code.starts_with("TOO_MANY_") || code.starts_with("QUERY_TOO_"))
    };
    for (name, most, attack) in ATTACKS {
        // The largest within the limits.
        let (mut within, mut beyond) = (1, *most);
        assert!(is_refused(validate(&attack(beyond)).0), "{name} could be larger");
        while beyond - within > 1 {
            let middle = (within + beyond) / 2;
            match is_refused(validate(&attack(middle)).0) {
                true => beyond = middle,
                false => within = middle,
            }
        }
        let (code, taken) = validate(&attack(within));
        if std::env::var_os("TIMES").is_some() {
            let (refusal, refused_in) = validate(&attack(beyond));
            println!("{name}: {within} {code:?} {taken:?}; beyond {refusal:?} {refused_in:?}");
        }
        // Unoptimised and beside other tests; some tens of milliseconds otherwise.
        assert!(taken < Duration::from_secs(5), "{name} took {taken:?}");
    }
}
