// A person with a browser and no network: opens the page, asks, reads the answer and what became
// of the request, wide and on a phone, behind a proxy, and of a gateway.
//
//   node browser.mjs ADDRESS CHROMIUM FOLDER_FOR_PICTURES GATEWAY QUERY LIVE

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [address, executablePath, folder, gateway, federatedQuery, live] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

const QUERY = "query Artist($id: Int!) { artistById(id: $id) { name } }";
const VARIABLES = '{ "id": 127 }';

// As root the browser's own sandbox does not start; the rest keeps it from calling home.
const flags = "no-sandbox disable-gpu disable-quic no-first-run disable-background-networking " +
  "disable-component-update disable-sync";
const browser = await chromium.launch({
  executablePath,
  headless: true,
  args: flags.split(" ").map((flag) => `--${flag}`),
});

// A page that reaches one host only; whatever is not as it should be is in `troubles`.
async function open(url, options) {
  const context = await browser.newContext(options);
  const troubles = [];
  await context.route("**/*", (route) => {
    if (new URL(route.request().url()).host === new URL(url).host) return route.continue();
    troubles.push(`asked for ${route.request().url()}`);
    return route.abort();
  });
  const page = await context.newPage();
  page.on("console", (message) => {
    // GraphiQL's own dialogs have no description, and it says so itself.
    if (message.text().includes("DialogContent")) return;
    if (["error", "warning"].includes(message.type())) troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("requestfailed", (request) => troubles.push(`failed: ${request.url()}`));
  page.on("response", (response) => {
    if (response.status() >= 400) troubles.push(`${response.status()}: ${response.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector(".graphiql-execute-button");
  return { page, troubles, close: () => context.close() };
}

async function write(page, editor, text) {
  await page.click(`${editor} .CodeMirror-line >> nth=0`);
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(text);
}

const seen = (page, selector, text) =>
  page.locator(selector).filter({ hasText: text }).first().waitFor();

async function ask(page) {
  await write(page, ".graphiql-query-editor", QUERY);
  await page.click(".graphiql-editor-tools [data-name=variables]");
  await write(page, ".graphiql-editor-tool", VARIABLES);
  await page.keyboard.press("Control+Enter");
  await seen(page, ".result-window", '"name"');
}

const picture = (page, name) => page.screenshot({ path: join(folder, `${name}.png`) });

async function wide(url, colorScheme) {
  const viewport = { width: 1280, height: 560 };
  const { page, troubles, close } = await open(url, { viewport, colorScheme });
  await seen(page, ".graphiql-query-editor", "allAlbums(first: 10)");
  await ask(page);
  await page.click("text=Explain");
  await seen(page, ".thalweg-explain", "read rows 0: entity artist, single, filter id = $0");
  await seen(page, ".thalweg-sql", 'SELECT t0."name"\nFROM "artist" AS t0\nWHERE t0."id" = ?1');
  await seen(page, ".thalweg-parameters", "$id = 127");
  await seen(page, ".thalweg-fact", /Cost2 rows/);
  await seen(page, ".thalweg-fact", /Execute, write[\d.]+ (µs|ms)/);
  await page.click("text=The database's plan");
  await seen(page, ".thalweg-explain details pre", "SEARCH t0 USING INTEGER PRIMARY KEY");
  await picture(page, `explain-${colorScheme}`);
  // What does not fit is scrolled to.
  const { clientHeight, scrollHeight } = await page.evaluate(() => {
    const { clientHeight, scrollHeight } = document.querySelector(".thalweg-explain");
    return { clientHeight, scrollHeight };
  });
  assert.ok(clientHeight < 520 && scrollHeight > clientHeight, `${clientHeight} ${scrollHeight}`);
  await page.click("[role=tab]:has-text('Response')");
  assert.ok(await page.isVisible(".result-window"));
  assert.ok(!(await page.isVisible(".thalweg-explain")));
  await picture(page, `response-${colorScheme}`);

  await page.click('[aria-label="Show Documentation Explorer"]');
  await seen(page, ".graphiql-plugin", "ArtistsConnection");
  await page.click('[aria-label="Open settings dialog"]');
  await seen(page, "[role=dialog]", "Theme");
  await page.keyboard.press("Escape");

  // What was written is there again.
  await page.reload();
  await seen(page, ".graphiql-query-editor", "artistById(id: $id)");
  const background = await page.evaluate(() => {
    const container = document.querySelector(".graphiql-container");
    return getComputedStyle(container).backgroundColor;
  });
  assert.deepEqual(troubles, []);
  await close();
  return background;
}

async function phone(url) {
  const { page, troubles, close } = await open(url, { viewport: { width: 390, height: 844 } });
  await ask(page);
  await picture(page, "phone-response");
  await page.click("text=Explain");
  await seen(page, ".thalweg-sql", "SELECT");
  await picture(page, "phone-explain");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(width, 390);
  for (const part of [".graphiql-execute-button", ".thalweg-explain", ".graphiql-sidebar button"]) {
    const box = await page.locator(part).first().boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, `${part}: ${JSON.stringify(box)}`);
    assert.ok(box.y >= 0 && box.y + box.height <= 844, `${part}: ${JSON.stringify(box)}`);
  }
  await page.click('[aria-label="Show Documentation Explorer"]');
  await seen(page, ".graphiql-plugin", "ArtistsConnection");
  await picture(page, "phone-documentation");
  assert.deepEqual(troubles, []);
  await close();
}

// A document that is wrong is marked and refused, and the tab says why.
async function wrong(url) {
  const { page, troubles, close } = await open(url, {});
  await write(page, ".graphiql-query-editor", "{ nothing }");
  await page.keyboard.press("Control+Enter");
  await seen(page, ".result-window", "GRAPHQL_VALIDATION_FAILED");
  await page.click("text=Explain");
  await seen(page, ".thalweg-failed", "nothing");
  assert.deepEqual(troubles, []);
  await close();
}

// The server under `/shop/` of another one, as a reverse proxy shows it.
async function proxied(url) {
  const proxy = http.createServer((request, response) => {
    const target = new URL(request.url.replace(/^\/shop\//, "/"), url);
    const { method, headers } = request;
    const onward = http.request(target, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await new Promise((ready) => proxy.listen(0, "127.0.0.1", ready));
  const { page, troubles, close } = await open(`http://127.0.0.1:${proxy.address().port}/shop/`, {});
  await ask(page);
  await page.click("text=Explain");
  await seen(page, ".thalweg-sql", "SELECT");
  assert.deepEqual(troubles, []);
  await close();
  proxy.close();
  proxy.closeAllConnections();
}

// Requests to subgraphs and statements of databases in the process are counted apart.
async function federated(url) {
  const { page, troubles, close } = await open(url, { viewport: { width: 1280, height: 800 } });
  await write(page, ".graphiql-query-editor", federatedQuery);
  await page.keyboard.press("Control+Enter");
  await seen(page, ".result-window", '"shipping_days"');
  await page.click("text=Explain");
  await seen(page, ".thalweg-fact", /^Requests5 in 3 rounds$/);
  await seen(page, ".thalweg-fact", /^Statements5$/);
  const parts = await page.locator(".thalweg-number").allTextContents();
  const numbered = (word) => [1, 2, 3, 4, 5].map((number) => `${word} ${number}`);
  assert.deepEqual(parts, [...numbered("Request"), ...numbered("Statement")]);
  const requests = await page.locator(".thalweg-part", { hasText: "Request " }).count();
  assert.ok(requests >= 5, `${requests}`);
  await seen(page, ".thalweg-sql .sql-keyword", "SELECT");
  await picture(page, "explain-gateway");
  await page.locator(".thalweg-part", { hasText: "Statement 1" }).last().scrollIntoViewIfNeeded();
  await picture(page, "explain-gateway-statements");
  assert.deepEqual(troubles, []);
  await close();
}

// A subscription shows each new response until it is stopped.
async function subscribed(url) {
  const { page, troubles, close } = await open(url, { viewport: { width: 1280, height: 800 } });
  await write(page, ".graphiql-query-editor", "subscription { artistById(id: 127) { name } }");
  await page.keyboard.press("Control+Enter");
  await seen(page, ".result-window", '"artistById"');
  const rename = async (name) => {
    const query = "mutation ($name: String!) { updateArtistById(input: " +
      "{ id: 127, artistPatch: { name: $name } }) { artist { name } } }";
    const response = await fetch(`${url}graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query, variables: { name } }),
    });
    assert.equal((await response.json()).data.updateArtistById.artist.name, name);
  };
  await rename("The Changed");
  await seen(page, ".result-window", '"The Changed"');
  await picture(page, "subscription");
  await page.click('[aria-label="Stop query (Ctrl-Enter)"]');
  await seen(page, ".graphiql-editors", "");
  await rename("The Unseen");
  await page.waitForTimeout(500);
  assert.ok(!(await page.textContent(".result-window")).includes("The Unseen"));
  // The request of a stopped subscription has failed, as it should.
  assert.deepEqual(troubles.filter((trouble) => !trouble.startsWith("failed: ")), []);
  await close();
}

try {
  const light = await wide(address, "light");
  const dark = await wide(address, "dark");
  assert.notEqual(light, dark);
  await phone(address);
  await wrong(address);
  await proxied(address);
  await federated(gateway);
  await subscribed(live);
  console.log("seen");
} finally {
  await browser.close();
}
