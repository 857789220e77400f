import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, edit, held, hold, makeWorld, own, quiet, say, until } from './house.mjs';

let house;
before(async () => {
  house = await House.open();
});
after(() => house.close());

const pathOf = (page) => new URL(page.url()).pathname;

/** Says something without a page. */
async function tell(page, text) {
  const world = pathOf(page).split('/')[3];
  const body = { message: text, stream: false };
  const call = { data: body, headers: { origin: house.base } };
  const answer = await page.request.post(`${house.base}/api/worlds/${world}/messages`, call);
  assert.equal(answer.status(), 200);
}

/** Whether a call reads the newest page of a chat. */
const readsNewest = (request) => /\/chats\/[^/]+\/messages\?(?!.*before=)/.test(request.url());

/** What the person said, in the order in which it is shown. */
const ownWords = (page) => page.locator('article .words').allTextContents();

/** Scrolls up until the first thing that was said is there. */
async function toTheBeginning(page) {
  await until(async () => {
    await page.getByRole('log').evaluate((log) => (log.scrollTop = 0));
    return (await ownWords(page))[0] === 'line 0.';
  });
}

test('a reading that comes late does not bring back what was edited away', async () => {
  const page = await house.signUp('ada');
  await makeWorld(page);
  for (const words of ['keep this', 'canary-late', 'third']) await say(page, words);
  const other = await house.tab(page.context(), pathOf(page));
  await quiet(other);
  await edit(page, 'third', 'fourth');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await quiet(page);
  await own(other, 'fourth').waitFor();
  await quiet(other);
  const reading = await hold(other, readsNewest);
  await page.getByRole('button', { name: 'Undo' }).click();
  await own(page, 'third').waitFor();
  await reading.isMade();
  await edit(page, 'canary-late', 'something else');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await own(other, 'something else').waitFor();
  const isReadAgain = other.waitForResponse((response) => readsNewest(response.request()));
  reading.letGo();
  await isReadAgain;
  await quiet(other);
  await until(async () => (await ownWords(other)).join() === 'keep this,something else');
  assert.doesNotMatch(await held(other), /canary-late/);
});

/** Holds the stream of a chat from the next load on, until `window.letGo` is called. */
async function holdEvents(page) {
  await page.addInitScript(() => {
    const plain = window.fetch;
    const isLetGo = new Promise((go) => (window.letGo = go));
    window.fetch = async (...asked) => {
      const response = await plain(...asked);
      if (!String(asked[0]).includes('/events?')) return response;
      const gate = new TransformStream({
        async transform(chunk, controller) {
          await isLetGo;
          controller.enqueue(chunk);
        },
      });
      const { status, headers } = response;
      return new Response(response.body.pipeThrough(gate), { status, headers });
    };
  });
  // Who asks whether agents are at it is answered when they are not.
  await page.route('**/status?*', async (route) => {
    let response;
    do response = await route.fetch();
    while ((await response.json()).isProcessing);
    await route.fulfill({ response });
  });
  await page.reload();
}

test('a stream that comes late does not bring back what was edited away, nor take the way back', async () => {
  const page = await house.signUp('al');
  await makeWorld(page);
  await holdEvents(page);
  await page.getByText('Nothing has been said here.').waitFor();
  await say(page, 'canary-edited');
  await edit(page, 'canary-edited', 'something else');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await own(page, 'something else').waitFor();
  await quiet(page);
  await page.evaluate(() => window.letGo());
  await page.getByText('I heard: “something else”').waitFor();
  await until(async () => !/canary-edited/.test(await held(page)));
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  // Nothing else is under way that could.
  await say(page, 'and further');
  await page.getByText('I heard: “and further”').waitFor();
  assert.deepEqual(await ownWords(page), ['something else', 'and further']);
  assert.doesNotMatch(await held(page), /canary-edited/);
});

test('an earlier page and a reading that is under way leave the order as it is', async () => {
  const page = await house.signUp('bo');
  await makeWorld(page);
  for (let number = 0; number < 80; number += 1) await tell(page, `line ${number}.`);
  await page.reload();
  await own(page, 'line 79.').waitFor();
  await quiet(page);
  const shown = await page.getByRole('article').count();
  await edit(page, 'line 79.', 'something else');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('I heard: “something else”').waitFor();
  await quiet(page);
  const reading = await hold(page, readsNewest);
  await page.getByRole('button', { name: 'Undo' }).click();
  await reading.isMade();
  let isAsked = false;
  page.on('request', (request) => (isAsked ||= request.url().includes('before=')));
  await page.getByRole('log').evaluate((log) => (log.scrollTop = 0));
  // It waits for the reading; one that does not is to come before it.
  await page.locator('button:disabled', { hasText: 'Earlier messages' }).or(own(page, 'line 40.')).first().waitFor();
  if (isAsked) await own(page, 'line 40.').waitFor();
  reading.letGo();
  await until(async () => (await page.getByRole('article').count()) > shown);
  await toTheBeginning(page);
  assert.deepEqual(await ownWords(page), Array.from({ length: 80 }, (_, number) => `line ${number}.`));
});

