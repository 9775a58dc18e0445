// A person with a browser and no network opens the report of the sample run from its file: wide,
// dark, on a phone, and by keyboard alone.
//
//   node report.mjs PAGE CHROMIUM FOLDER_FOR_PICTURES

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [file, executablePath, folder] = process.argv.slice(2);
const address = pathToFileURL(file).href;
mkdirSync(folder, { recursive: true });

// As root the browser's own sandbox does not start; the rest keeps it from calling home.
const flags = "no-sandbox disable-gpu disable-quic no-first-run disable-background-networking " +
  "disable-component-update disable-sync";
const browser = await chromium.launch({
  executablePath,
  headless: true,
  args: flags.split(" ").map((flag) => `--${flag}`),
});

// Whatever is not as it should be is in `troubles`: what the page asks for, what it complains of.
async function open(options, fragment = "") {
  const context = await browser.newContext(options);
  const troubles = [];
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (url.startsWith(address)) return route.continue();
    troubles.push(`asked for ${url}`);
    return route.abort();
  });
  const page = await context.newPage();
  page.on("console", (message) => troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(String(error)));
  await page.goto(address + fragment);
  await page.waitForSelector("[data-panel=curve] .series .point");
  const close = async () => {
    assert.deepEqual(troubles, []);
    await context.close();
  };
  return { page, close };
}

const texts = (page, selector) => page.locator(selector).allInnerTexts();
const picture = (page, name, fullPage = true) =>
  page.screenshot({ path: join(folder, `${name}.png`), fullPage });
const series = (page, panel = "curve") =>
  page.locator(`[data-panel=${panel}] .series`).evaluateAll((all) =>
    all.map((one) => `${one.dataset.contestant} ${one.querySelectorAll(".point").length}`));
const curve = (page) => page.locator("[data-panel=curve] .plot").innerHTML();
const check = (page, label, value) => page.getByRole("radiogroup", { name: label })
  .locator(`input[value="${value}"]`).check();

