import assert from 'node:assert/strict';
import { test } from 'node:test';
import { House, edit, makeWorld, own, quiet, say } from './house.mjs';

const DEMO = ['--model.provider', 'demo'];

async function inHouse(settings, visit) {
  const house = await House.open([...DEMO, ...settings]);
  try {
    await visit(house);
  } finally {
    await house.close();
  }
}

/** Says something, edits it, and waits for the summary. */
async function sayAndEdit(page) {
  await makeWorld(page);
  await say(page, 'first words');
  await edit(page, 'first words', 'second words');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('2 messages forgotten by 1 agent').waitFor();
  await quiet(page);
}

test('where undo is off, the summary does not offer it', async () => {
  await inHouse(['--edit.undo', '0s'], async (house) => {
    const page = await house.signUp('una');
    await sayAndEdit(page);
    await page.getByText('2 messages forgotten by 1 agent').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
  });
});

test('the summary counts the agents that forgot, whoever comes or goes since', async () => {
  await inHouse([], async (house) => {
    const page = await house.signUp('uwe');
    await sayAndEdit(page);
    const agents = `${house.base}/api/worlds/${new URL(page.url()).pathname.split('/')[3]}/agents`;
    const data = { name: 'Newcomer', systemPrompt: 'You are new.' };
    assert.equal((await page.request.post(agents, { data, headers: { origin: house.base } })).status(), 201);
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.getByRole('button', { name: 'Change: Newcomer' }).waitFor();
    await page.getByText('2 messages forgotten by 1 agent').waitFor();
  });
});

test('when the time for it is over, the way back goes by itself', async () => {
  await inHouse(['--edit.undo', '3s'], async (house) => {
    const page = await house.signUp('udo');
    await sayAndEdit(page);
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await page.getByText('2 messages forgotten by 1 agent').waitFor();
  });
});

test('when somebody goes on talking, the way back is closed in every tab', async () => {
  await inHouse([], async (house) => {
    const page = await house.signUp('ute');
    await sayAndEdit(page);
    const other = await house.tab(page.context(), new URL(page.url()).pathname);
    await own(other, 'second words').waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await say(other, 'and further');
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  });
});

test('an undo that comes too late is told, and not offered again', async () => {
  await inHouse([], async (house) => {
    const page = await house.signUp('uli');
    await sayAndEdit(page);
    // Somebody goes on elsewhere, and this tab has not heard of it yet.
    await page.route('**/undo*', async (route) => {
      const { origin, pathname } = new URL(route.request().url());
      const world = pathname.split('/edits/')[0];
      const body = { message: 'from elsewhere', stream: false };
      await page.request.post(origin + world + '/messages', { data: body, headers: { origin } });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Cannot undo: the chat went on since.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
  });
});

test('whoever comes back to a chat, or loads it again, finds the way back', async () => {
  await inHouse([], async (house) => {
    for (const mayKeep of [true, false]) {
      const page = await house.signUp(mayKeep ? 'ulf' : 'ulla', { mayKeep });
      await sayAndEdit(page);
      await page.getByRole('link', { name: 'My data' }).click();
      await page.getByRole('heading', { name: 'My data' }).waitFor();
      await page.goBack();
      await own(page, 'second words').waitFor();
      const undo = page.getByRole('button', { name: 'Undo' });
      await undo.waitFor();
      const written = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
      // Which and how many, and of people without consent not even that.
      assert.doesNotMatch(written, /words/);
      assert.equal(written.includes('editId'), mayKeep);
      if (mayKeep) await page.reload();
      await undo.click();
      await own(page, 'first words').waitFor();
      await undo.waitFor({ state: 'detached' });
      await page.reload();
      await own(page, 'first words').waitFor();
      assert.equal(await undo.count(), 0);
    }
  });
});

test('whoever comes back after somebody went on talking finds no way back', async () => {
  await inHouse([], async (house) => {
    const page = await house.signUp('ugo');
    await sayAndEdit(page);
    const other = await house.tab(page.context(), new URL(page.url()).pathname);
    await page.getByRole('link', { name: 'My data' }).click();
    await page.getByRole('heading', { name: 'My data' }).waitFor();
    await say(other, 'and further');
    await page.goBack();
    await own(page, 'and further').waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  });
});
