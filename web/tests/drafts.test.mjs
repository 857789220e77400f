import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { House, edit, makeWorld, openSession, own, quiet, say, tellExpert } from './house.mjs';

let house;
before(async () => {
  house = await House.open();
});
after(() => house.close());

const pathOf = (page) => new URL(page.url()).pathname;

/** A browser that has just ended still tidies up. */
function unlessGone(error) {
  if (error.code === 'ENOENT') return Buffer.alloc(0);
  throw error;
}

/** Whether a text is in any file below a directory, as browsers write it. */
async function isWritten(directory, text) {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath ?? entry.path, entry.name)).catch(unlessGone);
    if (bytes.includes(text) || bytes.includes(Buffer.from(text, 'utf16le'))) return true;
  }
  return false;
}

test('an edit that was not sent is there after the browser was closed and opened again', async () => {
  const directory = join(house.server.directory, 'kept');
  const context = await house.onDisk(directory);
  const page = await house.signUpIn(context, 'zoe');
  await makeWorld(page);
  await say(page, 'first words');
  await own(page, 'first words').getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Edit message').fill('second words');
  const path = pathOf(page);
  await context.close();
  const again = await house.onDisk(directory);
  const back = await house.tab(again, path);
  await back.getByText('You have an edit that was not sent.').waitFor();
  await back.getByRole('button', { name: 'Continue' }).click();
  assert.equal(await back.getByLabel('Edit message').inputValue(), 'second words');
  await back.getByRole('button', { name: 'Save' }).click();
  await back.getByRole('button', { name: 'Remove and send' }).click();
  await own(back, 'second words').waitFor();
  await quiet(back);
  assert.equal(await back.evaluate(() => Object.keys(localStorage).join()), '');
  await again.close();
});

test('a draft can be thrown away', async () => {
  const page = await house.signUp('abe');
  await makeWorld(page);
  await say(page, 'first words');
  await edit(page, 'first words', 'canary-discarded');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('Your edit is not confirmed yet. Nothing is lost.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Discard' }).click();
  await own(page, 'first words').waitFor();
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify({ ...localStorage })), /canary-discarded/);
});

test('while a draft waits, no other edit takes its place', async () => {
  const page = await house.signUp('ada');
  await makeWorld(page);
  await say(page, 'first words');
  await say(page, 'other words');
  await edit(page, 'first words', 'canary-waits');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  const banner = page.getByText('Your edit is not confirmed yet. Nothing is lost.');
  await banner.waitFor();
  await page.context().setOffline(false);
  const button = own(page, 'other words').getByRole('button', { name: 'Edit', exact: true });
  await button.and(page.getByTitle('Finish or discard your other edit first')).dispatchEvent('click');
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  assert.equal(await page.getByLabel('Edit message').count(), 0);
  await page.reload();
  await banner.waitFor();
  await page.getByText('canary-waits').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await button.click();
  // Nor does one that is only begun.
  await page.getByLabel('Edit message').fill('begun');
  const first = own(page, 'first words').getByRole('button', { name: 'Edit', exact: true });
  await first.and(page.getByTitle('Finish or discard your other edit first')).dispatchEvent('click');
  assert.equal(await page.getByLabel('Edit message').inputValue(), 'begun');
});

test('a draft is there for whoever signs in again, and for nobody else', async () => {
  const page = await house.signUp('alma');
  await makeWorld(page);
  await say(page, 'first words');
  await own(page, 'first words').getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Edit message').fill('canary-expired');
  const signIn = async (name) => {
    await page.getByLabel('Email').fill(`${name}@example.org`);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  };
  const stored = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  // Their time is over, and they come back.
  await page.context().clearCookies();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await signIn('alma');
  await page.getByText('You have an edit that was not sent.').waitFor();
  await page.getByText('canary-expired').waitFor();
  // Their time is over, and somebody else comes.
  await (await house.signUp('amir')).context().close();
  await page.context().clearCookies();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.match(await stored(), /canary-expired/);
  await signIn('amir');
  assert.doesNotMatch(await stored(), /canary-expired/);
});

test('whoever signs out leaves no draft behind', async () => {
  const page = await house.signUp('ana');
  await makeWorld(page);
  await say(page, 'first words');
  await own(page, 'first words').getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Edit message').fill('canary-left-behind');
  assert.match(await page.evaluate(() => JSON.stringify({ ...localStorage })), /canary-left-behind/);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(await page.evaluate(() => Object.keys(localStorage).join()), '');
});

test('whoever signs out when their time is over leaves no draft behind, either', async () => {
  const page = await house.signUp('anke');
  await makeWorld(page);
  await say(page, 'first words');
  await own(page, 'first words').getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Edit message').fill('canary-over');
  assert.match(await page.evaluate(() => JSON.stringify({ ...localStorage })), /canary-over/);
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(await page.evaluate(() => Object.keys(localStorage).join()), '');
});

test('whoever is signed out while they edit signs in again and finds it', async () => {
  const page = await house.signUp('aris');
  await makeWorld(page);
  await say(page, 'first words');
  await edit(page, 'first words', 'second words');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Remove and send' }).click();
  const banner = page.getByRole('alert').filter({ hasText: 'Your edit is not confirmed yet. Nothing is lost.' });
  await banner.getByText('You are signed out. Sign in again.').waitFor();
  assert.equal(await banner.getByRole('button', { name: 'Retry' }).count(), 0);
  await banner.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill('aris@example.org');
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You have an edit that was not sent.').waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await own(page, 'second words').waitFor();
  assert.equal(await own(page, 'first words').count(), 0);
});

