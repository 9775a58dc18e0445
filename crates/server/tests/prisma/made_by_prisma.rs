//! Databases with the statements by which Prisma 1.34 made them, and one of a version before: they are
//! served as they are, and Prisma could serve them again afterwards.

use std::fs;

use expect_test::{Expect, expect};
use serde_json::Value;

use super::Service;
use crate::databases::Database;
use crate::program::{Folder, Server};

const DATAMODEL: &str = "
    type User {
      id: ID! @id
      email: String! @unique
      age: Int
      role: Role! @default(value: USER)
      nicknames: [String!]! @scalarList(strategy: RELATION)
      profile: Profile @relation(link: INLINE)
      posts: [Post!]! @relation(name: \"Written\", onDelete: CASCADE)
      groups: [Group!]!
      createdAt: DateTime! @createdAt
      updatedAt: DateTime! @updatedAt
    }
    type Profile {
      id: UUID! @id
      text: String!
      user: User
    }
    type Post @db(name: \"posts\") {
      number: Int! @id(strategy: SEQUENCE) @sequence(name: \"post_numbers\", initialValue: 10, allocationSize: 1)
      title: String! @db(name: \"post_title\")
      score: Float
      isPublic: Boolean!
      meta: Json
      slug: String @unique @db(name: \"post_slug\")
      author: User! @relation(name: \"Written\")
    }
    type Group {
      id: ID! @id
      name: String! @unique
      users: [User!]!
      parent: Group @relation(name: \"Within\", link: TABLE)
    }
    enum Role { ADMIN USER }
";

/// What Prisma's deployment does for the datamodel, statement by statement.
const MADE: &str = r#"
    CREATE SCHEMA IF NOT EXISTS "default$default";
    CREATE TABLE "default$default"."User" ("id" varchar (25) NOT NULL, PRIMARY KEY ("id"));
    CREATE TABLE "default$default"."Profile" ("id" uuid NOT NULL, PRIMARY KEY ("id"));
    CREATE SEQUENCE "default$default"."post_numbers" START 10;
    CREATE TABLE "default$default"."posts" (
      "number" int NOT NULL DEFAULT nextval('"default$default"."post_numbers"'::regclass), PRIMARY KEY ("number"));
    CREATE TABLE "default$default"."Group" ("id" varchar (25) NOT NULL, PRIMARY KEY ("id"));
    ALTER TABLE "default$default"."User" ADD COLUMN "email" text NULL;
    ALTER TABLE "default$default"."User" ALTER COLUMN "email" SET NOT NULL;
    CREATE UNIQUE INDEX "default$default.User.email._UNIQUE" ON "default$default"."User"("email" ASC);
    ALTER TABLE "default$default"."User" ADD COLUMN "age" int NULL;
    ALTER TABLE "default$default"."User" ADD COLUMN "role" text NULL;
    ALTER TABLE "default$default"."User" ALTER COLUMN "role" SET NOT NULL;
    CREATE TABLE "default$default"."User_nicknames" (
      "nodeId" varchar (25) NOT NULL REFERENCES "default$default"."User" ("id"),
      "position" INT NOT NULL, "value" text NOT NULL, PRIMARY KEY ("nodeId", "position"));
    ALTER TABLE "default$default"."User" ADD COLUMN "createdAt" timestamp (3) NULL;
    ALTER TABLE "default$default"."User" ALTER COLUMN "createdAt" SET NOT NULL;
    ALTER TABLE "default$default"."User" ADD COLUMN "updatedAt" timestamp (3) NULL;
    ALTER TABLE "default$default"."User" ALTER COLUMN "updatedAt" SET NOT NULL;
    ALTER TABLE "default$default"."Profile" ADD COLUMN "text" text NULL;
    ALTER TABLE "default$default"."Profile" ALTER COLUMN "text" SET NOT NULL;
    ALTER TABLE "default$default"."posts" ADD COLUMN "post_title" text NULL;
    ALTER TABLE "default$default"."posts" ALTER COLUMN "post_title" SET NOT NULL;
    ALTER TABLE "default$default"."posts" ADD COLUMN "score" Decimal(65,30) NULL;
    ALTER TABLE "default$default"."posts" ADD COLUMN "isPublic" boolean NULL;
    ALTER TABLE "default$default"."posts" ALTER COLUMN "isPublic" SET NOT NULL;
    ALTER TABLE "default$default"."posts" ADD COLUMN "meta" text NULL;
    ALTER TABLE "default$default"."posts" ADD COLUMN "post_slug" text NULL;
    CREATE UNIQUE INDEX "default$default.posts.post_slug._UNIQUE" ON "default$default"."posts"("post_slug" ASC);
    ALTER TABLE "default$default"."Group" ADD COLUMN "name" text NULL;
    ALTER TABLE "default$default"."Group" ALTER COLUMN "name" SET NOT NULL;
    CREATE UNIQUE INDEX "default$default.Group.name._UNIQUE" ON "default$default"."Group"("name" ASC);
    ALTER TABLE "default$default"."User" ADD COLUMN "profile" uuid NULL
      REFERENCES "default$default"."Profile" ("id") ON DELETE SET NULL;
    ALTER TABLE "default$default"."posts" ADD COLUMN "author" varchar (25) NULL
      REFERENCES "default$default"."User" ("id") ON DELETE SET NULL;
    CREATE TABLE "default$default"."_GroupToUser" (
      "A" varchar (25) NOT NULL, "B" varchar (25) NOT NULL,
      FOREIGN KEY ("A") REFERENCES "default$default"."Group" ("id") ON DELETE CASCADE,
      FOREIGN KEY ("B") REFERENCES "default$default"."User" ("id") ON DELETE CASCADE);
    CREATE UNIQUE INDEX "_GroupToUser_AB_unique" ON "default$default"."_GroupToUser" ("A" ASC, "B" ASC);
    CREATE INDEX "_GroupToUser_B" ON "default$default"."_GroupToUser" ("B" ASC);
    CREATE TABLE "default$default"."_Within" (
      "A" varchar (25) NOT NULL, "B" varchar (25) NOT NULL,
      FOREIGN KEY ("A") REFERENCES "default$default"."Group" ("id") ON DELETE CASCADE,
      FOREIGN KEY ("B") REFERENCES "default$default"."Group" ("id") ON DELETE CASCADE);
    CREATE UNIQUE INDEX "_Within_AB_unique" ON "default$default"."_Within" ("A" ASC, "B" ASC);
    CREATE INDEX "_Within_B" ON "default$default"."_Within" ("B" ASC);
    SET search_path TO "default$default";
    INSERT INTO "Profile" VALUES ('7f27b8ee-8ba5-4a1c-9d07-0a0d9fb4b4a1', 'about Ann');
    INSERT INTO "User" (id, email, age, role, "createdAt", "updatedAt", profile) VALUES
      ('ckann000000000000000000a', 'ann@x.org', 30, 'ADMIN', '2019-01-02 03:04:05.678', '2019-01-02 03:04:05.678',
       '7f27b8ee-8ba5-4a1c-9d07-0a0d9fb4b4a1'),
      ('ckbob000000000000000000b', 'bob@x.org', NULL, 'USER', '2019-02-03 00:00:00', '2019-02-03 00:00:00', NULL);
    INSERT INTO "User_nicknames" VALUES
      ('ckann000000000000000000a', 1000, 'annie'), ('ckann000000000000000000a', 2000, 'an');
    INSERT INTO posts (post_title, score, "isPublic", meta, author) VALUES
      ('One', 1.5, true, '{"a":[1]}', 'ckann000000000000000000a'),
      ('Two', NULL, false, NULL, 'ckann000000000000000000a');
    INSERT INTO "Group" VALUES ('ckgrp000000000000000000r', 'readers'), ('ckgrp000000000000000000w', 'writers');
    INSERT INTO "_GroupToUser" VALUES ('ckgrp000000000000000000r', 'ckann000000000000000000a');
    INSERT INTO "_Within" VALUES ('ckgrp000000000000000000r', 'ckgrp000000000000000000w');
"#;

/// A datamodel of version 1.0: moments and relations without a directive.
const OLD_DATAMODEL: &str = "
    type Author {
      id: ID! @unique
      name: String!
      tags: [String!]!
      articles: [Article!]! @relation(name: \"AuthorOnArticle\")
    }
    type Article {
      id: ID! @unique
      title: String!
      createdAt: DateTime!
      author: Author! @relation(name: \"AuthorOnArticle\")
    }
";

/// What servers made before relations had columns, and tables of pairs no ids. They had all nodes in
/// `_RelayId`, too, which Prisma 1.34 neither reads nor writes.
const OLD_MADE: &str = r#"
    CREATE SCHEMA "blog$dev";
    SET search_path TO "blog$dev";
    CREATE TABLE "Author" (id char(25) NOT NULL, name text NOT NULL,
      "updatedAt" timestamp(3) NOT NULL, "createdAt" timestamp(3) NOT NULL, PRIMARY KEY (id));
    CREATE TABLE "Article" (id char(25) NOT NULL, title text NOT NULL,
      "createdAt" timestamp(3) NOT NULL, "updatedAt" timestamp(3) NOT NULL, PRIMARY KEY (id));
    CREATE TABLE "Author_tags" ("nodeId" char(25) NOT NULL REFERENCES "Author" (id), "position" int NOT NULL,
      "value" text NOT NULL, PRIMARY KEY ("nodeId", "position"));
    CREATE TABLE "_AuthorOnArticle" (id char(25) NOT NULL, "A" char(25) NOT NULL, "B" char(25) NOT NULL,
      PRIMARY KEY (id),
      FOREIGN KEY ("A") REFERENCES "Article" (id) ON DELETE CASCADE,
      FOREIGN KEY ("B") REFERENCES "Author" (id) ON DELETE CASCADE);
    CREATE UNIQUE INDEX "_AuthorOnArticle_AB_unique" ON "_AuthorOnArticle" ("A", "B");
    CREATE INDEX "_AuthorOnArticle_A" ON "_AuthorOnArticle" ("A");
    CREATE INDEX "_AuthorOnArticle_B" ON "_AuthorOnArticle" ("B");
    CREATE TABLE "_RelayId" (id varchar(36) NOT NULL, "stableModelIdentifier" varchar(25) NOT NULL,
      CONSTRAINT "pk_RelayId" PRIMARY KEY (id));
    INSERT INTO "Author" VALUES ('cjauth0000000000000000001', 'Ada', '2018-01-01', '2018-01-01');
    INSERT INTO "Author_tags" VALUES ('cjauth0000000000000000001', 1000, 'x');
    INSERT INTO "Article" VALUES ('cjart00000000000000000001', 'First', '2018-01-02', '2018-01-02');
    INSERT INTO "_AuthorOnArticle" VALUES
      ('cjrel00000000000000000001', 'cjart00000000000000000001', 'cjauth0000000000000000001');
    INSERT INTO "_RelayId" VALUES ('cjauth0000000000000000001', 'a'), ('cjart00000000000000000001', 'b');
"#;

/// All tables, columns, constraints and indexes, in the order of their names.
const CATALOG: &str = "
    SELECT concat_ws(' ', nspname, relname, relkind) FROM pg_class c
      JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname LIKE '%$%'
    UNION ALL SELECT concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull)
      FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname LIKE '%$%' AND relkind = 'r' AND attnum > 0
    UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname LIKE '%$%'
    UNION ALL SELECT nspname::text FROM pg_namespace WHERE nspname NOT LIKE 'pg@_%' ESCAPE '@'
    ORDER BY 1";

/// A server of these tables as they are.
fn serve(made: &str, datamodel: &str, schema: &str) -> Option<(Service, Database)> {
    let database = Database::on_one(made)?;
    let folder = Folder::new();
    let file = folder.file("datamodel.prisma");
    fs::write(&file, datamodel).unwrap();
    let (file, url) = (file.to_str().unwrap(), database.url());
    let words = ["serve", &url, "--dialect", "prisma", "--types", file, "--schema", schema];
    let server = Server::start(&[&words[..], &["--listen", "127.0.0.1:0"]].concat());
    Some((Service { server, folder }, database))
}

fn check(service: &Service, query: &str, expected: &Expect) {
    let answer: Value = service.query("/", "", query);
    expected.assert_eq(&serde_json::to_string_pretty(&answer).unwrap());
}

#[test]
fn a_database_of_prisma_is_read_and_changed_and_stays_one() {
    let Some((service, database)) = serve(MADE, DATAMODEL, "default$default") else { return };
    let before = database.texts(CATALOG);
    check(
        &service,
        "{
          users(where: { posts_some: { score_gt: 1 }, groups_every: { name_not: \"writers\" } }) {
            id email age role nicknames createdAt profile { id text user { email } }
            posts(orderBy: title_DESC, first: 1) { number title score isPublic meta author { email } }
            groups { name parent { name } }
          }
          post(where: { number: 10 }) { title }
          usersConnection { aggregate { count } }
          node(id: \"ckgrp000000000000000000w\") { id ... on Group { name } }
        }",
        &expect![[r#"
            {
              "users": [
                {
                  "id": "ckann000000000000000000a",
                  "email": "ann@x.org",
                  "age": 30,
                  "role": "ADMIN",
                  "nicknames": [
                    "annie",
                    "an"
                  ],
                  "createdAt": "2019-01-02T03:04:05.678Z",
                  "profile": {
                    "id": "7f27b8ee-8ba5-4a1c-9d07-0a0d9fb4b4a1",
                    "text": "about Ann",
                    "user": {
                      "email": "ann@x.org"
                    }
                  },
                  "posts": [
                    {
                      "number": 11,
                      "title": "Two",
                      "score": null,
                      "isPublic": false,
                      "meta": null,
                      "author": {
                        "email": "ann@x.org"
                      }
                    }
                  ],
                  "groups": [
                    {
                      "name": "readers",
                      "parent": {
                        "name": "writers"
                      }
                    }
                  ]
                }
              ],
              "post": {
                "title": "One"
              },
              "usersConnection": {
                "aggregate": {
                  "count": 2
                }
              },
              "node": {
                "id": "ckgrp000000000000000000w",
                "name": "writers"
              }
            }"#]],
    );
    // Every kind of a nested change.
    check(
        &service,
        "mutation {
          createUser(data: {
            id: \"ckeve000000000000000000e\" email: \"eve@x.org\" nicknames: { set: [\"e\", \"f\"] }
            profile: { create: { id: \"00000000-0000-4000-8000-00000000000e\", text: \"about Eve\" } }
            posts: { create: [{ title: \"Three\", isPublic: true, meta: \"{}\" }] }
            groups: { connect: [{ name: \"readers\" }], create: [{ id: \"ckgrp000000000000000000n\", name: \"new\" }] }
          }) { role posts { number } groups(orderBy: name_ASC) { name } profile { text } }
          updateUser(where: { email: \"ann@x.org\" }, data: {
            age: 31
            nicknames: { set: [\"a\"] }
            profile: { update: { text: \"Ann\" } }
            posts: {
              create: [{ title: \"Four\", isPublic: false }]
              connect: [{ number: 12 }]
              update: [{ where: { number: 10 }, data: { title: \"One!\", score: 2.25 } }]
              updateMany: [{ where: { title: \"Two\" }, data: { isPublic: true } }]
              upsert: [{ where: { number: 99 }, create: { title: \"Five\", isPublic: true }, update: { title: \"-\" } }]
              delete: [{ number: 11 }]
              deleteMany: [{ title: \"nothing\" }]
            }
            groups: { disconnect: [{ name: \"readers\" }], connect: [{ name: \"writers\" }] }
          }) { age nicknames profile { text } posts { number title isPublic score } groups { name } }
          updateGroup(where: { name: \"writers\" }, data: {
            users: { set: [{ email: \"bob@x.org\" }, { email: \"eve@x.org\" }] }
            parent: { connect: { name: \"readers\" } }
          }) { users(orderBy: email_ASC) { email } parent { name } }
          upsertUser(where: { email: \"bob@x.org\" }, create: { email: \"no@x.org\" }, update: {
            profile: { create: { id: \"00000000-0000-4000-8000-00000000000b\", text: \"about Bob\" } }
          }) { profile { text } }
          updateManyUsers(where: { age: null }, data: { age: 1 }) { count }
        }",
        &expect![[r#"
            {
              "createUser": {
                "role": "USER",
                "posts": [
                  {
                    "number": 12
                  }
                ],
                "groups": [
                  {
                    "name": "new"
                  },
                  {
                    "name": "readers"
                  }
                ],
                "profile": {
                  "text": "about Eve"
                }
              },
              "updateUser": {
                "age": 31,
                "nicknames": [
                  "a"
                ],
                "profile": {
                  "text": "Ann"
                },
                "posts": [
                  {
                    "number": 10,
                    "title": "One!",
                    "isPublic": true,
                    "score": 2.25
                  },
                  {
                    "number": 12,
                    "title": "Three",
                    "isPublic": true,
                    "score": null
                  },
                  {
                    "number": 13,
                    "title": "Four",
                    "isPublic": false,
                    "score": null
                  },
                  {
                    "number": 14,
                    "title": "Five",
                    "isPublic": true,
                    "score": null
                  }
                ],
                "groups": [
                  {
                    "name": "writers"
                  }
                ]
              },
              "updateGroup": {
                "users": [
                  {
                    "email": "bob@x.org"
                  },
                  {
                    "email": "eve@x.org"
                  }
                ],
                "parent": {
                  "name": "readers"
                }
              },
              "upsertUser": {
                "profile": {
                  "text": "about Bob"
                }
              },
              "updateManyUsers": {
                "count": 2
              }
            }"#]],
    );
    check(
        &service,
        "mutation { deleteUser(where: { email: \"eve@x.org\" }) { email nicknames posts { title } } }",
        &expect![[r#"
            {
              "deleteUser": {
                "email": "eve@x.org",
                "nicknames": [
                  "e",
                  "f"
                ],
                "posts": []
              }
            }"#]],
    );
    // The indexes of unique fields have Prisma's names, and errors those of the datamodel.
    check(
        &service,
        "mutation {
          first: updatePost(where: { number: 10 }, data: { slug: \"one\" }) { slug }
          second: updatePost(where: { number: 12 }, data: { slug: \"one\" }) { slug }
          updateUser(where: { email: \"bob@x.org\" }, data: { email: \"ann@x.org\" }) { id }
        }",
        &expect![[r#"
            [
              [
                3010,
                "A unique constraint would be violated on Post. Details: Field name = slug"
              ],
              [
                3010,
                "A unique constraint would be violated on User. Details: Field name = email"
              ]
            ]"#]],
    );
    let rows =
        |sql: &str| database.texts(&format!("SET search_path TO \"default$default\"; {sql}"));
    let lists = rows("SELECT \"nodeId\" || position || value FROM \"User_nicknames\" ORDER BY 1");
    assert_eq!(lists, ["ckann000000000000000000a1000a"]);
    let posts =
        rows("SELECT concat_ws(' ', number, post_title, author) FROM posts ORDER BY number");
    assert_eq!(
        posts,
        [
            "10 One! ckann000000000000000000a",
            "12 Three ckann000000000000000000a",
            "13 Four ckann000000000000000000a",
            "14 Five ckann000000000000000000a",
        ]
    );
    let pairs = rows("SELECT \"A\" || \"B\" FROM \"_GroupToUser\" ORDER BY 1");
    assert_eq!(pairs, ["ckgrp000000000000000000wckbob000000000000000000b"]);
    let within = rows("SELECT \"A\" || \"B\" FROM \"_Within\" ORDER BY 1");
    assert_eq!(
        within,
        [
            "ckgrp000000000000000000rckgrp000000000000000000w",
            "ckgrp000000000000000000wckgrp000000000000000000r",
        ]
    );
    // Moments are in UTC, and follow changes of values.
    let changed = rows(
        "SELECT email || (\"updatedAt\" > now() AT TIME ZONE 'UTC' - interval '5 minutes') || (\"createdAt\" < '2020-01-01') \
         FROM \"User\" ORDER BY 1",
    );
    assert_eq!(changed, ["ann@x.orgtruetrue", "bob@x.orgtruetrue"]);
    // Nothing but rows has changed.
    assert_eq!(database.texts(CATALOG), before);
}

#[test]
fn a_database_of_an_old_server_is_read_and_changed_and_stays_one() {
    let Some((service, database)) = serve(OLD_MADE, OLD_DATAMODEL, "blog$dev") else { return };
    let before = database.texts(CATALOG);
    check(
        &service,
        "{
          authors(orderBy: createdAt_DESC) { id name tags articles(orderBy: updatedAt_ASC) { title createdAt author { name } } }
          node(id: \"cjart00000000000000000001\") { ... on Article { title } }
        }",
        &expect![[r#"
            {
              "authors": [
                {
                  "id": "cjauth0000000000000000001",
                  "name": "Ada",
                  "tags": [
                    "x"
                  ],
                  "articles": [
                    {
                      "title": "First",
                      "createdAt": "2018-01-02T00:00:00.000Z",
                      "author": {
                        "name": "Ada"
                      }
                    }
                  ]
                }
              ],
              "node": {
                "title": "First"
              }
            }"#]],
    );
    check(
        &service,
        "mutation {
          createAuthor(data: { name: \"Bob\", tags: { set: [\"y\", \"z\"] }, articles: { create: [{ title: \"Second\" }] } }) {
            name tags articles { title }
          }
          updateAuthor(where: { id: \"cjauth0000000000000000001\" }, data: {
            articles: {
              create: [{ title: \"Third\" }, { title: \"Fourth\" }]
              update: [{ where: { id: \"cjart00000000000000000001\" }, data: { title: \"first\" } }]
              deleteMany: [{ title: \"Fourth\" }]
            }
          }) { articles(orderBy: title_ASC) { title } }
          deleteArticle(where: { id: \"cjart00000000000000000001\" }) { title author { name } }
        }",
        &expect![[r#"
            {
              "createAuthor": {
                "name": "Bob",
                "tags": [
                  "y",
                  "z"
                ],
                "articles": [
                  {
                    "title": "Second"
                  }
                ]
              },
              "updateAuthor": {
                "articles": [
                  {
                    "title": "Third"
                  },
                  {
                    "title": "first"
                  }
                ]
              },
              "deleteArticle": {
                "title": "first",
                "author": {
                  "name": "Ada"
                }
              }
            }"#]],
    );
    let rows = |sql: &str| database.texts(&format!("SET search_path TO \"blog$dev\"; {sql}"));
    // Pairs have ids as Prisma made them, and so have rows; hidden moments are set.
    let pairs = rows(
        "SELECT concat_ws(' ', a.title, b.name, r.id ~ '^c[0-9a-z]{24}$', a.id ~ '^c[0-9a-z]{24}$', \
         a.\"updatedAt\" > '2020-01-01') FROM \"_AuthorOnArticle\" r \
         JOIN \"Article\" a ON a.id = r.\"A\" JOIN \"Author\" b ON b.id = r.\"B\" ORDER BY 1",
    );
    assert_eq!(pairs, ["Second Bob t t t", "Third Ada t t t"]);
    let lists = rows("SELECT position || value FROM \"Author_tags\" ORDER BY 1");
    assert_eq!(lists, ["1000x", "1000y", "2000z"]);
    assert_eq!(rows("SELECT id FROM \"_RelayId\"").len(), 2);
    assert_eq!(database.texts(CATALOG), before);
}
