import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, STORYTELLER, held, hold, openSession, own, tellExpert, until } from './house.mjs';

let house;
/** Where the model can be held, and fails when it is told to. */
let teller;
before(async () => {
  house = await House.open();
  teller = await House.open(STORYTELLER);
});
after(async () => {
  await house.close();
  await teller.close();
});

/** Lets an answer go on that waits for it. */
async function goOn(question) {
  await fetch(`${process.env.MODEL}/go-on`, { method: 'POST', body: question });
}

/** Says something to an expert and waits for nothing. */
async function begin(page, text) {
  await page.getByLabel('Say something').fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

/** Edits something that was said to an expert, up to the question. */
async function rewrite(page, text, after) {
  await own(page, text).getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Edit message').fill(after);
  await page.getByRole('button', { name: 'Save' }).click();
  return page.getByRole('dialog');
}

test('an edit in a session asks first, and many are shown and agreed to', async () => {
  const page = await house.signUp('vera');
  await openSession(page);
  for (const number of [1, 2, 3, 4, 5, 6, 7]) await tellExpert(page, `line ${number}`);
  const few = await rewrite(page, 'line 7', 'line seven');
  await few.getByText('This will remove 2 messages (including this one). Continue?').waitFor();
  await few.getByRole('button', { name: 'Remove and send' }).dblclick();
  await page.getByText('I heard: “line seven”').waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  const many = await rewrite(page, 'line 2', 'line two');
  await many.getByText('This will remove 12 messages').waitFor();
  assert.equal(await many.getByRole('listitem').count(), 10);
  const confirm = many.getByRole('button', { name: 'Remove and send' });
  assert.equal(await confirm.isDisabled(), true);
  await many.getByLabel('Yes, forget 12 messages').check();
  await confirm.click();
  await page.getByText('I heard: “line two”').waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  const first = await rewrite(page, 'line 1', 'line one');
  await first.getByText('This is the first message. Editing will restart the conversation. Remove 4 messages?').waitFor();
  await first.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('I heard: “line one”').waitFor();
  assert.doesNotMatch(await held(page), /line 1|line two/);
  await page.reload();
  await own(page, 'line one').waitFor();
  assert.equal(await own(page, 'line').count(), 1);
});

/** Who answers. Until that is known it is just somebody. */
async function expertOf(page) {
  const heading = page.getByRole('heading', { level: 1 }).filter({ hasNotText: /^Expert$/ });
  await heading.waitFor();
  return heading.textContent();
}

test('who answers and whether it is kept are seen after a reload, too', async () => {
  const page = await house.signUp('wim');
  await openSession(page);
  // Clicking twice says it once, and does not stop the answer.
  await page.getByLabel('Say something').fill('hello');
  await page.getByRole('button', { name: 'Send', exact: true }).dblclick();
  await page.getByText('I heard: “hello”').waitFor();
  assert.equal(await own(page, 'hello').count(), 1);
  const name = await expertOf(page);
  await page.reload();
  await own(page, 'hello').waitFor();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  await page.getByText('Stored', { exact: true }).waitFor();
  await page.getByRole('article').filter({ hasText: 'I heard' }).getByText(name, { exact: true }).waitFor();
});

test('an answer that becomes whole while the session is read is shown', async () => {
  const page = await teller.signUp('wade');
  await openSession(page);
  await begin(page, 'slowly, wade');
  await page.getByText(/answer \d+ begins:/).waitFor();
  const reading = await hold(page, (request) => request.url().endsWith('/messages'));
  await page.reload();
  await reading.isMade();
  await goOn('slowly, wade');
  const messages = page.url().replace('/app/', '/api/') + '/messages';
  await until(async () => (await (await page.request.get(messages)).json()).messages.length === 2);
  reading.letGo();
  await page.getByText(/begins: .*slowly, wade.* ends/).waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
});

test('without consent a session says that it is not kept, and shows nothing of it after a reload', async () => {
  const page = await house.signUp('xena', { mayKeep: false });
  await openSession(page);
  const name = await expertOf(page);
  await page.getByText('Not stored: gone when the server restarts').waitFor();
  await tellExpert(page, 'canary-session');
  await page.reload();
  await page.getByText('What is said here is not kept.').waitFor();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  await page.getByText('Not stored: gone when the server restarts').waitFor();
  assert.doesNotMatch(await held(page), /canary-session/);
  await own(page, 'canary-session').waitFor({ state: 'detached' });
  // The expert remembers as long as the session runs.
  await tellExpert(page, 'what did I say?');
  await page.getByText('canary-session').waitFor();
});

test('a link that leads nowhere looks like the text around it', async () => {
  const page = await house.signUp('yann');
  await openSession(page);
  await tellExpert(page, '[nowhere](javascript:alert(1)) [somewhere](https://example.org/)');
  const answer = page.getByRole('article').filter({ hasText: 'I heard' });
  const color = (place) => place.evaluate((element) => getComputedStyle(element).color);
  const text = await color(answer.locator('p').first());
  assert.equal(await color(answer.getByText('nowhere', { exact: true })), text);
  assert.notEqual(await color(answer.getByRole('link', { name: 'somewhere' })), text);
  assert.equal(await answer.getByRole('link').count(), 1);
});

test('a session ends, and a past one is forgotten', async () => {
  const page = await house.signUp('yoko');
  await openSession(page);
  await tellExpert(page, 'canary-past');
  await page.getByRole('button', { name: 'End session' }).click();
  await page.getByText('This session is over.').waitFor();
  assert.equal(await page.getByLabel('Say something').count(), 0);
  await page.getByRole('link', { name: 'Experts' }).click();
  await page.getByText('canary-past').waitFor();
  await page.getByRole('button', { name: 'Forget' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
  await page.getByText('No sessions yet.').waitFor();
  assert.doesNotMatch(await held(page), /canary-past/);
});

test('without consent, too, a message can be edited more than once', async () => {
  const page = await house.signUp('zita', { mayKeep: false });
  await openSession(page);
  await tellExpert(page, 'number one');
  for (const [before, after] of [['number one', 'number two'], ['number two', 'number three']]) {
    const dialog = await rewrite(page, before, after);
    await dialog.getByRole('button', { name: 'Remove and send' }).click();
    await page.getByText(`I heard: “${after}”`).waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    assert.equal(await own(page, before).count(), 0);
  }
});

test('what did not arrive can be sent again or thrown away, and not edited', async () => {
  const page = await house.signUp('adam');
  await openSession(page);
  await page.context().setOffline(true);
  await page.getByLabel('Say something').fill('are you there?');
  await page.getByRole('button', { name: 'Send', exact: true }).dblclick();
  await page.getByText('The server cannot be reached.').waitFor();
  await own(page, 'are you there?').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Edit', exact: true }).count(), 0);
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('I heard: “are you there?”').waitFor();
  assert.equal(await own(page, 'are you there?').count(), 1);
  await own(page, 'are you there?').getByRole('button', { name: 'Edit', exact: true }).waitFor();
  await page.context().setOffline(true);
  await begin(page, 'canary-dropped');
  // It may have arrived: while nobody can be asked to take it back, it is not said to be gone.
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('It may have arrived, and could not be taken back.').waitFor();
  await own(page, 'canary-dropped').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Discard' }).click();
  await own(page, 'canary-dropped').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('button', { name: 'Discard' }).count(), 0);
  assert.doesNotMatch(await held(page), /canary-dropped/);
  await tellExpert(page, 'what did I say?');
  assert.doesNotMatch(await held(page), /canary-dropped/);
});

test('what the model failed to answer is discarded at the server, too', async () => {
  const page = await teller.signUp('bela');
  await openSession(page);
  await begin(page, 'canary-failed: fail at once');
  await page.getByText('The model does not answer.').waitFor();
  await page.getByRole('button', { name: 'Discard' }).dblclick();
  await page.getByText('Nothing has been said here.').waitFor();
  await page.reload();
  await page.getByText('Nothing has been said here.').waitFor();
  await tellExpert(page, 'number one');
  await page.getByText(/begins: .*number one.* ends/).waitFor();
  assert.doesNotMatch(await held(page), /canary-failed/);
});

test('an edit that fails is shown, and discarding it leaves what was said before', async () => {
  const page = await teller.signUp('cora');
  await openSession(page);
  await tellExpert(page, 'number one');
  await page.context().setOffline(true);
  const dialog = await rewrite(page, 'number one', 'number two');
  await dialog.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('The server cannot be reached.').waitFor();
  await page.locator('.words', { hasText: 'number two' }).waitFor();
  await page.locator('.words', { hasText: 'number one' }).waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.locator('.words', { hasText: 'number two' }).waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText(/begins: .*number one.* ends/).waitFor();
  // One that arrived and was not answered is taken back.
  const again = await rewrite(page, 'number one', 'canary-edit: fail at once');
  await again.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('The model does not answer.').waitFor();
  assert.equal(await page.locator('.words').count(), 1);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('Nothing has been said here.').waitFor();
  await page.reload();
  await page.getByText('Nothing has been said here.').waitFor();
});

test('what arrived although nobody heard so is shown once, with its answer', async () => {
  const page = await teller.signUp('dora');
  await openSession(page);
  await page.route('**/api/chat', async (route) => {
    const { origin } = new URL(page.url());
    const headers = { ...(await route.request().allHeaders()), origin };
    // The server has it and has answered; the line is cut before that is heard.
    const answer = await fetch(route.request().url(), { method: 'POST', headers, body: route.request().postData() });
    await answer.text();
    await route.abort('connectionreset');
  });
  await begin(page, 'number one');
  await page.getByText(/begins: .*number one.* ends/).waitFor();
  await own(page, 'number one').getByRole('button', { name: 'Edit', exact: true }).waitFor();
  assert.equal(await page.getByText('The server cannot be reached.').count(), 0);
  assert.equal(await page.getByText('number one').count(), 2);
});

test('whoever tries again what is being answered hears that answer', async () => {
  const page = await teller.signUp('dirk');
  await openSession(page);
  // The server has it; the line is cut before anybody hears so.
  const answers = new AbortController();
  await page.route('**/api/**', async (route) => {
    const request = route.request();
    const headers = { ...(await request.allHeaders()), origin: teller.base };
    if (request.method() === 'POST')
      await fetch(request.url(), { method: 'POST', headers, body: request.postData(), signal: answers.signal });
    await route.abort('connectionreset');
  });
  await begin(page, 'slowly, dirk');
  const retry = page.getByRole('button', { name: 'Retry' });
  await retry.waitFor();
  await page.unroute('**/api/**');
  answers.abort();
  const refused = page.waitForResponse((response) => response.status() === 423);
  await retry.click();
  await refused;
  await goOn('slowly, dirk');
  await page.getByText(/begins: .*slowly, dirk.* ends/).waitFor();
  await retry.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('article').count(), 2);
});

test('an answer that is stopped says that it is not kept, and is not counted', async () => {
  const page = await teller.signUp('elsa');
  await openSession(page);
  await begin(page, 'slowly, elsa');
  const half = page.getByRole('article').filter({ hasText: 'begins:' });
  await half.waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Broken off. Nothing of this answer is kept.').waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  const dialog = await rewrite(page, 'slowly, elsa', 'number one');
  await dialog.getByText('Remove 1 message?').waitFor();
  await dialog.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText(/begins: .*number one.* ends/).waitFor();
  assert.equal(await page.getByText('Broken off.').count(), 0);
  assert.equal(await half.count(), 1);
});

test('another tab sees the question at once, the answer as it comes, and what is taken back', async () => {
  const page = await teller.signUp('fred');
  await openSession(page);
  const other = await teller.tab(page.context(), new URL(page.url()).pathname);
  await other.getByText('Nothing has been said here.').waitFor();
  await begin(page, 'slowly, fred');
  await own(other, 'slowly, fred').waitFor();
  await other.getByText(/answer \d+ begins:/).waitFor();
  await goOn('slowly, fred');
  await other.getByText(/begins: .*slowly, fred.* ends/).waitFor();
  await other.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  assert.equal(await other.getByRole('article').count(), 2);
  // Taken back while it is answered: no tab goes on with it.
  await begin(other, 'canary-fred, slowly');
  await own(page, 'canary-fred').waitFor();
  await own(page, 'canary-fred').getByRole('button', { name: 'Unsend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unsend' }).click();
  for (const tab of [page, other]) {
    await own(tab, 'canary-fred').waitFor({ state: 'detached' });
    await tab.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await until(async () => (await tab.getByRole('article').count()) === 2);
    assert.doesNotMatch(await held(tab), /canary-fred/);
  }
});
