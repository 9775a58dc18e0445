//! The rules of version 7 of the npm package `pluralize`, the first that fits first.
//! <https://github.com/plurals/pluralize> (MIT)

use super::{First, Rule};

/// Singular and plural of words that no rule is asked for. Of two with one plural the last is its
/// singular.
pub(super) const IRREGULAR: &[(&str, &str)] = &[
    ("i", "we"),
    ("me", "us"),
    ("he", "they"),
    ("she", "they"),
    ("them", "them"),
    ("myself", "ourselves"),
    ("yourself", "yourselves"),
    ("itself", "themselves"),
    ("herself", "themselves"),
    ("himself", "themselves"),
    ("themself", "themselves"),
    ("is", "are"),
    ("was", "were"),
    ("has", "have"),
    ("this", "these"),
    ("that", "those"),
    ("echo", "echoes"),
    ("dingo", "dingoes"),
    ("volcano", "volcanoes"),
    ("tornado", "tornadoes"),
    ("torpedo", "torpedoes"),
    ("genus", "genera"),
    ("viscus", "viscera"),
    ("stigma", "stigmata"),
    ("stoma", "stomata"),
    ("dogma", "dogmata"),
    ("lemma", "lemmata"),
    ("schema", "schemata"),
    ("anathema", "anathemata"),
    ("ox", "oxen"),
    ("axe", "axes"),
    ("die", "dice"),
    ("yes", "yeses"),
    ("foot", "feet"),
    ("eave", "eaves"),
    ("goose", "geese"),
    ("tooth", "teeth"),
    ("quiz", "quizzes"),
    ("human", "humans"),
    ("proof", "proofs"),
    ("carve", "carves"),
    ("valve", "valves"),
    ("looey", "looies"),
    ("thief", "thieves"),
    ("groove", "grooves"),
    ("pickaxe", "pickaxes"),
    ("whiskey", "whiskies"),
];

/// Words that have one form.
pub(super) const UNCOUNTABLE: &str = "\
    adulthood advice agenda aid alcohol ammo anime athletics audio bison blood bream buffalo \
    butter carp cash chassis chess clothing cod commerce cooperation corps debris diabetes \
    digestion elk energy equipment excretion expertise flounder fun gallows garbage graffiti \
    headquarters health herpes highjinks homework housework information jeans justice kudos \
    labour literature machinery mackerel mail media mews moose music manga news pike plankton \
    pliers pollution premises rain research rice salmon scissors series sewage shambles shrimp \
    species staff swine tennis traffic transporation trout tuna wealth welfare whiting \
    wildebeest wildlife you";

const fn rule(stems: &'static [&'static str], endings: &'static [&'static str]) -> Rule {
    Rule { first: First::Nothing, stems, endings, new: None }
}

impl Rule {
    const fn to(self, new: &'static str) -> Self {
        Self { new: Some(new), ..self }
    }

    const fn behind(self, first: First) -> Self {
        Self { first, ..self }
    }
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u')
}

fn is_no_vowel(letter: char) -> bool {
    !is_vowel(letter)
}

fn is_no_vowel_and_no_y(letter: char) -> bool {
    !is_vowel(letter) && letter != 'y'
}

fn is_before_us(letter: char) -> bool {
    !matches!(letter, 'a' | 'o' | 'u')
}

fn is_no_l(letter: char) -> bool {
    letter != 'l'
}

fn is_no_c_and_no_h(letter: char) -> bool {
    !matches!(letter, 'c' | 'h')
}

fn is_foreign(letter: char) -> bool {
    !letter.is_ascii()
}

const GREEK: &[&str] = &[
    "apheli",
    "hyperbat",
    "periheli",
    "asyndet",
    "noumen",
    "phenomen",
    "criteri",
    "organ",
    "prolegomen",
    "hedr",
    "automat",
];

const LATIN: &[&str] = &[
    "agend",
    "addend",
    "millenni",
    "dat",
    "extrem",
    "bacteri",
    "desiderat",
    "strat",
    "candelabr",
    "errat",
    "ov",
    "symposi",
    "curricul",
    "quor",
];

const MASCULINE: &[&str] = &[
    "alumn", "syllab", "octop", "vir", "radi", "nucle", "fung", "cact", "stimul", "termin",
    "bacill", "foc", "uter", "loc", "strat",
];

const FEMININE: &[&str] = &["alumn", "alg", "vertebr"];

/// What has one form, whatever stands before it.
const ONE_FORM: [Rule; 2] = [
    rule(&["sheep", "pox", "ois", "ous", "measles", "fish", "deer"], &[""]),
    rule(&["ese"], &[""]).behind(First::Letter(is_no_vowel)),
];

pub(super) const PLURAL: &[Rule] = &[
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

pub(super) const SINGULAR: &[Rule] = &[
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

/// Whether a letter is none of a word.
pub(super) fn separates(letter: char) -> bool {
    !letter.is_ascii_alphanumeric() && letter != '_'
}
