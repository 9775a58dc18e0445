//! The types: what the API calls them, what PostgreSQL prints for the same, and values of them.

use super::values::{Numbers, all_quoted, arrays, quoted, ranges, texts};

/// A type with its values.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// In lower case, without signs.
    pub(crate) name: &'static str,
    /// In SQL.
    pub(crate) r#type: &'static str,
    /// Of an argument.
    pub(crate) input: &'static str,
    /// What is selected of a value.
    pub(crate) selection: String,
    /// PostgreSQL's JSON of `$`.
    json: String,
    /// Whether the database can compare values.
    pub(crate) comparable: bool,
    /// Whether all of `value` can be said in an argument, in SQL.
    pub(crate) exact: String,
    /// Whether its texts are names of an enum.
    pub(crate) is_enum: bool,
    /// What the type belongs to, if it is not PostgreSQL's own.
    pub(crate) extension: Option<&'static str>,
    /// In SQL.
    pub(crate) values: Vec<String>,
}

const BOUNDS: &str = "{ start { value inclusive } end { value inclusive } }";
const ADDRESS: &str = "{ street zip mood tags }";
const TEXT: &str = "to_json(($)::TEXT)";

impl Kind {
    fn new(name: &'static str, r#type: &'static str, input: &'static str, json: &str) -> Self {
        Self {
            name,
            r#type,
            input,
            selection: String::new(),
            json: json.to_owned(),
            comparable: true,
            exact: "true".to_owned(),
            is_enum: false,
            extension: None,
            values: Vec::new(),
        }
    }

    /// PostgreSQL's JSON of an expression.
    pub(crate) fn json(&self, value: &str) -> String {
        self.json.replace('$', value)
    }

    /// Its name in the names of fields.
    pub(crate) fn title(&self) -> String {
        let mut letters = self.name.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
    }

    fn of(mut self, values: &[&str]) -> Self {
        self.values = all_quoted(values);
        self
    }

    fn with(mut self, values: Vec<String>) -> Self {
        self.values = values;
        self
    }

    fn selecting(mut self, selection: &str) -> Self {
        self.selection = selection.to_owned();
        self
    }

    fn belonging_to(mut self, extension: &'static str) -> Self {
        self.extension = Some(extension);
        self
    }

    fn incomparable(mut self) -> Self {
        self.comparable = false;
        self
    }

