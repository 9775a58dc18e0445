// A person opens the page of an example project, sees the first albums of the API, and goes on to the next.
//
//   node albums.mjs ADDRESS CHROMIUM ADDRESS_OF_THE_API

import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [address, executablePath, api] = process.argv.slice(2);
const query = `{
  allAlbums(first: 10, orderBy: [TITLE_ASC]) { nodes { title artistByArtistId { name } } }
}`;
const answer = await fetch(api, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ query }),
});
const { data } = await answer.json();
const lines = data.allAlbums.nodes.map((album) => `${album.title}, ${album.artistByArtistId.name}`);
assert.equal(lines.length, 10);

const browser = await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
// The server of the page has just been started.
for (let attempt = 1; ; attempt++) {
  try {
    await page.goto(address);
    break;
  } catch (error) {
    if (attempt === 200) throw error;
    await page.waitForTimeout(100);
  }
}
const shown = async (line) => {
  await page.getByRole("listitem").filter({ hasText: line }).first().waitFor();
  const items = await page.getByRole("listitem").allTextContents();
  return items.map((item) => item.trim());
};
assert.deepEqual(await shown(lines[0]), lines.slice(0, 5));
await page.getByRole("button").or(page.getByRole("link")).filter({ hasText: /Next page|More/ }).click();
const next = await shown(lines[9]);
// A list that grows has both pages.
assert.deepEqual(next.slice(-5), lines.slice(5));
await browser.close();
