// The official clients of the Model Context Protocol list tools and call them: that of today by both
// kinds of revisions, and the one before it, which knows revisions with a handshake only.
//
//   node mcp.mjs URL

import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const url = new URL(process.argv[2]);
const info = { name: "thalweg-tests", version: "1" };
const seen = [];
const watched = (address, init) => {
  seen.push([init.method, new Headers(init.headers).get("mcp-protocol-version")]);
  return fetch(address, init);
};

const pinned = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
const clients = [
  [new Client(info, pinned), new StreamableHTTPClientTransport(url, { fetch: watched })],
  [new Client(info, { versionNegotiation: { mode: "auto" } }), new StreamableHTTPClientTransport(url)],
  [new Client(info), new StreamableHTTPClientTransport(url)],
  [new OlderClient(info), new OlderTransport(url)],
];
for (const [client, transport] of clients) {
  await client.connect(transport);
  assert.equal(client.getServerVersion().name, "thalweg");
  assert.match(client.getInstructions(), /GraphQL/);
  const { tools } = await client.listTools();
  console.log(tools.map(({ name }) => name).join(" "));
  const found = tools.find(({ name }) => name === "ArtistAlbums");
  assert.equal(found.description, "Finds an artist with the first albums.");
  assert.equal(found.annotations.readOnlyHint, true);
  assert.deepEqual(found.inputSchema.required, ["id"]);

  // The clients compare structured content with the schema of the output.
  const call = (name, args) => client.callTool({ name, arguments: args });
  const answer = await call("ArtistAlbums", { id: 1, first: 1 });
  assert.ok(!answer.isError);
  assert.equal(answer.structuredContent.data.artistById.albumsByArtistId.nodes.length, 1);
  assert.deepEqual(JSON.parse(answer.content[0].text), answer.structuredContent);
  const wrong = await call("ArtistAlbums", { id: "one" });
  assert.ok(wrong.isError);
  assert.match(wrong.content[0].text, /Int/);
  await assert.rejects(call("Nothing", {}), /Unknown tool/);

  const matches = (await call("search_schema", { words: "album title" })).structuredContent.matches;
  assert.ok(matches.some(({ coordinate }) => coordinate === "Album.title"));
  const type = (await call("introspect_type", { name: "Album" })).structuredContent;
  assert.match(type.definition, /type Album implements Node \{/);
  const query = "query ($id: Int!) { albumByAlbumId(albumId: $id) { title } }";
  const executed = await call("execute_operation", { query, variables: { id: 1 } });
  assert.equal(typeof executed.structuredContent.data.albumByAlbumId.title, "string");
  await client.close();
}
// The client of today did no handshake.
assert.ok(seen.length > 5);
assert.ok(seen.every(([method, version]) => method === "POST" && version === "2026-07-28"));
process.exit(0);
