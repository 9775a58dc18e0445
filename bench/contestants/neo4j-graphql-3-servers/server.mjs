// @neo4j/graphql on Yoga or Apollo, by one process or by several that share a port:
// node server.mjs yoga|apollo PROCESSES PORT NEO4J CONNECTIONS TYPES
import cluster from "node:cluster";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Neo4jGraphQL } from "@neo4j/graphql";
import neo4j from "neo4j-driver";

const [kind, processes, port, address, connections, types] = process.argv.slice(2);
const count = Number(processes);
if (cluster.isPrimary && count > 1) {
  for (let started = 0; started < count; started += 1) {
    // A process that ends would leave the others to be measured as two.
    cluster.fork().on("exit", () => process.exit(1));
  }
} else {
  await serve();
}

async function serve() {
  const driver = neo4j.driver(address, neo4j.auth.basic("neo4j", "none"), {
    maxConnectionPoolSize: Number(connections),
  });
  const typeDefs = readFileSync(types, "utf8");
  const schema = await new Neo4jGraphQL({ typeDefs, driver }).getSchema();
  if (kind === "apollo") {
    const { ApolloServer } = await import("@apollo/server");
    const { startStandaloneServer } = await import("@apollo/server/standalone");
    // Apollo's standalone server answers at every path.
    await startStandaloneServer(new ApolloServer({ schema }), {
      listen: { port: Number(port), host: "127.0.0.1" },
    });
  } else {
    const { createYoga } = await import("graphql-yoga");
    const yoga = createYoga({ schema, graphiql: false, logging: false });
    createServer(yoga).listen(Number(port), "127.0.0.1");
  }
}
