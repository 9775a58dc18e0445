//! Parts of the API that Prisma 1 never had. None is there unless it is chosen: clients are generated
//! from the schema, and without them it is Prisma's.

/// A part of the API that Prisma 1 never had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// Several orders, also by related rows, their number and aggregates of them.
    Orders,
    /// Conditions on texts that ignore the case of letters.
    IgnoreCase,
    /// Changes of numbers by numbers.
    Arithmetic,
    /// Many new rows by one statement.
    CreateMany,
    /// Rows in groups, and aggregates of their values.
    Groups,
}

/// All extensions, with the words that name them and their help texts.
pub const EXTENSIONS: &[(&str, Extension, &str)] = &[
    (
        "orders",
        Extension::Orders,
        "`orders`: several orders, also by related rows and their number",
    ),
    (
        "ignore-case",
        Extension::IgnoreCase,
        "`…_ignore_case`: conditions that ignore the case of letters",
    ),
    ("arithmetic", Extension::Arithmetic, "`…_increment`, `…_decrement`, `…_multiply`, `…_divide`"),
    ("create-many", Extension::CreateMany, "`createMany…`: many rows by one statement"),
    ("groups", Extension::Groups, "`groups` and sums, averages, minima and maxima in connections"),
];

/// The extensions that an API has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    pub orders: bool,
    pub ignore_case: bool,
    pub arithmetic: bool,
    pub create_many: bool,
    pub groups: bool,
}

impl FromIterator<Extension> for Extensions {
    fn from_iter<I: IntoIterator<Item = Extension>>(chosen: I) -> Self {
        let mut extensions = Self::default();
        for extension in chosen {
            let has = match extension {
                Extension::Orders => &mut extensions.orders,
                Extension::IgnoreCase => &mut extensions.ignore_case,
                Extension::Arithmetic => &mut extensions.arithmetic,
                Extension::CreateMany => &mut extensions.create_many,
                Extension::Groups => &mut extensions.groups,
            };
            *has = true;
        }
        extensions
    }
}
