// A person opens the page of the tutorial as Ada, finishes a task of hers, and fails with one of Ben's.
//
//   node tasks.mjs ADDRESS CHROMIUM FOLDER_FOR_PICTURES

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [address, executablePath, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 640, height: 400 } });
// The server of the page has just been started.
for (let attempt = 1; ; attempt++) {
  try {
    await page.goto(address);
    break;
  } catch (error) {
    if (attempt === 100) throw error;
    await page.waitForTimeout(100);
  }
}
const box = (title) => page.getByLabel(title);
await box("Choose a colour, Ben").waitFor();
assert.equal(await page.getByRole("checkbox").count(), 4);
await box("Write the schema, Ada").click();
await page.waitForFunction(() => document.querySelectorAll("input:checked").length === 1);
await page.screenshot({ path: join(folder, "tutorial.png") });
await box("Choose a colour, Ben").click();
await page.getByRole("alert").filter({ hasText: "No values were updated" }).waitFor();
assert.equal(await page.locator("input:checked").count(), 1);
await browser.close();
