//! What is refused, each with its place and a remedy.

use expect_test::{Expect, expect};

use crate::{File, read};

fn check(text: &str, expected: &Expect) {
    let mistakes = read(vec![File { name: "s".into(), text: text.into() }]).unwrap_err();
    let lines: Vec<String> = mistakes
        .0
        .iter()
        .map(|one| format!("{}:{} {}\n", one.line, one.column, one.message))
        .collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn blocks_and_lines() {
    check(
        "modl User {\n id Int\n}\n\
         model {\n}\n\
         model A\n\
         = 3\n\
         type B = String\n\
         model C {\n  id\n  x: Int\n  y [Int]\n  z Int!\n  v Int[]?\n  w Int[\n  5 Int\n  u Int @\n  \
         t Int extra\n}\n\
         model D {\n  id Int",
        &expect![[""]],
    );
}

#[test]
fn datasources() {
    check(
        "datasource db {\n provider = \"mysql\"\n}\n\
         datasource db2 {\n provider = \"sqlite\"\n}",
        &expect![[""]],
    );
    check(
        "datasource db {\n provider = \"oracle\"\n relationMode = \"x\"\n schemas = \"a\"\n \
         colour = 1\n url = \"a\"\n url = \"b\"\n @@map(\"a\")\n}",
        &expect![[""]],
    );
    check("datasource db {\n}", &expect![[""]]);
    check("datasource db {\n provider \"sqlite\"\n}", &expect![[""]]);
}

#[test]
fn names() {
    check(
        "model User {\n id Int @id\n id String\n a-b Int\n mail String @map(\"x\")\n e String @map(\"x\")\n}\n\
         model User {\n id Int @id\n}\n\
         model String {\n id Int @id\n}\n\
         model Other {\n id Int @id\n @@map(\"User\")\n}\n\
         enum User {\n A\n}\n\
         type T {\n a Int\n}",
        &expect![[""]],
    );
}

#[test]
fn types_and_attributes_of_fields() {
    check(
        "model User {\n id Strng @id\n a Usr?\n b Int @uniq\n c Int @map\n d Int @map(5)\n \
         e Int @default\n f Int @default(rand())\n g Int @updatedAt\n h Int @x.Text\n \
         i Int @id @id\n j Int @ignore(1)\n k Int @map(\"a\", \"b\")\n l Int @map(nme: \"a\")\n \
         m Int @default(value: 1, value: 2)\n n Int? @id\n o Int @relation(\"x\")\n p Unsupported(3)\n \
         q Int @default([[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]])\n}",
        &expect![[""]],
    );
}

#[test]
fn attributes_of_blocks() {
    check(
        "model User {\n id Int @id\n u User? @relation(\"a\", fields: [id], references: [id])\n \
         w User? @relation(\"a\")\n @@id([id])\n @@unique([u, nam])\n @@unique\n @@unique([])\n \
         @@index([idd])\n @@colour\n @@map\n @@schema\n @@ignore(x: 1)\n @@unique([\"id\"])\n}\n\
         enum Role {\n A @map(\"x\")\n B @map(\"x\")\n true\n C @id\n a-b\n A\n @@colour\n}\n\
         enum Empty {\n}",
        &expect![[""]],
    );
}

#[test]
fn relations() {
    let models = |user: &str, post: &str| {
        format!("model User {{\n id Int @id\n {user}\n}}\nmodel Post {{\n id Int @id\n uId Int\n {post}\n}}")
    };
    for (user, post, expected) in [
        ("posts Post[]", "", expect![[""]]),
        ("posts Post[]", "user User", expect![[""]]),
        ("posts Post[] @relation(fields: [id], references: [id])", "user User", expect![[""]]),
        (
            "posts Post? @relation(fields: [id], references: [id])",
            "user User @relation(fields: [uId], references: [id])",
            expect![[""]],
        ),
        ("posts Post[]", "user User @relation(fields: [uId])", expect![[""]]),
        ("posts Post[]", "user User @relation(fields: [uId, id], references: [id])", expect![[""]]),
        ("posts Post[]", "user User @relation(fields: [x], references: [y])", expect![[""]]),
        ("posts Post[]", "user User @relation(fields: [], references: [id])", expect![[""]]),
        ("post Post?", "user User @relation(fields: [uId], references: [id])", expect![[""]]),
        (
            "posts Post[]\n more Post[]",
            "user User @relation(fields: [uId], references: [id])",
            expect![[""]],
        ),
        (
            "posts Post[]",
            "user User @relation(5, fields: [uId], references: [id], onDelete: Explode)",
            expect![[""]],
        ),
        ("posts Post[] @relation(fields: [id], references: [id])", "users User[]", expect![[""]]),
        ("posts Post[] @map(\"a\") @unique", "users User[] @db.Text", expect![[""]]),
    ] {
        check(&models(user, post), &expected);
    }
    check(
        "model A {\n x Int @unique\n b B[]\n}\nmodel B {\n id Int @id\n a A[]\n}",
        &expect![[""]],
    );
    check("model A {\n id Int @id\n a A[]\n}", &expect![[""]]);
}
