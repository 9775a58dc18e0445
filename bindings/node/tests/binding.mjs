// The package as a program uses it.
//
//   node binding.mjs DATABASE HAS_SLOW_FUNCTION

import assert from "node:assert/strict";
import { Thalweg } from "./index.js";

const [url, hasSlow] = process.argv.slice(2);
const policies = `
claim_role = "app_role"
[rules.tasks]
entity = "task"
read = { columns = "*" }
update = { rows = { person_id = { eq = { claim = "person" } } }, columns = ["title"] }
[roles.member]
rules = ["tasks"]
[roles.admin]
all = true
`;
const engine = await Thalweg.open({ url, policies, live: true, threads: 2 });
const read = async (call) => {
  const { status, body } = await engine.execute(call);
  assert(Buffer.isBuffer(body));
  return [status, JSON.parse(body)];
};

const title = "query ($id: Int!) { taskById(id: $id) { title } }";
const ada = { app_role: "member", person: 1 };
const change = (text) => ({
  query: `mutation { updateTaskById(input: { id: 1, taskPatch: { title: "${text}" } }) { task { title } } }`,
});
assert.deepEqual(await read({ query: title, variables: { id: 1 }, claims: ada }), [
  200,
  { data: { taskById: { title: "Write" } } },
]);
const named = { query: `${title.replace("query", "query Title")} query Other { __typename }`, operationName: "Other" };
assert.deepEqual(await read({ ...named, claims: ada }), [200, { data: { __typename: "Query" } }]);
const [refusedStatus, refused] = await read({ ...change("Read"), claims: { ...ada, person: 2 } });
assert.equal(refusedStatus, 200);
assert.deepEqual(refused.data, { updateTaskById: null });
assert.equal((await read({ query: "{ nothing }", claims: ada }))[0], 400);

// A live query, before and after a change.
const live = { query: "query @live { taskById(id: 1) { title } }", claims: ada };
const responses = engine.subscribe(live);
assert.equal(String((await responses.next()).value), '{"data":{"taskById":{"title":"Write"}},"isLive":true}');
assert.equal((await read({ ...change("Read"), claims: ada }))[0], 200);
assert.equal(String((await responses.next()).value), '{"data":{"taskById":{"title":"Read"}},"isLive":true}');

// What waits for no response ends at once.
const soon = (promise) =>
  Promise.race([promise, new Promise((_, reject) => setTimeout(reject, 20_000, new Error("not soon")).unref())]);
const done = { done: true, value: undefined };
const pending = responses.next();
assert.deepEqual(await soon(responses.return()), done);
assert.deepEqual(await soon(pending), done);
assert.deepEqual(await responses.next(), done);
assert.deepEqual(await responses.return(), done);
const beginning = engine.subscribe(live);
const first = beginning.next();
assert.deepEqual(await soon(beginning.return()), done);
assert.deepEqual(await soon(first), done);
const left = engine.subscribe(live);
for await (const body of left) {
  assert.equal(String(body), '{"data":{"taskById":{"title":"Read"}},"isLive":true}');
  break;
}
assert.deepEqual(await left.next(), done);
const unasked = engine.subscribe({ query: "{", claims: ada });
assert.deepEqual(await unasked.return(), done);
assert.deepEqual(await unasked.next(), done);
const refusedOne = engine.subscribe({ query: "{ __typename }", claims: ada });
await assert.rejects(refusedOne.next(), /is no subscription/);
assert.deepEqual(await refusedOne.next(), done);

assert.match(engine.schema(), /type Task implements Node/);
assert.equal(engine.schema("nobody"), null);
await engine.reload();

// A datamodel that is made of the tables.
const prisma = await Thalweg.open({ url, dialect: "prisma" });
assert.match(prisma.schema(), /title: String!/);
await prisma.close();

// Cancellation reaches the database: later requests need its connections.
if (hasSlow === "true") {
  const slow = () =>
    engine.execute({ query: "{ slow }", claims: { app_role: "admin" }, signal: AbortSignal.timeout(50) });
  await Promise.all(Array.from({ length: 40 }, () => assert.rejects(slow(), { name: "TimeoutError" })));
}
assert.equal((await read({ query: title, variables: { id: 2 }, claims: ada }))[0], 200);

// Mistakes say what to do.
await assert.rejects(engine.execute({ query: title, variable: {} }), /execute\(\): unknown field `variable`, expected/);
await assert.rejects(Thalweg.open({ url, dialekt: "hasura" }), /open\(\): unknown field `dialekt`, expected/);
await assert.rejects(Thalweg.open({ url, dialect: "rest" }), /`rest` is no dialect; there are `postgraphile`, [^d]* `prisma`$/);
await assert.rejects(Thalweg.open({ url, dialect: "dgraph" }), /`dgraph` cannot be opened here: .* need the server or/);
await assert.rejects(Thalweg.open({ url, dialect: "phrag", metadata: "{}" }), /`metadata` is for the dialect `hasura`/);
await assert.rejects(Thalweg.open({ url: "missing.db" }), /missing\.db/);
assert.throws(() => new Thalweg({}), TypeError);

// An idle subscription delays no end.
const idle = engine.subscribe(live);
await idle.next();
const last = idle.next();
await soon(engine.close(60_000));
assert.deepEqual(await soon(last), done);
assert.equal((await read({ query: title, variables: { id: 2 }, claims: ada }))[0], 503);
console.log("answered");
