import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, STORYTELLER, edit, held, makeWorld, openSession, own, quiet } from './house.mjs';

let house;
before(async () => {
  house = await House.open(STORYTELLER);
});
after(() => house.close());

/** Lets the model go on with an answer that it holds. */
async function goOn(question) {
  await fetch(`${process.env.MODEL}/go-on`, { method: 'POST', body: question });
}

async function begin(page, text) {
  await page.getByLabel('Say something').fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await own(page, text).waitFor();
}

test('an edit that was cut off is kept, survives a closed tab, and happens once', async () => {
  const page = await house.signUp('ida');
  await makeWorld(page);
  await begin(page, 'first words');
  await quiet(page);
  await edit(page, 'first words', 'second words');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('Your edit is not confirmed yet. Nothing is lost.').waitFor();
  await own(page, 'first words').waitFor();
  const path = new URL(page.url()).pathname;
  const context = page.context();
  await page.close();
  await context.setOffline(false);
  const again = await house.tab(context, path);
  await again.getByText('Your edit is not confirmed yet. Nothing is lost.').waitFor();
  await again.getByRole('button', { name: 'Retry' }).click();
  await own(again, 'second words').waitFor();
  await own(again, 'first words').waitFor({ state: 'detached' });
  await quiet(again);
  assert.doesNotMatch(await held(again), /first words/);
  assert.equal(await again.evaluate(() => Object.keys(localStorage).join()), '');
});

/** Lets the next edit happen, and cuts off its answer. What it said can be asked for. */
async function loseAnswer(page) {
  let calls = 0;
  let said = '';
  await page.route('**/messages/*', async (route) => {
    if (route.request().method() !== 'PUT' || ++calls > 1) return route.continue();
    said = await (await route.fetch()).text();
    return route.abort();
  });
  return { calls: () => calls, editId: () => /"editId":"([^"]+)"/.exec(said)[1] };
}

/** Only the calls themselves tell this tab what happened. */
async function withoutStream(page) {
  await page.route('**/events?*', (route) => route.abort());
  await page.reload();
  await quiet(page);
}

test('an edit that happened although its answer was lost does not happen twice', async () => {
  const page = await house.signUp('jon');
  await makeWorld(page);
  await begin(page, 'first words');
  await quiet(page);
  await withoutStream(page);
  await edit(page, 'first words', 'second words');
  const lost = await loseAnswer(page);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('Your edit is not confirmed yet').waitFor({ state: 'detached' });
  await quiet(page);
  assert.equal(lost.calls(), 2);
  assert.equal(await own(page, 'second words').count(), 1);
  assert.equal(await own(page, 'first words').count(), 0);
});

test('an edit whose answer was lost is confirmed when the stream tells of it', async () => {
  const page = await house.signUp('jan');
  await makeWorld(page);
  await begin(page, 'first words');
  await quiet(page);
  await edit(page, 'first words', 'second words');
  const lost = await loseAnswer(page);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('2 messages forgotten by 1 agent').waitFor();
  await quiet(page);
  await page.getByText('Your edit is not confirmed yet').waitFor({ state: 'detached' });
  assert.equal(lost.calls(), 1);
  assert.equal(await page.evaluate(() => Object.keys(localStorage).join()), '');
});

test('an edit that was undone before it was confirmed says so, and can be made anew', async () => {
  const page = await house.signUp('joy');
  await makeWorld(page);
  await begin(page, 'first words');
  await quiet(page);
  await withoutStream(page);
  await edit(page, 'first words', 'second words');
  const lost = await loseAnswer(page);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  const retry = page.getByRole('button', { name: 'Retry' });
  await retry.waitFor();
  const world = new URL(page.url()).pathname.split('/')[3];
  const undo = `${house.base}/api/worlds/${world}/edits/${lost.editId()}/undo`;
  const answer = await page.request.post(undo, { headers: { origin: house.base } });
  assert.equal(answer.status(), 200);
  await retry.click();
  await page.getByText('This edit was made, and undone or taken back since. Retry makes it anew.').waitFor();
  await own(page, 'first words').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
  await retry.click();
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await own(page, 'second words').waitFor();
  await own(page, 'first words').waitFor({ state: 'detached' });
  await retry.waitFor({ state: 'detached' });
});

