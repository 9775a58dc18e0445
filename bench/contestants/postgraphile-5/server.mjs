// PostGraphile 5 with the names of version 4, in its recommended form:
// node server.mjs PORT SOCKET DATABASE_PORT DATABASE CONNECTIONS [FEATURE...]
import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { grafserv } from "postgraphile/grafserv/node";
import { makePgService } from "postgraphile/adaptors/pg";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { makeV4Preset } from "postgraphile/presets/v4";

const [port, host, databasePort, database, connections, ...features] = process.argv.slice(2);
const presets = [
  PostGraphileAmberPreset,
  makeV4Preset({
    disableQueryLog: true,
    graphiql: false,
    simpleCollections: features.includes("simple-collections-both") ? "both" : "omit",
  }),
];
if (features.includes("connection-filter")) {
  const plugin = await import("postgraphile-plugin-connection-filter");
  presets.push(plugin.PostGraphileConnectionFilterPreset);
}
const poolConfig = {
  host,
  port: Number(databasePort),
  database,
  user: "postgres",
  max: Number(connections),
};
const preset = {
  extends: presets,
  pgServices: [makePgService({ schemas: ["public"], pubsub: false, poolConfig })],
  grafast: { explain: false },
  grafserv: { graphqlPath: "/graphql", graphiql: false, websockets: false, watch: false },
};
const server = createServer();
server.on("error", (error) => {
  console.error(error);
  process.exit(1);
});
await postgraphile(preset).createServ(grafserv).addTo(server);
server.listen(Number(port), "127.0.0.1");
