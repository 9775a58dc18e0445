// The audit of graphql-http: which of its checks the server does not pass, and how many it does.
//
//   node audit.mjs URL

import { auditServer } from "graphql-http";

const results = await auditServer({ url: process.argv[2] });
for (const { status, id, name, reason } of results) {
  if (status !== "ok") console.log(`${status}: ${id} ${name}: ${reason}`);
}
const passed = results.filter(({ status }) => status === "ok").length;
console.log(`${passed} of ${results.length} ok`);
