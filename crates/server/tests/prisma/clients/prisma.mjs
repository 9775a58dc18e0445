// Clients of Prisma 1, with the secret of the service: prisma-client-lib, prisma-binding, and
// nexus-prisma, whose server passes requests on by prisma-client-lib.
//
//   node prisma.mjs ENDPOINT SECRET SCHEMA
//
// SCHEMA is the file of the service's schema, which Prisma's generator writes into clients.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { graphql, buildSchema, introspectionFromSchema } from "graphql";
import jsonwebtoken from "jsonwebtoken";
import nexusPrisma from "nexus-prisma";
import binding from "prisma-binding";
import clientLib from "prisma-client-lib";

const [endpoint, secret, file] = process.argv.slice(2);
const typeDefs = await readFile(file, "utf8");
const models = ["User", "Post", "Role"].map((name) => ({ name, embedded: false }));
const Prisma = clientLib.makePrismaClientClass({ typeDefs, models, endpoint, secret });

/** A value without the prototypes of GraphQL's own objects. */
const plain = (value) => JSON.parse(JSON.stringify(value));

/** What a promise is refused with. */
const refused = (promise) => promise.then(() => assert.fail("an error is expected"), (error) => error);

const INVALID_TOKEN =
  "Your token is invalid. It might have expired or you might be using a token from a different project.";

/** The first event of a stream, which begins some time after the client has asked for it. */
async function firstEvent(events, change) {
  const next = events.next();
  for (let number = 0; ; number += 1) {
    await change(number);
    const moment = new Promise((resolve) => setTimeout(resolve, 50));
    const event = await Promise.race([next, moment]);
    if (event !== undefined) {
      return plain(event.value);
    }
  }
}

/** The next event of a stream for which a condition holds. */
async function nextEvent(events, condition) {
  for (;;) {
    const event = plain((await events.next()).value);
    if (condition(event)) {
      return event;
    }
  }
}

{
  const prisma = new Prisma();
  const ann = await prisma.createUser({
    email: "ann@x",
    role: "ADMIN",
    posts: {
      create: [
        { title: "One", tags: { set: ["a", "b"] }, meta: { pages: 7 } },
        { title: "Two", score: 1.5 },
      ],
    },
  });
  assert.equal(ann.email, "ann@x");
  assert.match(ann.id, /^c[a-z0-9]{24}$/);
  // Requests of one moment are one batch.
  const [posts, again, missing] = await Promise.all([
    prisma.user({ email: "ann@x" }).posts({ orderBy: "title_DESC", first: 1 }),
    prisma.users({ where: { posts_some: { title_starts_with: "O" } } }),
    prisma.user({ email: "nobody@x" }),
  ]);
  assert.deepEqual(posts.map(({ title, score, meta }) => [title, score, meta]), [["Two", 1.5, null]]);
  assert.deepEqual(again, [ann]);
  assert.equal(missing, null);
  const fragment = "fragment PostWithAuthor on Post { title meta author { email } }";
  assert.deepEqual(await prisma.posts({ where: { title: "One" } }).$fragment(fragment), [
    { title: "One", meta: { pages: 7 }, author: { email: "ann@x" } },
  ]);
  assert.equal(await prisma.usersConnection().aggregate().count(), 1);
  const bob = await prisma.upsertUser({
    where: { email: "bob@x" },
    create: { email: "bob@x", friends: { connect: { email: "ann@x" } } },
    update: { age: 8 },
  });
  const updated = await prisma.updateUser({
    where: { id: ann.id },
    data: { posts: { updateMany: { where: { title: "Two" }, data: { score: 2.5 } } } },
  });
  assert.equal(updated.id, ann.id);
  const { count } = await prisma.updateManyPosts({ where: { score_gt: 2 }, data: { title: "2" } });
  assert.equal(count, 1);
  assert.deepEqual(
    await Promise.all([
      prisma.$exists.user({ email: "ann@x" }),
      prisma.$exists.user({ email: "cid@x" }),
    ]),
    [true, false],
  );
  const friends = "query ($id: ID!) { user(where: { id: $id }) { friends { email } } }";
  assert.deepEqual(await prisma.$graphql(friends, { id: bob.id }), {
    user: { friends: [{ email: "ann@x" }] },
  });
  const twice = await refused(prisma.createUser({ email: "ann@x" }));
  assert.match(twice.message, /A unique constraint would be violated on User\. Details: Field name = email/);
  const [violation] = twice.result?.errors ?? twice.response?.errors ?? [];
  assert.equal(violation?.code ?? twice.code, 3010);
  const none = await refused(prisma.deleteUser({ email: "nobody@x" }));
  assert.match(none.message, /No Node for the model User with value nobody@x for email found\./);
  const wrong = await refused(new Prisma({ secret: "another secret" }).users());
  assert.ok(wrong.message.includes(INVALID_TOKEN), wrong.message);
  const other = await refused(new Prisma({ endpoint: `${endpoint}2` }).users());
  assert.match(other.message, /Project not found: 'blog_dev2'/);

  const created = await prisma.$subscribe.post({ mutation_in: ["CREATED"], node: { title_starts_with: "Sub" } }).node();
  const first = await firstEvent(created, (number) => prisma.createPost({ title: `Sub ${number}` }));
  assert.match(first.title, /^Sub \d+$/);
  await prisma.createPost({ title: "Another" });
  await prisma.createPost({ title: "Sub last", score: 7 });
  const last = await nextEvent(created, ({ title }) => !/^Sub \d+$/.test(title));
  assert.deepEqual([last.title, last.score], ["Sub last", 7]);
  await created.return();
  const changes = await prisma.$subscribe.post({ mutation_in: ["UPDATED"] });
  const changed = await firstEvent(changes, (number) =>
    prisma.updatePost({ where: { id: last.id }, data: { score: number } }),
  );
  assert.deepEqual([changed.mutation, changed.updatedFields], ["UPDATED", ["score"]]);
  await changes.return();
  await prisma.deleteManyPosts({ OR: [{ title_starts_with: "Sub" }, { title: "Another" }] });
  console.log("prisma-client-lib");
}