test('a server that dies in the middle of an answer comes back, and the page goes on', async () => {
  const page = await house.signUp('kim');
  await makeWorld(page);
  await begin(page, 'slowly, kim');
  const half = await page.getByText('begins:').textContent();
  const button = own(page, 'slowly, kim').getByRole('button', { name: 'Edit', exact: true });
  assert.equal(await button.getAttribute('title'), 'Agents responding…');
  await house.server.kill();
  await page.getByText('Connection lost. Trying again…').waitFor();
  await house.server.startAgain();
  await page.getByText('Connection lost. Trying again…').waitFor({ state: 'detached' });
  // What was begun before does not stand beside what is begun anew.
  await page.getByText(half).waitFor({ state: 'detached' });
  await page.getByText('begins:').waitFor();
  await goOn('slowly, kim');
  await page.getByText(/ ends$/).waitFor();
  await quiet(page);
  assert.equal(await own(page, 'slowly, kim').count(), 1);
});

test('a server that dies in the middle of a session leaves half an answer, which says so', async () => {
  const page = await house.signUp('kai');
  await openSession(page);
  await begin(page, 'slowly, kai');
  const answers = page.getByRole('article').filter({ hasText: 'begins:' });
  await answers.waitFor();
  await house.server.kill();
  await page.getByText('Broken off. Nothing of this answer is kept.').waitFor();
  await house.server.startAgain();
  await goOn('slowly, kai');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText(/begins: .*slowly, kai.* ends$/).waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  assert.equal(await answers.count(), 1);
  assert.equal(await page.getByText('Broken off.').count(), 0);
  await own(page, 'slowly, kai').getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Edit message').fill('number one');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByText('Remove 2 messages?').waitFor();
});

test('who was not looking when an answer was stopped does not see half of it for ever', async () => {
  const page = await house.signUp('kay');
  await makeWorld(page);
  const hidden = await house.hideable(page.context(), new URL(page.url()).pathname);
  await hidden.getByText('Nothing has been said here.').waitFor();
  await begin(page, 'slowly, kay');
  for (const tab of [page, hidden]) await tab.getByText('begins:').waitFor();
  await hidden.evaluate(() => window.hide(true));
  await page.getByRole('button', { name: 'Stop' }).click();
  await quiet(page);
  await hidden.evaluate(() => window.hide(false));
  await hidden.getByText('begins:').waitFor({ state: 'detached' });
  await quiet(hidden);
});

test('stopping ends the round, and is no failure', async () => {
  const page = await house.signUp('lea');
  await makeWorld(page);
  const other = await house.tab(page.context(), new URL(page.url()).pathname);
  await begin(page, 'slowly, lea');
  for (const tab of [page, other]) await tab.getByText('begins:').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  for (const tab of [page, other]) {
    await quiet(tab);
    await tab.getByText('begins:').waitFor({ state: 'detached' });
    assert.equal(await tab.getByText('could not answer').count(), 0);
  }
});

/** Holds the stream of an edit after its first event, which says what was removed. */
async function holdEdits(page) {
  await page.addInitScript(() => {
    const plain = window.fetch;
    const isLetGo = new Promise((go) => (window.letGo = go));
    window.fetch = async (...asked) => {
      const response = await plain(...asked);
      if (!(asked[0] instanceof Request) || asked[0].method !== 'PUT') return response;
      let rest = '';
      const gate = new TransformStream({
        async transform(chunk, controller) {
          rest += new TextDecoder().decode(chunk);
          const end = rest.indexOf('\n\n');
          if (end < 0) return;
          controller.enqueue(new TextEncoder().encode(rest.slice(0, end + 2)));
          await isLetGo;
          controller.enqueue(new TextEncoder().encode(rest.slice(end + 2)));
          rest = '';
        },
      });
      const { status, headers } = response;
      return new Response(response.body.pipeThrough(gate), { status, headers });
    };
  });
  await page.reload();
}

