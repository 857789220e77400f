import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, STORYTELLER, held, openSession, own, tellExpert } from './house.mjs';

let house;
before(async () => {
  house = await House.open(['--model.provider', 'demo', '--sessions.free', '50', '--sessions.free_minutes', '3']);
});
after(() => house.close());

test('the time of a session runs, and when it is over nothing can be said', async () => {
  const page = await house.signUp('tim');
  await page.clock.install();
  await openSession(page);
  await page.getByText('3 minutes left').waitFor();
  await page.clock.fastForward(61_000);
  await page.getByText('2 minutes left').waitFor();
  await page.clock.fastForward(60_000);
  await page.getByText('1 minute left').waitFor();
  // The server has another clock, and goes on.
  await page.clock.fastForward(61_000);
  await page.getByText('3 minutes left').waitFor();
  await page.getByLabel('Say something').waitFor();
  // Now it is over there, too.
  await page.route('**/api/sessions/*', async (route) => {
    const response = await route.fetch();
    return route.fulfill({ response, json: { ...(await response.json()), status: 'expired', remaining_seconds: 0 } });
  });
  await page.clock.fastForward(181_000);
  await page.getByText('This session is over.').waitFor();
  assert.equal(await page.getByLabel('Say something').count(), 0);
  assert.equal(await page.getByText(/minutes? left/).count(), 0);
  await page.getByRole('link', { name: 'Start a new session' }).click();
  await page.getByRole('button', { name: /^Start/ }).first().waitFor();
});

test('a session that ended elsewhere says so, and what was not sent can only be thrown away', async () => {
  const page = await house.signUp('toni');
  await openSession(page);
  await tellExpert(page, 'hello');
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const headers = { origin: house.base };
  const ended = await page.request.post(`${house.base}/api/sessions/${id}/end`, { headers });
  assert.equal(ended.status(), 200);
  await page.getByLabel('Say something').fill('canary-late');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('The session is over. Start a new one.').waitFor();
  await page.getByText('This session is over.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Retry' }).count(), 0);
  assert.equal(await page.getByLabel('Say something').count(), 0);
  await page.getByRole('button', { name: 'Discard' }).click();
  await own(page, 'canary-late').waitFor({ state: 'detached' });
  assert.equal(await page.getByText('The session is over. Start a new one.').count(), 0);
  await own(page, 'hello').waitFor();
});

/** What a browser writes down. */
const written = (page) => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));

test('without consent a session is as it was left, until a reload', async () => {
  const page = await house.signUp('uma', { mayKeep: false });
  await openSession(page);
  await tellExpert(page, 'canary-left');
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByText('History is off', { exact: true }).waitFor();
  assert.doesNotMatch(await held(page), /canary-left/);
  await page.goBack();
  await own(page, 'canary-left').waitFor();
  await page.getByText('I heard: “canary-left”').waitFor();
  for (const said of await page.getByRole('article').all()) await said.locator('time').waitFor();
  assert.doesNotMatch(await written(page), /canary-left/);
  // It can be edited, and the expert forgets it.
  await own(page, 'canary-left').getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Edit message').fill('number two');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Remove 2 messages?').waitFor();
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('I heard: “number two”').waitFor();
  await tellExpert(page, 'what did I say?');
  assert.doesNotMatch(await held(page), /canary-left/);
  await page.reload();
  await page.getByText('What is said here is not kept.').waitFor();
  assert.equal(await own(page, 'number two').count(), 0);
});

test('what was said without consent does not come back after signing out, erasing or allowing', async () => {
  const page = await house.signUp('ute', { mayKeep: false });
  const leaveAnd = async (work) => {
    await openSession(page);
    await tellExpert(page, 'canary-gone');
    const session = page.url();
    await page.getByRole('link', { name: 'My data' }).click();
    await page.getByText('History is off', { exact: true }).waitFor();
    await work();
    await page.evaluate((url) => {
      history.pushState(null, '', url);
      dispatchEvent(new PopStateEvent('popstate'));
    }, session);
    await page.getByRole('log').waitFor();
    await page.getByText(/Nothing has been said here\.|What is said here is not kept\.|This session is gone/).first().waitFor();
    assert.doesNotMatch(await held(page), /canary-gone/);
  };
  await leaveAnd(async () => {
    await page.getByRole('button', { name: 'Erase now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase now' }).click();
    await page.getByText('Everything is erased.').waitFor();
  });
  await leaveAnd(async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email').fill('ute@example.org');
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'My data' }).waitFor();
  });
  await leaveAnd(async () => {
    await page.getByLabel('Keep my conversations').click();
    await page.getByText('What you say is kept until you take it back.').waitFor();
  });
});

test('an answer goes on while somebody looks at another screen', async () => {
  const teller = await House.open(STORYTELLER);
  try {
    const page = await teller.signUp('udo', { mayKeep: false });
    await openSession(page);
    await page.getByLabel('Say something').fill('slowly, udo');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('begins:').waitFor();
    // Whoever listens hears it once, when it is whole.
    assert.equal(await page.getByRole('article').last().getAttribute('aria-busy'), 'true');
    await page.getByRole('link', { name: 'Worlds' }).click();
    await page.getByRole('heading', { name: 'Worlds', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('begins:').waitFor();
    await page.goBack();
    await fetch(`${process.env.MODEL}/go-on`, { method: 'POST', body: 'slowly, udo' });
    await page.goForward();
    await page.getByText(/begins: .*slowly, udo.* ends/).waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    await page.locator('article[aria-busy=false]').waitFor();
    await own(page, 'slowly, udo').getByRole('button', { name: 'Edit', exact: true }).waitFor();
  } finally {
    await teller.close();
  }
});
