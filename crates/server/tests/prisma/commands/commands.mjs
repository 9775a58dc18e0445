// Runs the commands of Prisma 1 in a folder with a prisma.yml, against a service whose datamodel is
// datamodel.prisma. Prints the name of each command that did what it has to do.
//
// node commands.mjs FOLDER ENDPOINT SECRET

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [folder, endpoint, secret] = process.argv.slice(2);
const programs = join(dirname(fileURLToPath(import.meta.url)), "node_modules", ".bin");
const file = (name) => join(folder, name);

// HOME has the settings of the commands.
const env = { ...process.env, HOME: folder, PRISMA_MANAGEMENT_API_SECRET: secret, NO_UPDATE_NOTIFIER: "1" };

function run(program, ...words) {
  return new Promise((resolve) => {
    const options = { cwd: folder, env, timeout: 120_000 };
    const child = execFile(join(programs, program), words, options, (error, out, told) => {
      resolve({ code: error ? error.code : 0, text: out + told });
    });
    child.stdin.end();
  });
}

async function prisma(...words) {
  const { code, text } = await run("prisma1", ...words);
  assert.equal(code, 0, `prisma1 ${words.join(" ")}: ${text}`);
  return text;
}

writeFileSync(
  file("prisma.yml"),
  `endpoint: ${endpoint}
datamodel: datamodel.prisma
secret: ${secret}
generate:
  - generator: graphql-schema
    output: generated.graphql
seed:
  import: seed.graphql
hooks:
  post-deploy:
    - echo after the deployment
`,
);
writeFileSync(
  file("seed.graphql"),
  `mutation {
  createUser(data: { email: "a@x", posts: { create: [{ title: "one", tags: { set: ["x", "y"] } }] } }) { id }
}
`,
);

const token = (await prisma("token")).trim();
assert.equal(token.split(".").length, 3, token);
console.log("token");

async function titles() {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ query: "{ users { email posts { title tags } } }" }),
  });
  return (await response.json()).data.users;
}
const seeded = [{ email: "a@x", posts: [{ title: "one", tags: ["x", "y"] }] }];

assert.ok((await prisma("info")).includes(endpoint));
console.log("info");

// It asks no server, not even a cluster of its own configuration.
mkdirSync(file(".prisma"), { recursive: true });
const clusters = { local: { host: new URL(endpoint).origin, clusterSecret: secret } };
writeFileSync(file(".prisma/config.yml"), JSON.stringify({ clusters }));
assert.match(await prisma("list"), /No deployed service found/);
rmSync(file(".prisma/config.yml"));
console.log("list");

const deployed = await prisma("deploy");
assert.match(deployed, /already up to date/);
assert.match(deployed, /after the deployment/);
const datamodel = readFileSync(file("datamodel.prisma"), "utf8");
writeFileSync(file("datamodel.prisma"), `${datamodel}\ntype Other { id: ID! @id }\n`);
const refused = await run("prisma1", "deploy");
assert.match(refused.text, /thalweg migrate/);
writeFileSync(file("datamodel.prisma"), datamodel);
console.log("deploy");

await prisma("seed");
assert.deepEqual(await titles(), seeded);
console.log("seed");

await prisma("export", "--path", "exported.zip");
assert.ok(existsSync(file("exported.zip")));
console.log("export");

await prisma("reset", "--force");
assert.deepEqual(await titles(), []);
console.log("reset");

await prisma("import", "--data", "exported.zip");
assert.deepEqual(await titles(), seeded);
console.log("import");

await prisma("generate");
assert.match(readFileSync(file("generated.graphql"), "utf8"), /input UserWhereUniqueInput/);
console.log("generate");

// The command tells no error.
await run("prisma1", "delete", "--force");
assert.deepEqual(await titles(), seeded);
console.log("delete");

const endpoints = {
  default: { url: endpoint, headers: { Authorization: `Bearer ${token}` } },
};
const projects = { blog: { schemaPath: "fetched.graphql", extensions: { endpoints } } };
writeFileSync(file(".graphqlconfig"), JSON.stringify({ projects }));
const fetched = await run("graphql", "get-schema");
assert.equal(fetched.code, 0, fetched.text);
assert.match(readFileSync(file("fetched.graphql"), "utf8"), /input UserWhereUniqueInput/);
console.log("get-schema");
