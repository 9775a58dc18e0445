//! Version 7, which PostGraphile 4 uses.

use super::{
    FEMININE, First, GREEK, LATIN, MASCULINE, Rule, Version, is_before_us, is_foreign,
    is_no_c_and_no_h, is_no_l, is_no_vowel, is_no_vowel_and_no_y, is_vowel, rule, separates,
};

pub const VERSION_7: Version = Version {
    irregular: &[("whiskey", "whiskies")],
    uncountable: UNCOUNTABLE,
    plural: PLURAL,
    singular: SINGULAR,
    is_lower_case_first: false,
};

const UNCOUNTABLE: &str = "\
    adulthood advice agenda aid alcohol ammo anime athletics audio bison blood bream buffalo \
    butter carp cash chassis chess clothing cod commerce cooperation corps debris diabetes \
    digestion elk energy equipment excretion expertise flounder fun gallows garbage graffiti \
    headquarters health herpes highjinks homework housework information jeans justice kudos \
    labour literature machinery mackerel mail media mews moose music manga news pike plankton \
    pliers pollution premises rain research rice salmon scissors series sewage shambles shrimp \
    species staff swine tennis traffic transporation trout tuna wealth welfare whiting \
    wildebeest wildlife you";

/// Words of one form, with any prefix.
const ONE_FORM: [Rule; 2] = [
    rule(&["sheep", "pox", "ois", "ous", "measles", "fish", "deer"], &[""]),
    rule(&["ese"], &[""]).behind(First::Letter(is_no_vowel)),
];

const PLURAL: &[Rule] = &[
    ONE_FORM[0],
    ONE_FORM[1],
    rule(&[""], &["thou"]).to("you").behind(First::Start),
    rule(&[""], &["man", "men"]).to("men"),
    rule(&["eaux"], &[""]),
    rule(&["child"], &["ren", ""]).to("ren"),
    rule(&["pe"], &["rson", "ople"]).to("ople"),
    rule(&["m", "l"], &["ice", "ouse"]).to("ice"),
    rule(&["matr", "cod", "mur", "sil", "vert", "ind", "append"], &["ix", "ex"]).to("ices"),
    rule(&["x", "ch", "ss", "sh", "zz"], &[""]).to("es"),
    rule(&["il", "in", "el", "en", "ol", "on"], &["ey"])
        .to("ies")
        .behind(First::Letter(is_no_c_and_no_h)),
    rule(&["qu"], &["y"]).to("ies"),
    rule(&[""], &["y"]).to("ies").behind(First::Letter(is_no_vowel_and_no_y)),
    rule(&["kni", "wi", "li"], &["fe"]).to("ves"),
    rule(&["ar", "l", "ea", "eo", "oa", "hoo"], &["f"]).to("ves"),
    rule(&[""], &["sis"]).to("ses"),
    rule(GREEK, &["a", "on"]).to("a"),
    rule(LATIN, &["a", "um"]).to("a"),
    rule(&["automat"], &["um"]).to("a"),
    rule(&["her", "at", "gr"], &["o"]).to("oes"),
    rule(&["seraph", "cherub"], &["im", ""]).to("im"),
    rule(FEMININE, &["a", "ae"]).to("ae"),
    rule(MASCULINE, &["us", "i"]).to("i"),
    rule(&["octop"], &["us", "i"]).to("i"),
    rule(&["ias"], &[""]).behind(First::Letter(is_no_l)),
    rule(&["las"], &[""]).behind(First::Letter(is_vowel)),
    rule(&["eas", "mas", "jas", "zas", "ras", "iam", "uam"], &[""]),
    rule(&["emu", "enu"], &["s", ""]).to("s"),
    rule(&["alias", "tlas", "gas", "ris"], &[""]).to("es"),
    rule(&["us"], &[""]).to("es").behind(First::Letter(is_before_us)),
    rule(&["ax", "test"], &["is"]).to("es"),
    rule(&[""], &[""]).behind(First::Letter(is_foreign)),
    rule(&[""], &["s", ""]).to("s"),
];

const SINGULAR: &[Rule] = &[
    ONE_FORM[0],
    ONE_FORM[1],
    rule(&[""], &["men"]).to("man"),
    rule(&["eau"], &["x", ""]).to(""),
    rule(&["child"], &["ren"]).to(""),
    rule(&["pe"], &["rson", "ople"]).to("rson"),
    rule(&["matr", "append"], &["ices"]).to("ix"),
    rule(&["cod", "mur", "sil", "vert", "ind"], &["ices"]).to("ex"),
    rule(FEMININE, &["ae"]).to("a"),
    rule(GREEK, &["a"]).to("on"),
    rule(LATIN, &["a"]).to("um"),
    rule(MASCULINE, &["us", "i"]).to("us"),
    rule(&["octop"], &["us", "i"]).to("us"),
    rule(&["test"], &["is", "es"]).to("is"),
    rule(&["movie", "twelve", "abuse", "emu", "enu"], &["s"]).to(""),
    rule(
        &["analy", "ba", "diagno", "parenthe", "progno", "synop", "the", "empha", "cri"],
        &["sis", "ses"],
    )
    .to("sis"),
    rule(
        &[
            "alias", "tlas", "gas", "ris", "tto", "go", "cho", "hero", "ato", "gro", "x", "ch",
            "ss", "sh", "zz",
        ],
        &["es", ""],
    )
    .to(""),
    rule(&["us"], &["es", ""]).to("").behind(First::Letter(is_before_us)),
    rule(&["seraph", "cherub"], &["im"]).to(""),
    rule(&["m", "l"], &["ice"]).to("ouse"),
    rule(&["mon", "smil"], &["ies"]).to("ey").behind(First::Boundary),
    rule(
        &[
            "p", "l", "zomb", "neckt", "crosst", "t", "coll", "faer", "food", "gen", "goon",
            "group", "lass", "talk", "goal", "cut",
        ],
        &["ies"],
    )
    .to("ie")
    .behind(First::Boundary),
    rule(&[""], &["ies"]).to("y"),
    rule(&["ar", "wol", "al", "el", "ea", "eo", "oa", "oo"], &["ves"]).to("f"),
    rule(
        &["afterli", "halfli", "highli", "lowli", "midli", "nonli", "nightli", "wi", "kni"],
        &["ves"],
    )
    .to("fe"),
    rule(&["li"], &["ves"]).to("fe").behind(First::Start),
    rule(&["li"], &["ves"]).to("fe").behind(First::Letter(separates)),
    rule(&["ss"], &[""]),
    rule(&[""], &["s"]).to(""),
];