test('a draft stays when its message leaves the pages that are shown', async () => {
  const page = await house.signUp('cy');
  await makeWorld(page);
  for (let number = 0; number < 30; number += 1) await tell(page, `line ${number}.`);
  await page.reload();
  await quiet(page);
  const editing = await house.hideable(page.context(), pathOf(page));
  await quiet(editing);
  await toTheBeginning(editing);
  await own(editing, 'line 0.').getByRole('button', { name: 'Edit', exact: true }).click();
  await editing.getByLabel('Edit message').fill('a long and careful draft');
  // Without a stream only the newest messages are read, and they are others by then.
  await editing.route('**/events?*', (route) => route.abort());
  await editing.evaluate(() => window.hide(true));
  await editing.evaluate(() => window.hide(false));
  await editing.getByText('Connection lost. Trying again…').waitFor();
  // The other tab tells of every message; were each of them read, the pages would meet.
  const reading = await hold(editing, readsNewest);
  for (let number = 30; number < 90; number += 1) await tell(page, `line ${number}.`);
  await reading.isMade();
  const inItsMessage = editing.getByRole('article').getByLabel('Edit message');
  assert.equal(await inItsMessage.count(), 1);
  const isLookedFor = editing.waitForResponse((response) => response.url().includes('/count?'));
  reading.letGo();
  await inItsMessage.waitFor({ state: 'detached' });
  assert.equal((await isLookedFor).status(), 200);
  // What follows from that has followed when something later is read.
  await say(page, 'from elsewhere');
  await own(editing, 'from elsewhere').waitFor();
  assert.equal(await editing.getByLabel('Edit message').inputValue(), 'a long and careful draft');
  // When it is truly gone, so is the draft.
  await toTheBeginning(page);
  await own(page, 'line 0.').getByRole('button', { name: 'Unsend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unsend' }).click();
  await editing.getByLabel('Edit message').waitFor({ state: 'detached' });
  assert.doesNotMatch(await held(editing), /a long and careful draft/);
});

test('an edit that is left while the server counts asks nothing', async () => {
  const page = await house.signUp('di');
  await makeWorld(page);
  await say(page, 'first words');
  await say(page, 'canary-left');
  const other = await house.tab(page.context(), pathOf(page));
  await quiet(other);
  const counting = await hold(page, (request) => request.url().includes('/count?'));
  await own(page, 'canary-left').getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Edit message').fill('canary-left, but longer');
  await page.keyboard.press('Enter');
  await counting.isMade();
  // It is too late to leave it by hand, but what it is about may go.
  await page.keyboard.press('Escape');
  await page.getByLabel('Edit message').waitFor();
  await own(other, 'canary-left').getByRole('button', { name: 'Unsend' }).click();
  await other.getByRole('dialog').getByRole('button', { name: 'Unsend' }).click();
  await page.getByLabel('Edit message').waitFor({ state: 'detached' });
  const isCounted = page.waitForResponse((response) => response.url().includes('/count?'));
  counting.letGo();
  await isCounted;
  // Another edit can be made, and is the one that is asked about.
  await edit(page, 'first words', 'second words');
  await page.getByRole('dialog').getByText('Editing will restart the conversation').waitFor();
  assert.doesNotMatch(await held(page), /canary-left/);
});

test('the question before an edit says what was counted last', async () => {
  const page = await house.signUp('cora');
  await makeWorld(page);
  await say(page, 'first words');
  await quiet(page);
  await edit(page, 'first words', 'second words');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Remove 2 messages?').waitFor();
  // One count for what is said and one for what is answered; both are made before either is heard.
  const counts = [];
  await page.route('**/count?*', (route) => counts.push(route));
  await tell(page, 'from elsewhere');
  await until(() => counts.length === 2);
  const [first, last] = counts;
  const isHeard = page.waitForResponse(/\/count\?/);
  await first.fulfill({ json: { count: 3, isFirst: true, preview: [] } });
  await isHeard;
  await last.continue();
  await dialog.getByText('Remove 4 messages?').waitFor();
});
