// A person who uses the console in a browser without a network: by keyboard and by mouse, with each view,
// in several dialects, as a role, and on a gateway.
//
//   node console.mjs CHROMIUM FOLDER_FOR_PICTURES JSON_OF_SERVERS

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [executablePath, folder, text] = process.argv.slice(2);
const servers = JSON.parse(text);
mkdirSync(folder, { recursive: true });

const flags = "no-sandbox disable-gpu disable-quic no-first-run disable-background-networking " +
  "disable-component-update disable-sync";
const browser = await chromium.launch({
  executablePath,
  headless: true,
  args: flags.split(" ").map((flag) => `--${flag}`),
});

// A page that reaches one host only; whatever is not as it should be is in `troubles`.
async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 760 }, ...options });
  const troubles = [];
  await context.route("**/*", (route) => {
    if (new URL(route.request().url()).host === new URL(url).host) return route.continue();
    troubles.push(`asked for ${route.request().url()}`);
    return route.abort();
  });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.text().includes("DialogContent")) return;
    if (["error", "warning"].includes(message.type())) troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(String(error)));
  await page.goto(url);
  await page.waitForSelector("#console a");
  return { page, troubles, close: () => context.close() };
}

const picture = (page, name) => page.screenshot({ path: join(folder, `${name}.png`) });

const go = (page, name) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click();

const seen = (page, selector, text) => page.locator(selector).filter({ hasText: text }).first().waitFor();

const focused = (page, expression) =>
  page.evaluate((expression) => new Function("element", `return ${expression}`)(document.activeElement), expression);

// Everything that a person can use has a name.
async function assertNamed(page) {
  const nameless = await page.evaluate(() => {
    const named = (one) => one.textContent.trim() || one.getAttribute("aria-label") || one.labels?.length;
    const all = document.querySelectorAll("#console button, #view button, #view a, #view input, #view select, #view [tabindex='0']");
    return [...all].filter((one) => !named(one)).map((one) => one.outerHTML.slice(0, 120));
  });
  assert.deepEqual(nameless, []);
}

