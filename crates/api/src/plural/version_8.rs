//! Version 8, which Neo4j's GraphQL library uses. It forms plurals only.

use super::{
    FEMININE, First, GREEK, LATIN, MASCULINE, Rule, Version, is_before_us, is_foreign,
    is_no_c_and_no_h, is_no_l, is_no_vowel, is_no_vowel_and_no_y, is_vowel, rule,
};

pub const VERSION_8: Version = Version {
    // The last one is a rule of its own there, of the whole word.
    irregular: &[("passerby", "passersby"), ("thou", "you")],
    uncountable: UNCOUNTABLE,
    plural: PLURAL,
    singular: &[],
    is_lower_case_first: true,
};

const UNCOUNTABLE: &str = "\
    adulthood advice agenda aid aircraft alcohol ammo analytics anime athletics audio bison \
    blood bream buffalo butter carp cash chassis chess clothing cod commerce cooperation corps \
    debris diabetes digestion elk energy equipment excretion expertise firmware flounder fun \
    gallows garbage graffiti hardware headquarters health herpes highjinks homework housework \
    information jeans justice kudos labour literature machinery mackerel mail media mews moose \
    music mud manga news only personnel pike plankton pliers police pollution premises rain \
    research rice salmon scissors series sewage shambles shrimp software species staff swine \
    tennis traffic transportation trout tuna wealth welfare whiting wildebeest wildlife you";

const PLURAL: &[Rule] = &[
    rule(&["pokemon", "deer", "fish", "measles", "ois", "ous", "pox", "sheep"], &[""]),
    rule(&["ese"], &[""]).behind(First::Letter(is_no_vowel)),
    rule(&[""], &["man", "men"]).to("men"),
    rule(&["eaux"], &[""]),
    rule(&["child"], &["ren", ""]).to("ren"),
    rule(&["pe"], &["rson", "ople"]).to("ople"),
    rule(&["titm", "m", "l"], &["ice", "ouse"]).to("ice").behind(First::Boundary),
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
    rule(&["eas", "jas", "zas", "ras", "iam", "uam"], &[""]),
    rule(&["emu", "enu"], &["s", ""]).to("s"),
    rule(&["alias", "tlas", "tmas", "gas", "ris"], &[""]).to("es"),
    rule(&["us"], &[""]).to("es").behind(First::Letter(is_before_us)),
    rule(&["ax", "test"], &["is"]).to("es"),
    rule(&[""], &[""]).behind(First::Letter(is_foreign)),
    rule(&[""], &["s", ""]).to("s"),
];

#[cfg(test)]
mod tests {
    use super::VERSION_8;

    #[test]
    fn words_get_the_plural_of_the_library() {
        let cases = [
            ("movie", "movies"),
            ("movies", "movies"),
            ("person", "people"),
            ("people", "people"),
            ("salesPerson", "salesPeople"),
            ("child", "children"),
            ("children", "children"),
            ("man", "men"),
            ("woman", "women"),
            ("human", "humans"),
            ("city", "cities"),
            ("soliloquy", "soliloquies"),
            ("day", "days"),
            ("money", "monies"),
            ("key", "keys"),
            ("monkey", "monkeys"),
            ("honey", "honeys"),
            ("valley", "valleys"),
            ("box", "boxes"),
            ("church", "churches"),
            ("address", "addresses"),
            ("dish", "dishes"),
            ("buzz", "buzzes"),
            ("status", "statuses"),
            ("bus", "buses"),
            ("alias", "aliases"),
            ("atlas", "atlases"),
            ("gas", "gases"),
            ("iris", "irises"),
            ("analysis", "analyses"),
            ("basis", "bases"),
            ("axis", "axes"),
            ("test", "tests"),
            ("knife", "knives"),
            ("wife", "wives"),
            ("leaf", "leaves"),
            ("wolf", "wolves"),
            ("roof", "roofs"),
            ("hoof", "hooves"),
            ("hero", "heroes"),
            ("potato", "potatoes"),
            ("photo", "photos"),
            ("echo", "echoes"),
            ("index", "indices"),
            ("matrix", "matrices"),
            ("datum", "data"),
            ("data", "data"),
            ("metadata", "metadata"),
            ("criterion", "criteria"),
            ("cactus", "cacti"),
            ("alumna", "alumnae"),
            ("seraph", "seraphim"),
            ("mouse", "mice"),
            ("house", "houses"),
            ("series", "series"),
            ("species", "species"),
            ("news", "news"),
            ("equipment", "equipment"),
            ("fish", "fish"),
            ("sheep", "sheep"),
            ("chinese", "chinese"),
            ("carnivorous", "carnivorous"),
            ("schema", "schemata"),
            ("media", "media"),
            ("person2", "person2s"),
            ("a1", "a1s"),
            ("snake_case", "snake_cases"),
            ("MovieActorsConnection", "MovieActorsConnections"),
            ("Person", "People"),
            ("PERSON", "PEOPLE"),
            ("DVD", "DVDS"),
            ("fooURL", "fooURLS"),
            ("", ""),
            ("s", "s"),
            ("_", "_s"),
        ];
        for (word, plural) in cases {
            assert_eq!(VERSION_8.pluralize(word), plural, "{word}");
        }
    }
}
