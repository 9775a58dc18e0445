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
const responses = engine.subscribe({ query: "query @live { taskById(id: 1) { title } }", claims: ada });
assert.equal(String((await responses.next()).value), '{"data":{"taskById":{"title":"Write"}},"isLive":true}');
assert.equal((await read({ ...change("Read"), claims: ada }))[0], 200);
assert.equal(String((await responses.next()).value), '{"data":{"taskById":{"title":"Read"}},"isLive":true}');
await responses.return();
await assert.rejects(engine.subscribe({ query: "{ __typename }", claims: ada }).next(), /is no subscription/);

assert.match(engine.schema(), /type Task implements Node/);
assert.equal(engine.schema("nobody"), null);
await engine.reload();

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
await assert.rejects(Thalweg.open({ url, dialect: "rest" }), /`rest` is no dialect; there are `postgraphile`/);
await assert.rejects(Thalweg.open({ url, dialect: "phrag", metadata: "{}" }), /`metadata` is for the dialect `hasura`/);
await assert.rejects(Thalweg.open({ url: "missing.db" }), /missing\.db/);
assert.throws(() => new Thalweg({}), TypeError);

await engine.close();
assert.equal((await read({ query: title, variables: { id: 2 }, claims: ada }))[0], 503);
console.log("answered");