async function graphql(url, query) {
  const response = await fetch(`${url}graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  return (await response.json()).data;
}

// A field of the view, or of a dialog: GraphiQL has others.
const labelled = (page, name, options) => page.locator("#view").getByLabel(name, options);
const inDialog = (page, name, options) => page.locator("dialog").getByLabel(name, options);

const rows = (page) => page.locator(".c-rows tbody tr");

async function rowTexts(page) {
  return rows(page).evaluateAll((all) => all.map((row) =>
    [...row.querySelectorAll("td:not(.c-row-actions)")].map((cell) => cell.textContent)));
}

// Without a mouse: the link that skips the navigation, a view, its tabs, a table of the diagram.
async function byKeyboard(url) {
  const { page, troubles, close } = await open(url);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Tab");
  assert.equal(await focused(page, "element.textContent"), "Skip to content");
  await page.keyboard.press("Enter");
  assert.equal(await focused(page, "element.id"), "main");
  await page.getByRole("navigation").getByRole("link", { name: "Explore" }).focus();
  await page.keyboard.press("Tab");
  assert.equal(await focused(page, "element.textContent"), "Schema");
  const outline = await focused(page, "getComputedStyle(element).outlineStyle");
  assert.equal(outline, "solid");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".c-diagram .c-table");
  await page.waitForFunction(() => document.activeElement.tagName === "H1");
  assert.equal(await page.title(), "Schema · Thalweg");
  assert.equal(await page.locator("#console [aria-current]").textContent(), "Schema");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(page, "element.textContent + element.ariaSelected"), "Listtrue");
  await page.keyboard.press("ArrowLeft");
  await page.locator(".c-diagram").focus();
  const before = await page.locator(".c-diagram > g").getAttribute("transform");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("+");
  assert.notEqual(await page.locator(".c-diagram > g").getAttribute("transform"), before);
  await page.keyboard.press("0");
  assert.equal(await page.locator(".c-diagram > g").getAttribute("transform"), before);
  await page.keyboard.press("Tab");
  assert.equal(await focused(page, "element.getAttribute('aria-label')"), "table album");
  await page.keyboard.press("Enter");
  await seen(page, ".c-details h2", "album");
  await assertNamed(page);
  assert.deepEqual(troubles, []);
  await close();
}

async function schema(url, colorScheme) {
  const { page, troubles, close } = await open(url, { colorScheme });
  await go(page, "Schema");
  await page.waitForSelector(".c-diagram .c-table");
  assert.deepEqual(await page.locator(".c-table").count(), 11);
  assert.deepEqual(await page.locator(".c-edge").count(), 11);
  await seen(page, ".c-heading", "11 tables, 11 relationships");
  const texts = await page.locator(".c-table[aria-label='table album'] text").allTextContents();
  assert.deepEqual(texts.filter(Boolean), ["album", "PK", "album_id", "Int!", "title", "String!", "FK", "artist_id", "Int!"]);
  await page.getByRole("button", { name: "table album" }).click();
  await seen(page, ".c-details", "artist_id → artist as artistByArtistId");
  await seen(page, ".c-details", "updateAlbumByAlbumId");
  assert.equal(await page.locator(".c-edge.c-chosen").count(), 2);
  await picture(page, `console-schema-${colorScheme}`);
  // Those that are found, and their neighbours.
  await labelled(page, "Search").fill("media_type_id");
  await seen(page, ".c-heading", "6 of 11 tables");
  await page.getByRole("tab", { name: "List" }).click();
  await seen(page, ".c-heading", "2 of 11 tables");
  await seen(page, ".c-panel", "primary key, generated");
  await picture(page, `console-list-${colorScheme}`);
  const background = await page.evaluate(() => getComputedStyle(document.getElementById("view")).backgroundColor);
  assert.deepEqual(troubles, []);
  await close();
  return background;
}

// Pages, an order, a filter, a reference, and changes, each of which the API makes.
async function data(url) {
  const { page, troubles, close } = await open(url);
  await go(page, "Data");
  await seen(page, ".c-pages", "Rows 1 to 25 of 347");
  await page.getByRole("button", { name: "Next" }).click();
  await seen(page, ".c-pages", "Rows 26 to 50 of 347");
  await page.getByRole("button", { name: "title" }).click();
  await seen(page, ".c-pages", "Rows 1 to 25 of 347");
  await page.waitForSelector("th[aria-sort=ascending]");
  const ascending = await rowTexts(page);
  await page.getByRole("button", { name: "title" }).click();
  await page.waitForSelector("th[aria-sort=descending]");
  const descending = await rowTexts(page);
  const { first, last } = await graphql(url, "{ first: allAlbums(first: 1, orderBy: TITLE_ASC) { nodes { title } } " +
    "last: allAlbums(first: 1, orderBy: TITLE_DESC) { nodes { title } } }");
  assert.deepEqual([ascending[0][1], descending[0][1]], [first.nodes[0].title, last.nodes[0].title]);
  await assertNamed(page);
  await picture(page, "console-data");

  await page.getByRole("button", { name: "Insert a row" }).click();
  await inDialog(page, "artist_id").fill("many");
  await page.getByRole("dialog").getByRole("button", { name: "Insert" }).click();
  await seen(page, "dialog .c-error", "artist_id: “many” is no number");
  await seen(page, "dialog .c-error", 'title is required: write "" for an empty text');
  await inDialog(page, "artist_id").fill("1000000");
  await inDialog(page, "title").fill("Quiet “Rooms”");
  await page.getByRole("dialog").getByRole("button", { name: "Insert" }).click();
  await seen(page, "dialog .c-error", /refer|foreign/i);
  await inDialog(page, "artist_id").fill("127");
  await page.getByRole("dialog").getByRole("button", { name: "Insert" }).click();
  await seen(page, ".c-pages", "of 348");
  assert.equal(await page.locator("dialog").count(), 0);

  await page.getByRole("button", { name: "Add a filter" }).click();
  await labelled(page, "Column").selectOption("title");
  await labelled(page, "Value").fill("Quiet “Rooms”");
  await page.keyboard.press("Enter");
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  await page.getByRole("button", { name: "Edit row 1" }).click();
  await inDialog(page, "title").fill("Loud Rooms");
  await picture(page, "console-edit");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await seen(page, ".c-pages", "No rows of 0");
  await labelled(page, "Value").fill("Loud Rooms");
  await page.keyboard.press("Enter");
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  const [[, title, artist]] = await rowTexts(page);
  assert.deepEqual([title, artist], ["Loud Rooms", "127"]);

  await page.getByRole("button", { name: "Delete row 1" }).click();
  await seen(page, "dialog pre", "deleteAlbumByAlbumId");
  await page.keyboard.press("Escape");
  assert.deepEqual((await graphql(url, '{ allAlbums(condition: { title: "Loud Rooms" }) { totalCount } }')).allAlbums.totalCount, 1);
  assert.equal(await focused(page, "element.getAttribute('aria-label')"), "Delete row 1");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await seen(page, ".c-pages", "No rows of 0");
  assert.deepEqual((await graphql(url, '{ allAlbums(condition: { title: "Loud Rooms" }) { totalCount } }')).allAlbums.totalCount, 0);

  // A foreign key leads to the row, and a null is shown and set.
  await page.getByRole("button", { name: "Remove" }).click();
  await seen(page, ".c-pages", "of 347");
  const reference = await rows(page).first().locator("a").textContent();
  await rows(page).first().locator("a").click();
  await seen(page, "h1", "artist");
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  assert.equal((await rowTexts(page))[0][0], reference);
  await page.getByRole("button", { name: "Edit row 1" }).click();
  await inDialog(page, "name is null").check();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await seen(page, ".c-nothing", "null");
  const { artistById } = await graphql(url, `{ artistById(id: ${reference}) { name } }`);
  assert.equal(artistById.name, null);

  // The requests have their plans.
  await go(page, "Plans");
  await seen(page, ".c-plan .thalweg-sql", "SELECT");
  await seen(page, ".c-plan .thalweg-fact", "Execute, write");
  assert.ok((await page.locator(".c-list button").count()) >= 10);
  await page.locator(".c-list button", { hasText: "mutation ChangeArtist" }).first().click();
  await seen(page, ".c-plan .thalweg-sql", "UPDATE");
  await picture(page, "console-plans");
  assert.deepEqual(troubles, []);
  await close();
}

async function metrics(url) {
  const { page, troubles, close } = await open(url);
  await go(page, "Metrics");
  await graphql(url, "{ allAlbums { totalCount } }");
  await page.waitForSelector(".c-legend strong");
  const titles = await page.locator(".c-chart h2").allTextContents();
  assert.ok(titles.some((title) => title.startsWith("Latency")), titles.join());
  await page.waitForFunction(() => [...document.querySelectorAll(".c-legend li")]
    .some((line) => /^process [\d.]+ MB$/.test(line.textContent.trim())));
  // A request between two readings is counted.
  const counted = page.waitForFunction(() => [...document.querySelectorAll(".c-legend li")]
    .some((line) => /^queries (0\.[1-9]|[1-9])/.test(line.textContent.trim())));
  const load = setInterval(() => graphql(url, "{ allAlbums { totalCount } }"), 100);
  await counted;
  clearInterval(load);
  await picture(page, "console-metrics");
  assert.deepEqual(troubles, []);
  await close();
}

async function operations(url) {
  const { page, troubles, close } = await open(url);
  await go(page, "Operations");
  await seen(page, "#view .c-message", "Nothing runs now.");
  // The list is read again, and shows an operation with its statement while it runs.
  const body = { total: 1, operations: [{ kind: "query", operation: "Slow", milliseconds: 2500, requestId: "a-1", statements: ["SELECT 1"] }] };
  await page.route("**/console/api/operations", (route) => route.fulfill({ json: body }));
  await seen(page, "#view h2", "Slow, query 2.5 s");
  await seen(page, "#view pre", "SELECT 1");
  assert.deepEqual(troubles, []);
  await close();
}

async function phone(url) {
  const { page, troubles, close } = await open(url, { viewport: { width: 390, height: 844 } });
  for (const name of ["Schema", "Data", "Plans", "Checks"]) {
    await go(page, name);
    await page.waitForSelector("#view h1");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, name);
    if (name === "Data") {
      await seen(page, ".c-pages", "of 347");
      await picture(page, "console-phone");
    }
  }
  assert.deepEqual(troubles, []);
  await close();
}

// The dialect hasura: the same browser over its own operations, and a finding with its remedy.
async function hasura(url) {
  const { page, troubles, close } = await open(url);
  await go(page, "Data");
  await seen(page, ".c-pages", "Rows 1 to 3 of 3");
  await page.getByRole("button", { name: "title" }).click();
  await page.waitForSelector("th[aria-sort=ascending]");
  assert.deepEqual((await rowTexts(page)).map(([, title]) => title), ["Blue", "Green", "Red"]);
  await page.getByRole("button", { name: "Add a filter" }).click();
  await labelled(page, "Column").selectOption("title");
  await labelled(page, "Operator").selectOption("_like");
  await labelled(page, "Value").fill("%ee%");
  await page.keyboard.press("Enter");
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  await page.getByRole("button", { name: "Edit row 1" }).click();
  await inDialog(page, "title").fill("Deep Green");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await seen(page, ".c-rows", "Deep Green");
  await page.getByRole("button", { name: "Delete row 1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await seen(page, ".c-pages", "No rows of 0");
  await page.getByRole("button", { name: "Insert a row" }).click();
  await inDialog(page, /^id/).fill("9007199254740993");
  await inDialog(page, "title").fill("Teen");
  await inDialog(page, "artist_id").fill("2");
  await page.getByRole("dialog").getByRole("button", { name: "Insert" }).click();
  await seen(page, ".c-rows", "Teen");
  // No digit of a number is lost, and so the row is found.
  assert.equal((await rowTexts(page))[0][0], "9007199254740993");
  await page.getByRole("button", { name: "Delete row 1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await seen(page, ".c-pages", "No rows of 0");
  await go(page, "Checks");
  await seen(page, ".c-notes", "album (artist_id)");
  await seen(page, ".c-remedy pre", "CREATE INDEX");
  await picture(page, "console-checks");
  assert.deepEqual(troubles, []);
  await close();
}

// The dialect phrag, whose changes have columns as arguments.
async function phrag(url) {
  const { page, troubles, close } = await open(url);
  await go(page, "Data");
  await seen(page, ".c-pages", "Rows 1 to 2 of 2");
  await page.getByRole("button", { name: "title" }).click();
  await page.waitForSelector("th[aria-sort=ascending]");
  assert.deepEqual((await rowTexts(page)).map(([, title]) => title), ["Blue", "Red"]);
  await page.getByRole("button", { name: "Edit row 2" }).click();
  await inDialog(page, "title").fill("Amber");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await seen(page, ".c-rows", "Amber");
  assert.deepEqual((await rowTexts(page)).map(([, title]) => title), ["Amber", "Blue"]);
  await page.getByRole("button", { name: "Insert a row" }).click();
  await inDialog(page, /^id/).fill("12");
  await inDialog(page, "title").fill("Zinc");
  await inDialog(page, "artist_id").fill("2");
  await page.getByRole("dialog").getByRole("button", { name: "Insert" }).click();
  await seen(page, ".c-pages", "Rows 1 to 3 of 3");
  await page.getByRole("button", { name: "Add a filter" }).click();
  await labelled(page, "Operator").selectOption("gt");
  await labelled(page, "Value").fill("11");
  await page.keyboard.press("Enter");
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  await page.getByRole("button", { name: "Delete row 1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await seen(page, ".c-pages", "No rows of 0");
  assert.deepEqual(troubles, []);
  await close();
}

// Fills the inputs of the open form, and saves it.
async function fill(page, values) {
  const dialog = page.getByRole("dialog");
  for (const [label, value] of Object.entries(values)) await dialog.getByLabel(label, { exact: false }).first().fill(value);
  await dialog.locator("button[type=submit]").click();
}

async function filter(page, column, operator, value) {
  await page.getByRole("button", { name: "Add a filter" }).click();
  await labelled(page, "Column").last().selectOption(column);
  await labelled(page, "Operator").last().selectOption(operator);
  await labelled(page, "Value").last().fill(value);
  await page.keyboard.press("Enter");
}

async function removed(page) {
  await page.getByRole("button", { name: "Delete row 1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
}

// The dialect prisma: conditions with the operator in their names, and relations by the key of the other row.
async function prisma(url) {
  const { page, troubles, close } = await open(url);
  await go(page, "Data");
  await seen(page, ".c-pages", "Rows 1 to 2 of 2");
  await page.getByRole("button", { name: "title" }).click();
  await page.waitForSelector("th[aria-sort=ascending]");
  assert.deepEqual((await rowTexts(page)).map((row) => row[1]), ["Amber", "Blue"]);
  await page.getByRole("button", { name: "Insert a row" }).click();
  await fill(page, { "artist.id": "2", id: "30", title: "Deep Blue" });
  await seen(page, ".c-pages", "Rows 1 to 3 of 3");
  await filter(page, "title", "contains", "Deep");
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  assert.deepEqual(await rowTexts(page), [["30", "Deep Blue", "2"]]);
  await picture(page, "console-prisma");
  await page.getByRole("button", { name: "Edit row 1" }).click();
  await fill(page, { "artist.id": "1", title: "Deep Sea" });
  await seen(page, ".c-rows", "Deep Sea");
  assert.deepEqual(await graphql(url, "{ album(where: { id: 30 }) { title artist { id } } }"), { album: { title: "Deep Sea", artist: { id: 1 } } });
  // The key of the relation leads to its row.
  await rows(page).first().locator("a").click();
  await seen(page, "h1", "artist");
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  await page.goBack();
  await filter(page, "id", "equals", "30");
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  await removed(page);
  await seen(page, ".c-pages", "No rows of 0");
  assert.deepEqual(await graphql(url, "{ album(where: { id: 30 }) { title } }"), { album: null });
  assert.deepEqual(troubles, []);
  await close();
}

// The dialect dgraph: filters find the rows to change, and null removes a value.
async function dgraph(url) {
  const { page, troubles, close } = await open(url);
  const choose = async (name) => {
    await page.locator(".c-side a", { hasText: name }).click();
    await seen(page, "h1", name);
  };
  await go(page, "Data");
  await choose("Author");
  for (const name of ["Ann", "Bea"]) {
    await page.getByRole("button", { name: "Insert a row" }).click();
    await fill(page, { name });
    await seen(page, ".c-rows", name);
  }
  const [ann, bea] = (await rowTexts(page)).map(([id]) => id);
  await choose("Post");
  await seen(page, ".c-pages", "No rows of 0");
  await page.getByRole("button", { name: "Insert a row" }).click();
  await fill(page, { title: "Graphs", score: "4", "author.id": ann });
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  await filter(page, "score", "ge", "4");
  await filter(page, "title", "eq", "Graphs");
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  await page.getByRole("button", { name: "Edit row 1" }).click();
  await inDialog(page, "score is null").check();
  await fill(page, { title: "Trees", "author.id": bea });
  await seen(page, ".c-pages", "No rows of 0");
  const posts = () => graphql(url, "{ queryPost { title score author { name } } }");
  assert.deepEqual(await posts(), { queryPost: [{ title: "Trees", score: null, author: { name: "Bea" } }] });
  await page.getByRole("button", { name: /^Remove the filter/ }).first().click();
  await page.getByRole("button", { name: /^Remove the filter/ }).first().click();
  await seen(page, ".c-rows", "Trees");
  await picture(page, "console-dgraph");
  await removed(page);
  await seen(page, ".c-pages", "No rows of 0");
  assert.deepEqual(await posts(), { queryPost: [] });
  // A type whose key is a name.
  await choose("Tag");
  await page.getByRole("button", { name: "Insert a row" }).click();
  await fill(page, { name: "data" });
  await seen(page, ".c-rows", "data");
  await removed(page);
  await seen(page, ".c-pages", "No rows of 0");
  assert.deepEqual(troubles, []);
  await close();
}

// The dialect neo4j, in both of its versions: a unique property finds a node; others are only read.
async function neo4j(url, version) {
  const { page, troubles, close } = await open(url);
  const contains = version === 7 ? "contains" : "CONTAINS";
  await go(page, "Data");
  await page.locator(".c-side a", { hasText: "Book" }).click();
  await seen(page, "h1", "Book");
  await seen(page, ".c-pages", "Rows 1 to 2 of 2");
  await page.getByRole("button", { name: "title" }).click();
  await page.waitForSelector("th[aria-sort=ascending]");
  assert.deepEqual((await rowTexts(page)).map((row) => row[1]), ["Emma", "Persuasion"]);
  await page.getByRole("button", { name: "Insert a row" }).click();
  // The server makes the id.
  assert.equal(await inDialog(page, /^id/).count(), 0);
  await fill(page, { title: "Sanditon", pages: "70" });
  await seen(page, ".c-pages", "Rows 1 to 3 of 3");
  await filter(page, "title", contains, "dit");
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  await page.getByRole("button", { name: "Edit row 1" }).click();
  await inDialog(page, "pages is null").check();
  await fill(page, { title: "Sanditon, edited" });
  await seen(page, ".c-rows", "Sanditon, edited");
  await picture(page, `console-neo4j-${version}`);
  const { books } = await graphql(url, "{ books { title pages } }");
  assert.deepEqual(books.filter(({ title }) => title.startsWith("San")), [{ title: "Sanditon, edited", pages: null }]);
  await filter(page, "id", "eq", (await rowTexts(page))[0][0]);
  await seen(page, ".c-pages", "Rows 1 to 1 of 1");
  await removed(page);
  await seen(page, ".c-pages", "No rows of 0");
  assert.equal((await graphql(url, "{ books { title } }")).books.length, 2);
  // No property of a writer is unique.
  await page.locator(".c-side a", { hasText: "Author" }).click();
  await seen(page, ".c-rows", "Jane");
  await seen(page, ".c-muted", "edit, delete");
  assert.equal(await page.getByRole("button", { name: /^Edit row/ }).count(), 0);
  assert.deepEqual(troubles, []);
  await close();
}

// A save sends nothing that nobody changed, and no digit gets lost; what no key finds cannot be changed.
async function kept(url) {
  const { page, troubles, close } = await open(url);
  const sent = [];
  page.on("request", (request) => {
    const { variables } = request.postData() ? JSON.parse(request.postData()) : {};
    if (variables?.input) sent.push(variables.input.notePatch);
  });
  const save = () => page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await go(page, "Data");
  await seen(page, ".c-pages", "Rows 1 to 2 of 2");
  assert.equal(await page.getByRole("button", { name: /^Edit row/ }).count(), 1);
  assert.equal(await page.getByRole("button", { name: /^Delete row/ }).count(), 1);
  await page.getByRole("button", { name: /^Edit row/ }).click();
  await inDialog(page, "extra").first().fill("changed");
  await save();
  await seen(page, ".c-rows", "changed");
  await page.getByRole("button", { name: /^Edit row/ }).click();
  await inDialog(page, "body").fill("one\nthree");
  await inDialog(page, "document").first().fill('{"a": 9007199254740995}');
  await save();
  await seen(page, ".c-rows", "three");
  assert.deepEqual(sent, [{ extra: "changed" }, { body: "one\r\nthree", document: '{"a": 9007199254740995}' }]);
  await seen(page, ".c-rows", "9007199254740995");
  assert.deepEqual(troubles, []);
  await close();
}

// The console of a server that requires tokens shows nothing without one, and then what the token lets.
async function roles({ url, token }) {
  const { page, close } = await open(url);
  for (const name of ["Schema", "Data", "Roles", "Checks"]) {
    await go(page, name);
    await seen(page, "#view .c-error", /token/i);
  }
  await page.getByRole("button", { name: "Headers" }).click();
  await inDialog(page, "Name", { exact: true }).fill("Authorization");
  await inDialog(page, "Value").fill(token);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Headers (1)" }).waitFor();
  await go(page, "Roles");
  await labelled(page, "Role", { exact: true }).fill("customer");
  await labelled(page, "Claims").fill('{"app": {"customer": 7}}');
  await labelled(page, "Row (optional)").fill("customer:customer_id=8");
  await page.getByRole("button", { name: "Show" }).click();
  await seen(page, "#view [role=status]", "The policies let the role use 3 of 11 tables.");
  await seen(page, ".c-panel", "rows with customer_id = claim app.customer, by own_data");
  await seen(page, ".c-panel pre", "customer_id");
  await seen(page, ".c-panel summary", "no insert");
  await assertNamed(page);
  await picture(page, "console-roles");
  // GraphiQL's requests have the headers, too.
  await go(page, "Explore");
  await page.click(".graphiql-query-editor .CodeMirror-line >> nth=0");
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("{ allCustomers { totalCount } }");
  await page.keyboard.press("Control+Enter");
  await seen(page, ".result-window", '"totalCount": 59');
  await close();
}

async function gateway(url) {
  const { page, troubles, close } = await open(url);
  const names = await page.locator("#console a").allTextContents();
  assert.deepEqual(names, ["Explore", "Supergraph", "Plans"]);
  await go(page, "Supergraph");
  await seen(page, ".c-cards", "reviews");
  await labelled(page, "Search").fill("Product.");
  await page.locator("tbody tr", { hasText: "warehouse" }).first().waitFor();
  await picture(page, "console-supergraph");
  assert.deepEqual(troubles, []);
  await close();
}

// Headers are forgotten by a reload, and kept by choice.
async function headers(url) {
  const { page, troubles, close } = await open(url);
  // GraphiQL has a button with this name, too.
  const button = (name) => page.locator("#console").getByRole("button", { name });
  const set = async (value, keeps) => {
    await button(/^Headers/).click();
    await inDialog(page, "Name", { exact: true }).first().fill("X-Tenant");
    await inDialog(page, "Value").first().fill(value);
    await inDialog(page, /Keep them after a reload/).setChecked(keeps);
    await picture(page, "console-headers");
    await page.getByRole("button", { name: "Save" }).click();
    await button("Headers (1)").waitFor();
  };
  const sent = async () => {
    const request = page.waitForRequest((request) => request.postData()?.includes("RowsOf"));
    await go(page, "Schema");
    await go(page, "Data");
    return (await request).headers()["x-tenant"];
  };
  const stored = () => page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
  await set("secret-1", false);
  assert.equal(await sent(), "secret-1");
  assert.ok(!(await stored()).includes("secret-1"));
  await page.reload();
  await button(/^Headers$/).waitFor();
  assert.equal(await sent(), undefined);
  await set("secret-2", true);
  await page.reload();
  await button("Headers (1)").waitFor();
  assert.equal(await sent(), "secret-2");
  await set("secret-3", false);
  assert.equal(await sent(), "secret-3");
  assert.ok(!(await stored()).includes("secret-"));
  // A browser that refuses its storage, as with blocked cookies.
  await page.evaluate(() => {
    for (const name of ["setItem", "removeItem"]) {
      const original = Storage.prototype[name];
      Storage.prototype[name] = function (...values) {
        if (this === sessionStorage) throw new DOMException("The operation is insecure.", "SecurityError");
        return original.apply(this, values);
      };
    }
  });
  await set("secret-4", false);
  assert.equal(await sent(), "secret-4");
  await button(/^Headers/).click();
  await inDialog(page, "Value").first().fill("secret-5");
  await inDialog(page, /Keep them after a reload/).setChecked(true);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").filter({ hasText: "a reload forgets them" }).waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.equal(await sent(), "secret-5");
  assert.deepEqual(troubles, []);
  await close();
}

async function everything() {
  await byKeyboard(servers.shop);
  const light = await schema(servers.shop, "light");
  const dark = await schema(servers.shop, "dark");
  assert.notEqual(light, dark);
  await phone(servers.shop);
  await data(servers.shop);
  await metrics(servers.shop);
  await operations(servers.shop);
  await hasura(servers.hasura);
  await phrag(servers.phrag);
  await prisma(servers.prisma);
  await dgraph(servers.dgraph);
  await kept(servers.notes);
  await roles(servers.roles);
  await gateway(servers.gateway);
  await headers(servers.shop);
}

try {
  // A graph is asked for by a test of its own.
  if (servers.graph) for (const [version, url] of Object.entries(servers.graph)) await neo4j(url, Number(version));
  else await everything();
  console.log("seen");
} finally {
  await browser.close();
}
