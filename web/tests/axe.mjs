// Whether a screen can be used by everybody, as far as a program can tell.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with a screen. */
async function flaws(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document));
  return violations.map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Axe finds nothing, and nothing is wider than the window. */
export async function isClean(page, screen) {
  assert.deepEqual(await flaws(page), [], screen);
  const { inner, whole } = await page.evaluate(() => ({
    inner: document.documentElement.clientWidth,
    whole: document.documentElement.scrollWidth,
  }));
  assert.ok(whole <= inner, `${screen} is ${whole} wide on ${inner}`);
}