    /// The arrays of a type. Of more dimensions, and of an index that does not begin at one, only
    /// the elements are shown.
    fn list(&self, name: &'static str, r#type: &'static str, input: &'static str) -> Self {
        let element = self.json("e");
        let json = format!(
            "CASE WHEN $ IS NOT NULL THEN coalesce(\
             (SELECT json_agg({element}) FROM unnest($) AS e), '[]') END"
        );
        let values = arrays(&mut Numbers::new(7), self.r#type, &self.values);
        Self {
            selection: self.selection.clone(),
            comparable: self.comparable,
            is_enum: self.is_enum,
            exact: "array_ndims(value) = 1 AND array_lower(value, 1) = 1".to_owned(),
            ..Self::new(name, r#type, input, &json).with(values)
        }
    }

    /// The ranges over a type.
    fn range(&self, name: &'static str, r#type: &'static str, input: &'static str) -> Self {
        let bound = |function: &str| {
            let value = self.json(&format!("{function}($)"));
            format!(
                "CASE WHEN {function}($) IS NOT NULL THEN \
                 json_build_object('value', {value}, 'inclusive', {function}_inc($)) END"
            )
        };
        let (start, end) = (bound("lower"), bound("upper"));
        let json = format!(
            "CASE WHEN $ IS NOT NULL THEN json_build_object('start', {start}, 'end', {end}) END"
        );
        // A closed bound becomes the number after it, and the last one has none.
        let is_last = |value: &&String| value.contains("2147483647") || value.contains("77580");
        let bounds = self.values.iter().filter(|value| !is_last(value)).cloned();
        let bounds: Vec<String> = bounds.collect();
        let values = ranges(&mut Numbers::new(11), r#type, self.r#type, &bounds);
        Self {
            selection: BOUNDS.to_owned(),
            exact: "NOT isempty(value)".to_owned(),
            is_enum: self.is_enum,
            ..Self::new(name, r#type, input, &json).with(values)
        }
    }
}

/// All types.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut kinds = scalars();
    kinds.extend(figures());
    let find = |name: &str| kinds.iter().find(|kind| kind.name == name).cloned();
    let lists = [
        ("text", "texts", "TEXT[]", "[String]"),
        ("integer", "integers", "INTEGER[]", "[Int]"),
        ("bigint", "bigints", "BIGINT[]", "[BigInt]"),
        ("numeric", "numerics", "NUMERIC[]", "[BigFloat]"),
        ("money", "moneys", "MONEY[]", "[Float]"),
        ("mood", "moods", "mood[]", "[Mood]"),
        ("bytea", "byteas", "BYTEA[]", "[String]"),
        ("moment", "moments", "TIMESTAMPTZ[]", "[Datetime]"),
        ("pause", "pauses", "INTERVAL[]", "[IntervalInput]"),
        ("spot", "spots", "POINT[]", "[PointInput]"),
        ("share", "shares", "percentage[]", "[Percentage]"),
        ("address", "addresses", "address[]", "[AddressInput]"),
        ("document", "documents", "JSONB[]", "[JSON]"),
        ("line", "lines", "LINE[]", "[LineInput]"),
        ("box", "boxes", "BOX[]", "[BoxInput]"),
        ("path", "paths", "PATH[]", "[PathInput]"),
    ];
    let ranges = [
        ("integer", "integerrange", "INT4RANGE", "IntRangeInput"),
        ("bigint", "bigintrange", "INT8RANGE", "BigIntRangeInput"),
        ("numeric", "numericrange", "NUMRANGE", "BigFloatRangeInput"),
        ("day", "dayrange", "DATERANGE", "DateRangeInput"),
        ("instant", "instantrange", "TSRANGE", "DatetimeRangeInput"),
        ("moment", "momentrange", "TSTZRANGE", "DatetimeRangeInput"),
        ("text", "textrange", "text_range", "StringRangeInput"),
        ("mood", "moodrange", "mood_range", "MoodRangeInput"),
    ];
    let mut made = Vec::new();
    for (element, name, r#type, input) in lists {
        made.extend(find(element).map(|element| element.list(name, r#type, input)));
    }
    for (element, name, r#type, input) in ranges {
        made.extend(find(element).map(|element| element.range(name, r#type, input)));
    }
    assert_eq!(made.len(), lists.len() + ranges.len(), "an element has no type");
    kinds.extend(made);
    // What the database compares one by one it cannot compare in arrays.
    for kind in kinds.iter_mut().filter(|kind| ["lines", "boxes", "paths"].contains(&kind.name)) {
        kind.comparable = false;
    }
    // A null among them is shown as a row of nulls, as in PostGraphile.
    for kind in kinds.iter_mut().filter(|kind| kind.name == "addresses") {
        kind.exact = "array_position(value, NULL::address) IS NULL".to_owned();
    }
    let spans = kinds.iter().find(|kind| kind.name == "integerrange").cloned();
    kinds.extend(spans.map(|span| Kind {
        exact: "NOT EXISTS (SELECT FROM unnest(value) AS e WHERE isempty(e))".to_owned(),
        ..span.list("spans", "INT4RANGE[]", "[IntRangeInput]")
    }));
    kinds.push(grids());
    kinds
}

/// Figures in the plane. The points of a line are computed; those of these lines are exact.
fn figures() -> Vec<Kind> {
    let point = |value: &str| format!("json_build_object('x', ({value})[0], 'y', ({value})[1])");
    let (first, second) = (point("($)[0]"), point("($)[1]"));
    let two = format!("json_build_object('a', {first}, 'b', {second})");
    let points = "(SELECT json_agg(json_build_object('x', m[1]::FLOAT8, 'y', m[2]::FLOAT8)) \
         FROM regexp_matches(($)::TEXT, '\\(([^(),]+),([^(),]+)\\)', 'g') AS m)";
    let coefficient =
        |place| format!("(string_to_array(btrim(($)::TEXT, '{{}}'), ','))[{place}]::FLOAT8");
    let on_axis = |place| format!("-{} / {}", coefficient(3), coefficient(place));
    let line = format!(
        "json_build_object('a', json_build_object('x', {}, 'y', 0), \
         'b', json_build_object('x', 0, 'y', {}))",
        on_axis(1),
        on_axis(2)
    );
    let circle =
        format!("json_build_object('center', {}, 'radius', radius($))", point("center($)"));
    let path = format!("json_build_object('isOpen', isopen($), 'points', {points})");
    let polygon = format!("json_build_object('points', {points})");
    let figure = |name, r#type, input, json: &str| {
        let json = format!("CASE WHEN $ IS NOT NULL THEN {json} END");
        Kind::new(name, r#type, input, &json)
    };
    let of_two = "{ a { x y } b { x y } }";
    vec![
        figure("line", "LINE", "LineInput", &line)
            .selecting(of_two)
            .of(&["{1,-2,3}", "{1,-1,4}", "{2,4,-8}"]),
        figure("segment", "LSEG", "LineSegmentInput", &two)
            .selecting(of_two)
            .of(&["[(0,0),(1,1)]", "[(1e300,0.1),(-1.5,1e-300)]"]),
        figure("box", "BOX", "BoxInput", &two).selecting(of_two).of(&[
            "(1,1),(0,0)",
            "(3,3),(2,2)",
            "(0.1,1e21),(-7,1e-7)",
        ]),
        figure("circle", "CIRCLE", "CircleInput", &circle)
            .selecting("{ center { x y } radius }")
            .of(&["<(1,2),3>", "<(0,0),0>", "<(0.1,-0.2),1e21>"]),
        figure("path", "PATH", "PathInput", &path).selecting("{ isOpen points { x y } }").of(&[
            "((0,0),(1,0))",
            "[(0,0),(1,1)]",
            "[(1e-7,0.1)]",
            "((1,1),(2,2),(3,3.5))",
        ]),
        figure("polygon", "POLYGON", "PolygonInput", &polygon)
            .selecting("{ points { x y } }")
            .of(&["((0,0),(1,0),(1,1))", "((0.1,1e21))"])
            .incomparable(),
    ]
}

/// Arrays of more dimensions, and of indexes that do not begin at one.
fn grids() -> Kind {
    let integers = Kind::new("", "INTEGER", "Int", "to_json($)");
    let grids = integers.list("grid", "INTEGER[]", "[Int]");
    grids.of(&["{{1,2},{3,NULL}}", "[0:1]={1,2}", "{{{1}},{{2}}}", "[-1:0][2:2]={{1},{2}}", "{5}"])
}

fn scalars() -> Vec<Kind> {
    let numbers = &mut Numbers::new(3);
    let some = |numbers: &mut Numbers, digits| -> Vec<String> {
        (0..10).map(|_| quoted(&numbers.integer(digits).to_string())).collect()
    };
    let hundred = "9".repeat(100);
    let tiny = format!("-0.{}1", "0".repeat(99));
    let mut decimals: Vec<String> = (0..10)
        .map(|_| quoted(&format!("{}.{:09}0", numbers.integer(18), numbers.below(1_000_000_000))))
        .collect();
    decimals.extend(all_quoted(&["NaN", "0", "-0.00", "1.50", "1e-20", "1e100", &hundred, &tiny]));
    let mut integers = some(numbers, 9);
    integers.extend(all_quoted(&["0", "2147483647", "-2147483648"]));
    let mut bigints = some(numbers, 18);
    bigints.extend(all_quoted(&["0", "9223372036854775807", "-9223372036854775807"]));
    let mut moneys: Vec<String> = (0..6)
        .map(|_| format!("({}.{:02})::NUMERIC::MONEY", numbers.integer(9), numbers.below(100)))
        .collect();
    moneys.push("0::MONEY".to_owned());
    let floats = ["0", "-0", "0.1", "1e-300", "-1e300", "1e21", "5e-324", "1.7976931348623157e308"];
    let moods = "CASE $ WHEN 'happy' THEN 'HAPPY' WHEN 'not so' THEN 'NOT_SO' WHEN '' THEN '_EMPTY_' \
                 WHEN '\"quoted, {label}\"' THEN 'QUOTED_LABEL_' WHEN 'ünï' THEN 'N_' END";
    let mood = Kind {
        is_enum: true,
        ..Kind::new("mood", "mood", "Mood", &format!("to_json(({moods})::TEXT)"))
    };
    let quantity = |field: &str| format!("'{field}s', extract({field} FROM $)");
    let quantities = ["second", "minute", "hour", "day", "month", "year"].map(quantity).join(", ");
    let pause = format!("CASE WHEN $ IS NOT NULL THEN json_build_object({quantities}) END");
    let point = "CASE WHEN $ IS NOT NULL THEN json_build_object('x', ($)[0], 'y', ($)[1]) END";
    let pauses = [
        "0",
        "1 year 2 mons -3 days 04:05:06.7",
        "-1 year -2 mons +3 days -04:05:06.000001",
        "-00:00:00.5",
        "100 years 40 days 1000:00:00",
        "1 mon -1 day",
        "-1 day +00:00:01",
        "178000000 years",
        "00:00:59.999999",
    ];
    let moments = [
        "2020-03-29 00:59:59.999999+00",
        "2020-03-29 01:00:00+00",
        "2020-10-25 00:30:00+00",
        "2020-10-25 01:30:00+00",
        "1800-01-01 00:00:00.5+00",
        "0044-03-15 12:00:00+00 BC",
        "294276-12-31 22:59:59.999999+00",
        "infinity",
        "-infinity",
        "2000-01-01 00:00:00+05:45",
    ];
    let instants = [
        "2020-03-29 02:30:00",
        "0044-03-15 12:00:00.000001 BC",
        "294276-12-31 23:59:59.999999",
        "infinity",
        "-infinity",
        "2000-01-01 00:00:00",
    ];
    let days = ["2020-02-29", "0044-03-15 BC", "5874897-12-30", "infinity", "-infinity"];
    let documents = [
        "1",
        "-1.5",
        "\"\"",
        "\"a\\\"\\\\é\"",
        "true",
        "[]",
        "{}",
        "[1, [null, {\"a\": {}}], \"x\"]",
        "{\"a\": [1, null], \"b\": {\"c\": \"NULL\"}}",
    ];
    let address = |value: &str| {
        let mood = mood.json(&format!("({value}).mood"));
        format!(
            "CASE WHEN {value} IS DISTINCT FROM NULL THEN json_build_object(\
             'street', ({value}).street, 'zip', ({value}).zip, 'mood', {mood}, \
             'tags', ({value}).tags) END"
        )
    };
    let made = |numbers: &mut Numbers| {
        let mood = numbers.one_of(&all_quoted(&["happy", "not so", "", "ünï"]));
        let (street, tag) = (quoted(&numbers.text()), quoted(&numbers.text()));
        let zip = numbers.integer(9);
        format!("ROW({street}, {zip}, {mood}, ARRAY[{tag}, NULL]::TEXT[])::address")
    };
    let mut addresses = all_quoted(&["(,,,)", "(\"\",,,{})", "(NULL,0,,{})"]);
    addresses.extend((0..20).map(|_| made(numbers)));
    let houses = (0..10).map(|_| {
        let (own, other, more) = (made(numbers), made(numbers), made(numbers));
        let years = numbers.below(2000);
        format!(
            "ROW({own}, ARRAY[{other}, {more}], int4range({years}, NULL), \
             '2020-10-25 01:30:00+00')::house"
        )
    });
    let houses: Vec<String> = houses.collect();
    let (own, other) = (address("(($).address)"), address("e"));
    let house = format!(
        "CASE WHEN $ IS NOT NULL THEN json_build_object('address', {own}, 'others', \
         (SELECT json_agg({other}) FROM unnest(($).others) AS e), 'years', json_build_object(\
         'start', json_build_object('value', lower(($).years), 'inclusive', true), 'end', NULL), \
         'built', ($).built) END"
    );
    let house_selection = format!("{{ address {ADDRESS} others {ADDRESS} years {BOUNDS} built }}");
    vec![
        Kind::new("smallint", "SMALLINT", "Int", "to_json($)").of(&["0", "32767", "-32768"]),
        Kind::new("integer", "INTEGER", "Int", "to_json($)").with(integers),
        Kind::new("bigint", "BIGINT", "BigInt", TEXT).with(bigints),
        Kind::new("numeric", "NUMERIC", "BigFloat", TEXT).with(decimals),
        Kind::new("scaled", "NUMERIC(10,2)", "BigFloat", TEXT).of(&["12.3", "-99999999.99", "0"]),
        Kind::new("real", "REAL", "Float", "to_json($)").of(&["0.1", "-0", "3.4e38", "1e-45"]),
        Kind::new("double", "DOUBLE PRECISION", "Float", "to_json($)").of(&floats),
        Kind::new("money", "MONEY", "Float", "to_json(($)::NUMERIC)").with(moneys),
        Kind::new("boolean", "BOOLEAN", "Boolean", "to_json($)").of(&["t", "f"]),
        Kind::new("text", "TEXT", "String", "to_json($)").with(texts(numbers)),
        Kind::new("short", "VARCHAR(5)", "String", "to_json($)").of(&["", "ab", "é😀\"\\,"]),
        Kind::new("padded", "CHAR(3)", "String", "to_json($)").of(&["", "ab", "é😀x"]),
        Kind::new("letter", "\"char\"", "String", "to_json($)").of(&["a", "\"", "{"]),
        Kind::new("identifier", "NAME", "String", "to_json($)").of(&["", "a b", "\"q\""]),
        Kind::new("bytea", "BYTEA", "String", TEXT).of(&["\\x", "\\x00ff5c22", "a\\\\b"]),
        Kind::new("uuid", "UUID", "UUID", "to_json($)")
            .of(&["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "00000000-0000-0000-0000-000000000000"]),
        Kind::new("json", "JSON", "JSON", "$").of(&documents).incomparable(),
        Kind::new("document", "JSONB", "JSON", "$").of(&documents),
        Kind::new("day", "DATE", "Date", "to_json($)").of(&days),
        Kind::new("clock", "TIME", "Time", "to_json($)").of(&[
            "00:00:00",
            "24:00:00",
            "23:59:59.999999",
            "12:34:56.7",
        ]),
        Kind::new("zonedclock", "TIMETZ", "Time", "to_json($)").of(&[
            "00:00:00+00",
            "24:00:00-15:59:59",
            "12:34:56.7+05:30",
            "23:59:59.999999+01",
        ]),
        Kind::new("instant", "TIMESTAMP", "Datetime", "to_json($)").of(&instants),
        Kind::new("moment", "TIMESTAMPTZ", "Datetime", "to_json($)").of(&moments),
        Kind::new("pause", "INTERVAL", "IntervalInput", &pause)
            .selecting("{ seconds minutes hours days months years }")
            .of(&pauses),
        Kind::new("spot", "POINT", "PointInput", point)
            .selecting("{ x y }")
            .of(&["(0,-0)", "(1e300,-1e-300)", "(1.5,-2)"])
            .incomparable(),
        Kind::new("host", "INET", "InternetAddress", TEXT)
            .of(&["192.168.0.1/24", "10.0.0.1", "::1", "2001:db8::/32"])
            .with(all_quoted(&["192.168.0.1/24", "::/0", "2001:db8::/32"])),
        Kind::new("network", "CIDR", "CidrAddress", TEXT).of(&["10.0.0.0/8", "::/0"]),
        Kind::new("mac", "MACADDR", "MacAddress", TEXT)
            .of(&["08:00:2b:01:02:03", "ff-ff-ff-ff-ff-ff"]),
        Kind::new("macaddress", "MACADDR8", "MacAddress8", TEXT).of(&["08:00:2b:01:02:03:04:05"]),
        Kind::new("flags", "BIT(4)", "BitString", TEXT).of(&["0000", "1010"]),
        Kind::new("mask", "VARBIT", "BitString", TEXT).of(&["", "0", "101"]),
        Kind::new("oid", "OID", "BigFloat", TEXT).of(&["0", "4294967295"]),
        Kind::new("relation", "REGCLASS", "RegClass", TEXT).of(&["pg_class", "mood_row", "-"]),
        Kind::new("typename", "REGTYPE", "RegType", TEXT).of(&["int4", "mood", "text[]"]),
        Kind::new("vector", "TSVECTOR", "String", TEXT).of(&["", "a:1 'b c':2A '''':3"]),
        Kind::new("search", "TSQUERY", "String", TEXT).of(&["a & !b", "'x y' <-> z:*"]),
        Kind::new("pairs", "HSTORE", "KeyValueHash", "hstore_to_json($)")
            .of(&[
                "",
                "a=>1, b=>NULL",
                "\"\"=>\"\", \"\\\\\"=>\"NULL\"",
                "\"a b\"=>\"q\\\",{}=>é\"",
            ])
            .belonging_to("hstore"),
        Kind::new("loose", "CITEXT", "String", TEXT).of(&["Ab", "aB", ""]).belonging_to("citext"),
        Kind::new("tree", "LTREE", "String", TEXT).of(&["", "a.b.c"]).belonging_to("ltree"),
        Kind::new("share", "percentage", "Percentage", "to_json($)").of(&["0", "100"]),
        Kind::new("numbers", "numbers", "[Int]", "to_json($)").of(&["{}", "{1,NULL}"]),
        mood.clone().of(&["happy", "not so", "", "\"quoted, {label}\"", "ünï"]),
        Kind::new("address", "address", "AddressInput", &address("$"))
            .selecting(ADDRESS)
            .with(addresses.clone()),
        Kind::new("mainaddress", "main_address", "MainAddressInput", &address("$"))
            .selecting(ADDRESS)
            .with(addresses),
        Kind::new("house", "house", "HouseInput", &house).selecting(&house_selection).with(houses),
    ]
}