{
  const prisma = new binding.Prisma({ typeDefs, endpoint, secret });
  const info = "{ email posts(orderBy: title_ASC) { title tags } friends { email } }";
  const users = await prisma.query.users({ orderBy: "email_ASC", where: { email_not: "cid@x" } }, info);
  assert.deepEqual(plain(users), [
    { email: "ann@x", posts: [{ title: "2", tags: [] }, { title: "One", tags: ["a", "b"] }], friends: [] },
    { email: "bob@x", posts: [], friends: [{ email: "ann@x" }] },
  ]);
  const data = { title: "Three", author: { create: { email: "cid@x", age: 3 } } };
  const created = await prisma.mutation.createPost({ data }, "{ title author { email age } }");
  assert.deepEqual(plain(created), { title: "Three", author: { email: "cid@x", age: 3 } });
  assert.equal(await prisma.exists.User({ email: "cid@x" }), true);
  assert.equal(await prisma.exists.Post({ title: "Four" }), false);
  const connection = await prisma.query.postsConnection({}, "{ aggregate { count } edges { node { title } } }");
  assert.equal(connection.aggregate.count, 3);
  const deleted = await prisma.mutation.deleteManyPosts({ where: { author: { age: 3 } } }, "{ count }");
  assert.deepEqual(plain(deleted), { count: 1 });
  const twice = await refused(prisma.mutation.createUser({ data: { email: "cid@x" } }, "{ id }"));
  assert.match(twice.message, /A unique constraint would be violated on User/);
  const token = jsonwebtoken.sign({}, secret);
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: "{ users(first: 1) { id } }" }),
  });
  assert.equal((await answer.json()).data.users.length, 1);
  const where = { mutation_in: ["DELETED"] };
  const deletions = await prisma.subscription.user({ where }, "{ mutation node { email } previousValues { email } }");
  const { user: deletion } = await firstEvent(deletions, async (number) => {
    const email = `sub${number}@x`;
    await prisma.mutation.createUser({ data: { email } }, "{ id }");
    await prisma.mutation.deleteUser({ where: { email } }, "{ id }");
  });
  assert.deepEqual([deletion.mutation, deletion.node], ["DELETED", null]);
  assert.match(deletion.previousValues.email, /^sub\d+@x$/);
  await deletions.return();
  // The binding keeps the link of an endpoint, so this is another spelling of it.
  const wrong = new binding.Prisma({ typeDefs, endpoint: `${endpoint}/`, secret: "another secret" });
  assert.ok((await refused(wrong.query.users({}, "{ id }"))).message.includes(INVALID_TOKEN));
  console.log("prisma-binding");
}

{
  const prisma = new Prisma();
  const schema = buildSchema(typeDefs);
  const datamodelInfo = {
    uniqueFieldsByModel: { User: ["id", "email"], Post: ["id"] },
    embeddedTypes: [],
    clientPath: "unused",
    schema: introspectionFromSchema(schema),
  };
  const { makePrismaSchema, prismaObjectType } = nexusPrisma;
  const types = [
    prismaObjectType({ name: "Query", definition: (t) => t.prismaFields(["users", "user"]) }),
    prismaObjectType({ name: "Mutation", definition: (t) => t.prismaFields(["createUser", "deleteUser"]) }),
    prismaObjectType({ name: "User", definition: (t) => t.prismaFields(["*"]) }),
  ];
  const served = makePrismaSchema({
    types,
    prisma: { datamodelInfo, client: prisma },
    outputs: { schema: false, typegen: false },
    shouldGenerateArtifacts: false,
  });
  const ask = async (source, variableValues) => {
    const { data, errors } = await graphql({ schema: served, source, variableValues, contextValue: {} });
    return errors ? errors.map((error) => error.message) : plain(data);
  };
  const created = await ask(
    'mutation { createUser(data: { email: "dan@x", posts: { create: { title: "Four" } } }) { email posts { title } } }',
  );
  assert.deepEqual(created, { createUser: { email: "dan@x", posts: [{ title: "Four" }] } });
  const users = await ask('{ users(where: { email_contains: "n@x" }, orderBy: email_ASC) { email posts(first: 1) { title } } }');
  assert.deepEqual(users, {
    users: [
      { email: "ann@x", posts: [{ title: "One" }] },
      { email: "dan@x", posts: [{ title: "Four" }] },
    ],
  });
  assert.deepEqual(await ask('mutation { deleteUser(where: { email: "dan@x" }) { email } }'), {
    deleteUser: { email: "dan@x" },
  });
  const [problem] = await ask('mutation { deleteUser(where: { email: "dan@x" }) { email } }');
  assert.match(problem, /No Node for the model User with value dan@x for email found\./);
  console.log("nexus-prisma");
}

// The sockets of the clients would keep the process alive.
process.exit(0);