test('an edit says what is going on, step by step', async () => {
  const page = await house.signUp('mia');
  await makeWorld(page);
  await begin(page, 'first words');
  await quiet(page);
  await holdEdits(page);
  // Only the stream of the edit itself tells: the other one would be faster.
  await page.route('**/events?*', (route) => route.abort());
  await page.reload();
  await quiet(page);
  await edit(page, 'first words', 'slowly, mia');
  let send;
  const held = new Promise((go) => (send = go));
  await page.route('**/messages/*', async (route) => {
    if (route.request().method() === 'PUT') await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('Removing messages…').waitFor();
  send();
  await page.getByText('Sending edited message…').waitFor();
  await page.evaluate(() => window.letGo());
  await page.unroute('**/events?*');
  await page.getByRole('status').getByText('Agents responding…').waitFor();
  await goOn('slowly, mia');
  await page.getByText(/ ends$/).waitFor();
});

test('an edit whose server dies in the middle of it is retried, and happens once', async () => {
  const page = await house.signUp('noa');
  await makeWorld(page);
  await begin(page, 'first words');
  await quiet(page);
  await holdEdits(page);
  await page.route('**/events?*', (route) => route.abort());
  await page.reload();
  await quiet(page);
  await edit(page, 'first words', 'second words');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('Sending edited message…').waitFor();
  await house.server.kill();
  await page.evaluate(() => window.letGo());
  await page.unroute('**/events?*');
  await house.server.startAgain();
  const isThere = own(page, 'second words');
  // Somebody tries again, unless the page has seen by itself that it had happened.
  await Promise.any([page.getByRole('button', { name: 'Retry' }).click(), isThere.waitFor()]);
  await isThere.waitFor();
  await quiet(page);
  assert.equal(await own(page, 'second words').count(), 1);
  assert.equal(await own(page, 'first words').count(), 0);
  assert.equal(await page.getByText('Your edit is not confirmed yet').count(), 0);
});

test('an edit that was made is over, though its server dies before the answer', async () => {
  const page = await house.signUp('rio');
  await makeWorld(page);
  await begin(page, 'first words');
  await quiet(page);
  // Only the stream of the edit itself tells, so it is heard until it breaks.
  await page.route('**/events?*', (route) => route.abort());
  await page.reload();
  await quiet(page);
  await edit(page, 'first words', 'slowly, rio');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await own(page, 'slowly, rio').waitFor();
  const half = await page.getByText('begins:').textContent();
  await house.server.kill();
  await page.unroute('**/events?*');
  await house.server.startAgain();
  await page.getByText(half).waitFor({ state: 'detached' });
  await page.getByText('begins:').waitFor();
  await goOn('slowly, rio');
  await page.getByText(/ ends$/).waitFor();
  await quiet(page);
  assert.equal(await page.getByText('Your edit is not confirmed yet').count(), 0);
});

test('words that were not sent can be sent again, once', async () => {
  const page = await house.signUp('ole');
  await makeWorld(page);
  await page.getByText('Nothing has been said here.').waitFor();
  await page.context().setOffline(true);
  await page.getByLabel('Say something').fill('are you there?');
  await page.getByRole('button', { name: 'Send', exact: true }).dblclick();
  await page.getByText('The server cannot be reached.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Retry' }).click();
  await own(page, 'are you there?').waitFor();
  await quiet(page);
  assert.equal(await own(page, 'are you there?').count(), 1);
});

test('every agent that could not answer is named, with what to do, and the words stand', async () => {
  const page = await house.signUp('pam');
  await makeWorld(page, 'Panel');
  await begin(page, 'fail at once, pam');
  const why = 'The model does not answer. Say it again in a moment.';
  for (const name of ['Companion', 'Helper', 'Counsellor']) await page.getByText(`${name} could not answer. ${why}`).waitFor();
  await quiet(page);
  assert.equal(await page.getByText('could not answer').count(), 3);
  await begin(page, 'now it works');
  await page.getByText('could not answer').first().waitFor({ state: 'detached' });
  await own(page, 'fail at once, pam').waitFor();
});
