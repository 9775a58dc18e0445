// The codes with which the server closes sockets, as graphql-ws sees them.
//
//   node close_codes.mjs HOST:PORT TOKEN
//
// The server requires a token, and the first message within half a second.

import assert from "node:assert/strict";
import { createClient } from "graphql-ws";
import WebSocket from "ws";

const [address, token] = process.argv.slice(2);
const COUNT = "subscription { aggregateNote { count } }";

/// The code and the reason with which the server closes the socket of a client.
async function closed(options) {
  let close;
  const event = new Promise((resolve) => (close = resolve));
  const client = createClient({
    url: `ws://${address}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { Authorization: token },
    ...options,
    on: { ...options.on, closed: close },
  });
  const sink = { next: () => {}, error: () => {}, complete: () => {} };
  client.subscribe({ query: COUNT }, sink);
  client.subscribe({ query: COUNT }, sink);
  const { code, reason } = await event;
  return `${code} ${reason}`;
}

const send = (message) => (socket) => socket.send(JSON.stringify(message));
const subscribe = send({ id: "a", type: "subscribe", payload: { query: COUNT } });
for (const [expected, options] of [
  ['4400 The message must have a "type", a string.', { on: { connected: send({ id: "a" }) } }],
  ["4401 Unauthorized", { on: { opened: subscribe } }],
  ["4403 Forbidden", { connectionParams: { Authorization: "wrong" } }],
  ["4403 Forbidden", { connectionParams: {} }],
  ["4408 Connection initialisation timeout", { connectionParams: () => new Promise(() => {}) }],
  ["4409 Subscriber for a already exists", { generateID: () => "a" }],
  ["4429 Too many initialisation requests", { on: { connected: send({ type: "connection_init" }) } }],
]) {
  assert.equal(await closed(options), expected);
  console.log(expected.slice(0, 4));
}
// The client cannot be made to offer another subprotocol.
const other = new WebSocket(`ws://${address}/graphql`);
assert.equal(await new Promise((resolve) => other.on("close", resolve)), 4406);
console.log("4406");
process.exit(0);
