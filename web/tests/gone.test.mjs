// What is gone is gone everywhere: from tabs that nobody sees, and from the browser's storage.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, edit, held, makeWorld, own, quiet, say, until } from './house.mjs';

let house;
before(async () => {
  house = await House.open();
});
after(() => house.close());

const pathOf = (page) => new URL(page.url()).pathname;
const stored = (page) => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
/** Waits until all of it is written: what one tab writes others read a little later. */
async function written(page, ...all) {
  await until(async () => {
    const text = await stored(page);
    return all.every((words) => text.includes(words));
  });
}

/** Opens the editor of a message and writes something. */
async function write(page, message, text) {
  await own(page, message).getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Edit message').fill(text);
}

test('what is erased now leaves a tab that nobody sees, with what was begun in it', async () => {
  const page = await house.signUp('ada');
  await makeWorld(page);
  await say(page, 'canary-erased');
  const [editing, looking] = [
    await house.hideable(page.context(), pathOf(page)),
    await house.hideable(page.context(), pathOf(page)),
  ];
  await write(editing, 'canary-erased', 'canary-erased, but longer');
  await editing.getByLabel('Say something').fill('canary-begun');
  await looking.getByRole('button', { name: 'Memory: Companion' }).click();
  await looking.getByRole('dialog').getByText('canary-erased').first().waitFor();
  for (const tab of [editing, looking]) await tab.evaluate(() => window.hide(true));
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByRole('button', { name: 'Erase now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Erase now' }).click();
  for (const tab of [page, editing, looking]) await until(async () => !/canary-/.test(await held(tab)));
  // Whoever looks again finds an empty chat, and can go on.
  await editing.evaluate(() => window.hide(false));
  await editing.getByText('Nothing has been said here.').waitFor();
  await say(editing, 'and further');
  await editing.getByText('I heard: “and further”').waitFor();
});

test('with a chat goes the draft of an edit in it', async () => {
  const page = await house.signUp('bea');
  await makeWorld(page);
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await page.waitForURL(/chats/);
  await page.getByText('Nothing has been said here.').waitFor();
  await say(page, 'first words');
  const other = await house.tab(page.context(), pathOf(page));
  await write(page, 'first words', 'canary-chat');
  await written(page, 'canary-chat');
  await other.getByRole('button', { name: /^Delete chat/ }).first().click();
  await other.getByRole('dialog').getByRole('button', { name: 'Delete chat' }).click();
  for (const tab of [page, other]) await until(async () => !/canary-chat/.test(await held(tab)));
});

test('with a world go the drafts of edits in it, also those of tabs that were closed', async () => {
  const page = await house.signUp('cem');
  await makeWorld(page);
  await say(page, 'first words');
  const closed = await house.tab(page.context(), pathOf(page));
  await write(closed, 'first words', 'canary-world-closed');
  await closed.close();
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await page.waitForURL(/chats/);
  await page.getByText('Nothing has been said here.').waitFor();
  await say(page, 'other words');
  await write(page, 'other words', 'canary-world-open');
  await written(page, 'canary-world-closed', 'canary-world-open');
  await page.getByRole('button', { name: 'Delete world' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete world' }).click();
  await page.getByText('No worlds yet').waitFor();
  assert.doesNotMatch(await held(page), /canary-world/);
});

test('a draft of a tab that was closed goes when what it is about is edited away', async () => {
  const page = await house.signUp('dan');
  await makeWorld(page);
  await say(page, 'first words');
  await say(page, 'other words');
  const closed = await house.tab(page.context(), pathOf(page));
  await write(closed, 'other words', 'canary-closed');
  await closed.close();
  await written(page, 'canary-closed');
  await edit(page, 'first words', 'second words');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await own(page, 'second words').waitFor();
  await quiet(page);
  assert.doesNotMatch(await stored(page), /canary-closed/);
});

test('drafts about what went on another device go when the chat is opened', async () => {
  const page = await house.signUp('eve');
  await makeWorld(page);
  for (const words of ['first words', 'other words', 'third words']) await say(page, words);
  const [path, context] = [pathOf(page), page.context()];
  const tabs = [page, await house.tab(context, path)];
  // Whoever finds a draft when the chat is opened cannot begin another.
  await quiet(tabs[1]);
  for (const [at, words] of ['other words', 'third words'].entries()) await write(tabs[at], words, `canary-device ${at}`);
  for (const tab of tabs) await written(tab, 'canary-device 0', 'canary-device 1');
  for (const tab of tabs) await tab.close();
  const device = await house.visitor();
  await device.request.post(`${house.base}/api/auth/login?cookie=true`, {
    data: { email: 'eve@example.org', password: 'correct horse' },
  });
  const elsewhere = await house.tab(device, path);
  await edit(elsewhere, 'first words', 'something else');
  await elsewhere.getByRole('button', { name: 'Remove and send' }).click();
  await own(elsewhere, 'something else').waitFor();
  const again = await house.tab(context, path);
  await own(again, 'something else').waitFor();
  await until(async () => !/canary-device/.test(await held(again)));
});