async function reads(page) {
  const notes = await texts(page, "#notes li");
  assert.deepEqual(notes, [
    "GraphJin took no part: `graphjin` is not installed.",
    "5 measurements were disturbed by something else on the machine, however often they were repeated; they are marked.",
    'Without figures for albums_tracks_genre_all: PostGraphile 5 (its answer differs at albumsList[3] | "name").',
  ]);
  const headlines = await texts(page, ".card .headline");
  assert.equal(headlines.length, 6);
  assert.equal(headlines[0], "4.21 × the requests/s of PostGraphile 4");
  const first = page.locator(".card").first();
  const row = (await first.locator("tbody tr").first().locator("th, td").allInnerTexts()).join(" ");
  assert.equal(row, "Requests/s 52,632 12,500 4.21 ×");
  assert.match(await first.innerText(), /63\.2 % of the floor's requests\/s/);
  // Three closed loops each, and five constant rates of each server; one contestant is missing.
  assert.deepEqual(await series(page), [
    "thalweg 5", "thalweg 3", "postgraphile-4 5", "postgraphile-4 3",
    "postgraphile-4-workers 5", "postgraphile-4-workers 3", "postgraphile-5 5",
    "postgraphile-5 3", "pgbench 3",
  ]);
  assert.match((await texts(page, "[data-panel=curve] .signs"))[0], /GraphJin: `graphjin` is not/);
  assert.equal(await page.locator("[data-panel=cpu] .track i").count(), 5 * 4);
  assert.deepEqual(await series(page, "start-time"), [
    "thalweg 4", "postgraphile-4 4", "postgraphile-5 3", "thalweg 4",
  ]);
  assert.match(await page.locator("#start-panels table").innerText(), /no answer within 300 seconds/);
}

// A choice of each kind changes what is shown.
async function chooses(page) {
  let before = await curve(page);
  const changed = async (what) => {
    await page.waitForSelector("[data-panel=curve] .series .point");
    const after = await curve(page);
    assert.notEqual(after, before, what);
    before = after;
  };
  await check(page, "Statistic", "p50");
  await changed("another statistic");
  await check(page, "Statistic", "p95");
  assert.equal(await page.locator(".limit-text").textContent(), "limit 50 ms");
  await changed("a third statistic");
  await check(page, "Axes", "linear");
  await changed("other axes");
  await page.getByRole("button", { name: "PostGraphile 5" }).click();
  await changed("fewer contestants");
  assert.ok(!(await series(page)).some((one) => one.startsWith("postgraphile-5")));
  assert.equal(await page.locator("[data-panel=memory] .bar").count(), 3);
  const cpu = await page.locator("[data-panel=cpu] .bar").first().innerText();
  await page.getByLabel("Query").selectOption("albums_tracks_genre_all");
  await changed("another query");
  assert.notEqual(await page.locator("[data-panel=cpu] .bar").first().innerText(), cpu);
  await check(page, "Statistic", "requests_per_second");
  await changed("throughput by connections");
  const memory = await page.locator("[data-panel=memory] figcaption").innerText();
  await check(page, "Connections of the bars", "64");
  assert.notEqual(await page.locator("[data-panel=memory] figcaption").innerText(), memory);
  await page.getByLabel("Suite").selectOption("meetups-postgres");
  await changed("another suite");
  assert.equal(await page.getByLabel("Query").inputValue(), "no_nest_50");
  const users = await texts(page, "[data-panel=users] .value");
  assert.deepEqual(users.slice(0, 2), ["≥ 16,000 users", "8,000 users"]);
  assert.equal(await page.locator("[data-panel=bursts] .bar").count(), 3);
  // What was chosen is in the address.
  const { hash } = new URL(page.url());
  const again = await open({ viewport: { width: 900, height: 700 } }, hash);
  assert.equal(await curve(again.page).then((text) => text.includes("no_nest_50")), true);
  assert.equal(await again.page.getByRole("button", { name: "PostGraphile 5" }).getAttribute("aria-pressed"), "false");
  await again.close();
}

async function orders(page) {
  const column = (place) => texts(page, `#numbers-table tbody tr:not(.is-absent) td:nth-child(${place})`);
  const number = (text) => Number(text.split(" ")[0].replaceAll(",", ""));
  await page.getByRole("button", { name: "Requests/s" }).click();
  const rising = (await column(4)).map(number);
  assert.ok(rising.length > 20, String(rising.length));
  assert.deepEqual(rising, [...rising].sort((one, other) => one - other));
  await page.keyboard.press("Enter");
  const falling = (await column(4)).map(number);
  assert.deepEqual(falling, [...falling].sort((one, other) => other - one));
  assert.equal(await page.locator("th[aria-sort=descending]").innerText(), "Requests/s ↓");
  await page.getByLabel("all queries").check();
  assert.ok((await column(4)).length > 3 * rising.length);
  const absent = (await texts(page, "#numbers-table .is-absent")).join("\n");
  assert.match(absent, /GraphJin\s+`graphjin` is not installed/);
  assert.equal(await page.locator("#numbers-table .is-disturbed").count(), 4);
}

// The texts of queries are texts, whatever they say.
async function quotes(page) {
  await page.locator(".texts summary").click();
  const query = await page.locator(".texts pre").innerText();
  assert.equal(query, 'query Q {\n  artistById(name: "</script><b>{{data}}") { name }\n}\n');
  assert.equal(await page.locator(".texts pre b").count(), 0);
}

async function wide(colorScheme) {
  const { page, close } = await open({ viewport: { width: 1280, height: 900 }, colorScheme });
  await reads(page);
  await quotes(page);
  await picture(page, `wide-${colorScheme}`);
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.locator("[data-panel=curve] .point").nth(7).hover();
  assert.match(await page.locator("[data-panel=curve] .tip").innerText(), /p99 .* ms/);
  await page.locator("#explore").scrollIntoViewIfNeeded();
  await picture(page, `explore-${colorScheme}`, false);
  await chooses(page);
  await orders(page);
  await picture(page, `chosen-${colorScheme}`);
  await close();
  return background;
}

// Nothing is wider than the phone, except what scrolls in itself.
async function phone(colorScheme) {
  const viewport = { width: 390, height: 844 };
  const { page, close } = await open({ viewport, colorScheme, deviceScaleFactor: 2, hasTouch: true });
  const overflow = () => page.evaluate(() => {
    const inScroll = (node) => node.closest(".scroll, pre");
    const out = [...document.querySelectorAll("body *")].filter((node) => !inScroll(node)
      && node.getBoundingClientRect().right > 390.5).map((node) => `${node.tagName} ${node.className}`);
    return [document.documentElement.scrollWidth, ...out];
  });
  assert.deepEqual(await overflow(), [390]);
  await picture(page, `phone-${colorScheme}`);
  await page.locator("[data-panel=curve] .plot").scrollIntoViewIfNeeded();
  const { x, y, width, height } = await page.locator("[data-panel=curve] .point").nth(6).boundingBox();
  await page.touchscreen.tap(x + width / 2, y + height / 2);
  assert.match(await page.locator("[data-panel=curve] .tip").innerText(), /16 connections/);
  assert.deepEqual(await overflow(), [390]);
  await page.getByLabel("Suite").selectOption("meetups-postgres");
  await page.getByLabel("all queries").check();
  assert.deepEqual(await overflow(), [390]);
  await page.locator("#explore").scrollIntoViewIfNeeded();
  await picture(page, `phone-explore-${colorScheme}`, false);
  await close();
}

// From the top of the page without a pointer: to a card's query, to the chart, along its points.
async function keyboard() {
  const { page, close } = await open({ viewport: { width: 1280, height: 900 } });
  const focused = () => page.evaluate(() => document.activeElement.dataset.key
    ?? document.activeElement.textContent.trim());
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "tracks_media_first_20");
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Query").inputValue(), "tracks_media_first_20");
  await page.locator('[data-key="statisticp99"]').focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(await focused(), "statisticp95");
  assert.equal(await page.locator(".limit").count(), 1);
  await page.locator("[data-panel=curve] svg[tabindex]").focus();
  await page.keyboard.press("ArrowRight");
  const first = await page.locator("[data-panel=curve] .tip").innerText();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await page.locator("[data-panel=curve] .tip").innerText(), first);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("[data-panel=curve] .tip").isVisible(), false);
  await close();
}

try {
  const light = await wide("light");
  const dark = await wide("dark");
  assert.notEqual(light, dark);
  await phone("light");
  await phone("dark");
  await keyboard();
  console.log("seen");
} finally {
  await browser.close();
}