test('who leaves an edit in one tab leaves the draft of another one alone', async () => {
  const page = await house.signUp('anton');
  await makeWorld(page);
  await say(page, 'first words');
  await say(page, 'other words');
  const path = pathOf(page);
  const other = await house.tab(page.context(), path);
  await own(other, 'other words').getByRole('button', { name: 'Edit', exact: true }).click();
  await other.getByLabel('Edit message').fill('something else');
  await own(page, 'first words').getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Edit message').fill('a precious draft');
  await other.getByRole('button', { name: 'Cancel' }).click();
  const context = page.context();
  await page.close();
  const again = await house.tab(context, path);
  await again.getByText('You have an edit that was not sent.').waitFor();
  await again.getByText('a precious draft').waitFor();
});

test('a draft that is thrown away in one tab is gone in the other', async () => {
  const page = await house.signUp('ari');
  await makeWorld(page);
  await say(page, 'first words');
  await edit(page, 'first words', 'second words');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  const banner = (tab) => tab.getByText('Your edit is not confirmed yet. Nothing is lost.');
  await banner(page).waitFor();
  await page.context().setOffline(false);
  const other = await house.tab(page.context(), pathOf(page));
  await banner(other).waitFor();
  await other.getByRole('button', { name: 'Discard' }).click();
  for (const tab of [page, other]) await banner(tab).waitFor({ state: 'detached' });
});

test('without consent a draft is in the open tab only, and on no disk', async () => {
  const directory = join(house.server.directory, 'not-kept');
  const context = await house.onDisk(directory);
  const page = await house.signUpIn(context, 'bea', false);
  await makeWorld(page);
  await say(page, 'canary-said');
  await edit(page, 'canary-said', 'canary-drafted');
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('Your edit is not confirmed yet. Nothing is lost.').waitFor();
  // Going elsewhere in the page and back does not lose it.
  const chat = pathOf(page);
  await page.getByRole('link', { name: 'My data' }).click();
  await context.setOffline(false);
  await page.goBack();
  await page.getByText('Your edit is not confirmed yet. Nothing is lost.').waitFor();
  assert.equal(pathOf(page), chat);
  await context.close();
  for (const words of ['canary-said', 'canary-drafted']) {
    assert.equal(await isWritten(directory, words), false, `${words} is in the directory of the browser`);
  }
});

test('without consent the browser does not remember what stands in a box for words', async () => {
  const directory = join(house.server.directory, 'boxes');
  const context = await house.onDisk(directory);
  const page = await house.signUpIn(context, 'bob', false);
  const typeAndLeave = async (where) => {
    await own(page, 'first words').getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Edit message').fill(`canary-edited-${where}`);
    await page.getByLabel('Say something').fill(`canary-begun-${where}`);
    // With the page that is left, browsers write down what its boxes hold.
    await page.goto(house.base);
    await page.getByRole('heading', { name: 'Worlds', exact: true }).waitFor();
  };
  await makeWorld(page);
  await say(page, 'first words');
  await typeAndLeave('world');
  await openSession(page);
  await tellExpert(page, 'first words');
  await typeAndLeave('session');
  await context.close();
  assert.ok(await isWritten(directory, '/sessions/'), 'it does write down which pages were left');
  assert.equal(await isWritten(directory, 'canary-'), false);
});

test('an edit that storage refuses removes nothing and is seen among the failed ones', async () => {
  const page = await house.signUp('cem');
  await makeWorld(page);
  await say(page, 'first words');
  await edit(page, 'first words', 'second words');
  const disk = await fullDisk(house.server.process.pid);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('Storage is full. Nothing was changed; tell the operator.').waitFor();
  await own(page, 'first words').waitFor();
  await disk.hasRoom();
  await page.getByText('Failed edits').click();
  await page.getByRole('listitem').getByText('Storage is full. Nothing was changed; tell the operator.').waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await own(page, 'second words').waitFor();
  assert.equal(await own(page, 'first words').count(), 0);
});

test('failed edits that are looked at follow what fails', async () => {
  const page = await house.signUp('cleo');
  await makeWorld(page);
  await say(page, 'first words');
  await page.getByText('Failed edits').click();
  await page.getByText('No edit has failed.').waitFor();
  const refusal = { error: 'Storage is full', code: 'STORAGE_FULL', request_id: 'none' };
  await page.route('**/messages/*', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 507, json: refusal }) : route.fallback(),
  );
  const isLookedAt = page.waitForResponse((response) => response.url().includes('/edit-errors'));
  await edit(page, 'first words', 'second words');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await isLookedAt;
});

/** Lets the writes of a process fail as on a full disk. */
async function fullDisk(pid) {
  const fault = ['-e', 'trace=pwrite64', '-e', 'inject=pwrite64:error=ENOSPC'];
  const sudo = process.getuid() === 0 ? [] : ['sudo', '-n'];
  const [command, ...given] = [...sudo, 'strace', '-f', '-p', String(pid), '-o', '/dev/null', ...fault];
  const tracer = spawn(command, given, { stdio: ['ignore', 'ignore', 'pipe'] });
  const { value } = await createInterface({ input: tracer.stderr })[Symbol.asyncIterator]().next();
  assert.match(value, /attached/);
  return {
    async hasRoom() {
      const ended = once(tracer, 'exit');
      tracer.kill('SIGINT');
      await ended;
    },
  };
}
