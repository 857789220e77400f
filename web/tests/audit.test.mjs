import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { House } from './house.mjs';
import { admin } from './line.mjs';

let house;
let page;
before(async () => {
  house = await House.open();
  page = await admin(house);
});
after(() => house.close());

const PAGE = 100;

/** As many lines as are wanted, each sealing the one before it. */
function chain(count) {
  const lines = [];
  let prev_hash = '0'.repeat(64);
  for (let id = 1; id <= count; id += 1) {
    const line = { at: '2026-02-16T10:30:00Z', id, media: 0, messages: id, reason: 'due', sessions: 1, user_id: `u-${id}` };
    const hash = createHash('sha256').update(prev_hash + JSON.stringify(line)).digest('hex');
    lines.push({ ...line, prev_hash, hash });
    prev_hash = hash;
  }
  return lines;
}

/** Shows an audit, by pages as the server gives them. */
async function show(lines) {
  await page.unroute('**/api/admin/audit?*');
  await page.route('**/api/admin/audit?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    assert.equal(searchParams.get('limit'), String(PAGE));
    const before = Number(searchParams.get('before') ?? Infinity);
    return route.fulfill({ json: { audit: lines.filter(({ id }) => id < before).slice(-PAGE) } });
  });
  await page.reload();
  await page.getByRole('region', { name: 'Erasure audit' }).waitFor();
}

const says = (text) => page.getByRole('status').filter({ hasText: text }).waitFor();

test('the chain as the server makes it is whole', async () => {
  await show(chain(3));
  await says('The chain of 3 lines is whole.');
});

for (const [what, change] of [
  ['a field was changed', (line) => (line.messages += 1)],
  ['a line does not follow the one before it', (line) => (line.prev_hash = 'f'.repeat(64))],
  ['the person was changed', (line) => (line.user_id = 'u-other')],
]) {
  test(`the chain is broken where ${what}`, async () => {
    const lines = chain(5);
    change(lines[2]);
    await show(lines);
    await says('The chain is broken at line 3.');
  });
}

test('the chain is broken where a line was taken out, and where the first ones are missing', async () => {
  const lines = chain(5);
  lines.splice(2, 1);
  await show(lines);
  await says('The chain is broken at line 4.');
  await show(chain(5).slice(1));
  await says('The chain is broken at line 2.');
});

test('of a long chain only what was read is called whole', async () => {
  await show(chain(130));
  await says('The chain of the newest 100 lines is whole.');
  await page.getByRole('button', { name: 'Show more' }).click();
  await says('The chain of 130 lines is whole.');
  assert.equal(await page.getByRole('region', { name: 'Erasure audit' }).getByRole('row').count(), 131);
  assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0);
});

test('what is broken on an older page is found when that is read', async () => {
  const lines = chain(130);
  lines[9].sessions = 7;
  await show(lines);
  await says('The chain of the newest 100 lines is whole.');
  await page.getByRole('button', { name: 'Show more' }).click();
  await says('The chain is broken at line 10.');
  // Where the pages meet, too.
  const joint = chain(130);
  joint[29].hash = 'e'.repeat(64);
  await show(joint);
  await page.getByRole('button', { name: 'Show more' }).click();
  await says('The chain is broken at line 30.');
});
