// What fails for a while can be tried again, and nothing is lost by it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, edit, hold, makeWorld, openSession, own, quiet, say, tellExpert } from './house.mjs';
import { LINE, admin } from './line.mjs';

let house;
before(async () => {
  house = await House.open(LINE);
});
after(() => house.close());

const BUSY = { status: 503, json: { error: 'Storage does not answer', code: 'STORAGE_UNAVAILABLE', request_id: 'none' } };

test('who is signed in is not asked to sign in because the server cannot say so', async () => {
  const page = await house.signUp('ada');
  await page.route('**/api/users/me', (route) => route.fulfill(BUSY));
  await page.reload();
  const retry = page.getByRole('button', { name: 'Retry' });
  await retry.waitFor();
  assert.equal(await page.getByRole('button', { name: 'Sign in' }).count(), 0);
  await retry.click();
  await retry.waitFor();
  await page.unroute('**/api/users/me');
  await retry.click();
  await page.getByRole('heading', { name: 'Worlds', exact: true }).waitFor();
});

test('lists say that they are loaded, and can be tried again', async () => {
  const page = await admin(house);
  await openSession(page);
  await tellExpert(page, 'words to an expert');
  const lists = [
    ['**/api/users/me/sessions?*', 'My data', () => page.getByText('words to an expert')],
    ['**/api/users/me/consents', 'My data', () => page.getByRole('row').filter({ hasText: 'Allowed' })],
    ['**/api/admin/audit?*', 'Admin', () => page.getByText('Nothing has been erased yet.')],
    ['**/api/admin/line/sources', 'Admin', () => page.getByText('Nobody has written on LINE yet.')],
  ];
  for (const [path, screen, list] of lists) {
    await page.getByRole('link', { name: 'Worlds', exact: true }).click();
    let answer;
    const isAnswered = new Promise((go) => (answer = go));
    await page.route(path, async (route) => {
      await isAnswered;
      await route.fulfill(BUSY);
    });
    await page.getByRole('link', { name: screen }).click();
    await page.getByRole('status').getByText('Loading…').first().waitFor();
    answer();
    await page.getByRole('alert').getByText('Storage does not answer').waitFor();
    await page.unroute(path);
    await page.getByRole('button', { name: 'Retry' }).click();
    await list().first().waitFor();
  }
});

test('what was begun to be said is there after a look at another screen, and nowhere else', async () => {
  const page = await house.signUp('ben');
  await makeWorld(page);
  const box = page.getByLabel('Say something');
  await box.fill('begun in a world');
  await page.getByRole('link', { name: 'My data' }).click();
  await openSession(page);
  assert.equal(await box.inputValue(), '');
  await box.fill('begun in a session');
  await page.getByRole('link', { name: 'Worlds', exact: true }).click();
  await page.getByRole('link', { name: 'One to one' }).click();
  await box.waitFor();
  assert.equal(await box.inputValue(), 'begun in a world');
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])), /begun/);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await own(page, 'begun in a world').waitFor();
  assert.equal(await box.inputValue(), '');
  // Whoever signs out takes it along.
  await box.fill('canary-begun');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Email').fill('ben@example.org');
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await box.waitFor();
  assert.equal(await box.inputValue(), '');
});

test('an edit is made although the browser has no room for its draft', async () => {
  const page = await house.signUp('cyd');
  await makeWorld(page);
  await say(page, 'first words');
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await edit(page, 'first words', 'second words');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await own(page, 'second words').waitFor();
  await quiet(page);
});

test('a world that is looked at twice is what it was when it was looked at last', async () => {
  const page = await house.signUp('dov');
  await makeWorld(page);
  const other = await house.tab(page.context(), new URL(page.url()).pathname);
  await other.getByLabel('Say something').waitFor();
  const first = await hold(other, (request) => /\/worlds\/[^/]+\/agents$/.test(request.url()));
  const rename = async (from, to) => {
    await page.getByRole('button', { name: `Change: ${from}` }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(to);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: `Change: ${to}` }).waitFor();
  };
  await rename('Companion', 'First');
  await first.isMade();
  await rename('First', 'Second');
  await other.getByRole('button', { name: 'Change: Second' }).waitFor();
  const isAnswered = other.waitForResponse((response) => response.url().endsWith('/agents'));
  first.letGo();
  await isAnswered;
  await say(other, 'first words');
  await other.getByRole('button', { name: 'Change: Second' }).waitFor();
});

test('whoever goes elsewhere while something is made is not brought back', async () => {
  const page = await house.signUp('gus');
  await makeWorld(page);
  const making = await hold(page, (request) => request.method() === 'POST' && request.url().endsWith('/chats'));
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await making.isMade();
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByRole('heading', { level: 1, name: 'My data' }).waitFor();
  const isAnswered = page.waitForResponse((response) => response.url().endsWith('/chats'));
  making.letGo();
  await (await isAnswered).finished();
  // The page has done what it does with the answer.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  assert.equal(new URL(page.url()).pathname, '/app/data');
  await page.getByRole('link', { name: 'Worlds', exact: true }).click();
  await page.getByText('2 chats').waitFor();
});

test('an account is deleted once, however often that is confirmed', async () => {
  const page = await house.signUp('eli');
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Password').fill('correct horse');
  let calls = 0;
  let go;
  const mayGo = new Promise((let_) => (go = let_));
  await page.route('**/api/users/me', async (route) => {
    if (route.request().method() !== 'DELETE') return route.fallback();
    calls += 1;
    await mayGo;
    return route.continue();
  });
  const confirm = dialog.getByRole('button', { name: 'Delete account' });
  await confirm.click();
  await confirm.and(page.locator(':disabled')).waitFor();
  await dialog.getByLabel('Password').press('Enter');
  go();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(calls, 1);
});
