// A program that has to compile, and lines that must not.

import { Thalweg, type Answer, type Responses } from "./index.js";

const engine: Thalweg = await Thalweg.open({ url: "postgres:///shop", dialect: "hasura" });
const answer: Answer = await engine.execute({ query: "{ a }", variables: { id: 1 }, claims: { role: "a" } });
const text: string = answer.body.toString("utf8");
for await (const response of engine.subscribe({ query: "subscription { a }" })) {
  console.log(response.length, text, engine.schema().length, engine.schema("editor")?.length);
}
const responses: Responses = engine.subscribe({ query: "subscription { a }" });
const iterated: AsyncIterable<Buffer> = responses;
const first: IteratorResult<Buffer, void> = await responses.next();
console.log(iterated, first.done ? 0 : first.value.length, (await responses.return()).done);
await engine.close();
await engine.close(1000);

// @ts-expect-error: the address is required
await Thalweg.open({ dialect: "hasura" });
// @ts-expect-error: there is no such dialect
await Thalweg.open({ url: "a.db", dialect: "rest" });
// @ts-expect-error: it needs type definitions
await Thalweg.open({ url: "a.db", dialect: "dgraph" });
// @ts-expect-error: there is no such member
await engine.execute({ query: "{ a }", variable: {} });
