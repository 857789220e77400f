import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, edit, makeWorld, openSession, own, quiet, say, tellExpert, until } from './house.mjs';

let house;
before(async () => {
  house = await House.open();
});
after(() => house.close());

/** Whether the end of the log is shown. */
function isAtEnd(page) {
  return page.getByRole('log').evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight < 5);
}

/** A chat that is longer than the window, seen from its beginning. */
async function scrolledUp(page, name) {
  await makeWorld(page, 'Panel');
  for (const number of [1, 2]) await say(page, `line ${number} of ${name}. ${'words '.repeat(40)}`);
  const log = page.getByRole('log');
  await log.hover();
  await until(async () => {
    await page.mouse.wheel(0, -2_000);
    return (await log.evaluate((list) => list.scrollTop)) === 0;
  });
}

for (const width of [1200, 360]) {
  test(`what is said by somebody who reads further up comes into sight, ${width} wide`, async () => {
    const page = await house.signUp(`up${width}`, { viewport: { width, height: 700 } });
    await scrolledUp(page, 'saying');
    await page.getByLabel('Say something').fill('what I say now');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('I heard: “what I say now”').last().waitFor();
    await quiet(page);
    await until(() => isAtEnd(page));
  });

  test(`an edit and its answers come into sight, ${width} wide`, async () => {
    const page = await house.signUp(`edit${width}`, { viewport: { width, height: 700 } });
    await scrolledUp(page, 'editing');
    // What stays fits into the window, so nothing scrolls when the rest goes.
    await edit(page, 'line 1', `line one. ${'again '.repeat(60)}`);
    await page.getByRole('button', { name: 'Remove and send' }).click();
    await own(page, 'line one.').waitFor();
    await quiet(page);
    await page.getByRole('article').last().getByText('I heard: “line one.').waitFor();
    await until(() => isAtEnd(page));
  });
}

test('words that go and come again do not lead away from the end', async () => {
  const page = await house.signUp('again');
  await makeWorld(page);
  await say(page, 'hello');
  // As an answer does that stands in the place of its words, just before the next one begins.
  await page.getByRole('log').evaluate(async (list) => {
    const painted = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
    const words = document.createElement('p');
    const show = (height) => {
      words.style.height = `${height}px`;
      list.firstElementChild.append(words);
    };
    show(list.clientHeight);
    for (let times = 0; times < 3; times += 1) await painted();
    words.remove();
    await null;
    list.getBoundingClientRect();
    show(list.clientHeight + 300);
    for (let times = 0; times < 3; times += 1) await painted();
  });
  assert.equal(await isAtEnd(page), true);
});

test('whoever reads further up stays there when others speak', async () => {
  const page = await house.signUp('stay', { viewport: { width: 1200, height: 700 } });
  await scrolledUp(page, 'staying');
  const other = await house.tab(page.context(), new URL(page.url()).pathname);
  await say(other, 'said elsewhere');
  await own(page, 'said elsewhere').waitFor();
  await quiet(page);
  assert.equal(await isAtEnd(page), false);
});

/** Whether something is in the part of the log that is shown. */
function isInSight(locator) {
  return locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    const shown = element.closest('[role=log]').getBoundingClientRect();
    return top >= shown.top - 1 && bottom <= shown.bottom + 1;
  });
}

test('a session shows its end, and an edit further up that failed', async () => {
  const page = await house.signUp('session', { viewport: { width: 1000, height: 600 } });
  await openSession(page);
  for (const number of [1, 2, 3]) {
    await tellExpert(page, `line ${number}. ${'words '.repeat(60)}`);
    await until(() => isAtEnd(page));
  }
  await page.context().setOffline(true);
  await edit(page, 'line 1', 'changed');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('The server cannot be reached.').waitFor();
  await until(() => isInSight(page.locator('.words', { hasText: 'changed' })));
  assert.equal(await isAtEnd(page), false);
  await page.context().setOffline(false);
});

test('the switch of session mode shows what is, not what was clicked', async () => {
  const page = await house.signUp('mode');
  await makeWorld(page);
  await say(page, 'hello');
  const box = page.getByLabel('Session mode');
  await page.context().setOffline(true);
  await box.click();
  await page.getByRole('status').filter({ hasText: 'The server cannot be reached.' }).waitFor();
  assert.equal(await box.isChecked(), true);
  await page.getByLabel('Say something').waitFor();
  await page.context().setOffline(false);
  await box.click();
  await page.getByText('Session mode is off').waitFor();
  assert.equal(await box.isChecked(), false);
  await box.click();
  await page.getByLabel('Say something').waitFor();
  assert.equal(await box.isChecked(), true);
});

test('a long draft can be read whole', async () => {
  const page = await house.signUp('draft', { viewport: { width: 360, height: 740 } });
  await makeWorld(page);
  await say(page, 'hello');
  const lines = Array.from({ length: 30 }, (_, number) => `line number ${number}`).join('\n');
  await edit(page, 'hello', lines);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  const quote = page.getByRole('alert').filter({ hasText: 'not confirmed yet' }).locator('blockquote');
  await quote.waitFor();
  assert.equal(await quote.evaluate((element) => element.innerText), lines);
  // By the keyboard, too.
  await quote.focus();
  await page.keyboard.press('End');
  await until(() => quote.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight < 2));
  await page.getByLabel('Say something').click();
  await page.context().setOffline(false);
});

test('a waiting edit leaves room for the conversation on a small phone', async () => {
  const page = await house.signUp('small', { viewport: { width: 360, height: 640 } });
  await makeWorld(page);
  await say(page, 'hello');
  await edit(page, 'hello', 'hello again');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('2 messages forgotten by 1 agent').waitFor();
  await quiet(page);
  await edit(page, 'hello again', 'many words '.repeat(40));
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('Your edit is not confirmed yet.').waitFor();
  await page.getByText('2 messages forgotten by 1 agent').waitFor();
  const { height } = await page.getByRole('log').boundingBox();
  assert.ok(height >= 120, `the log is ${height} high`);
  for (const place of [page.getByLabel('Say something'), page.getByRole('button', { name: 'Retry' })]) {
    const { y, height } = await place.boundingBox();
    assert.ok(y > 0 && y + height <= 640, `${await place.textContent()} ends at ${y + height}`);
  }
  await page.context().setOffline(false);
});

test('on a small phone a conversation begins early', async () => {
  const page = await house.signUp('early', { viewport: { width: 360, height: 640 } });
  await makeWorld(page);
  const { y } = await page.getByRole('log').boundingBox();
  assert.ok(y < 170, `the log begins at ${y}`);
  // Which chat it is stands there too.
  await page.getByRole('heading', { name: /^New chat \d\d:\d\d$/ }).waitFor();
});

test('whoever presses an Edit that is closed is told why', async () => {
  const page = await house.signUp('closed');
  await makeWorld(page);
  await say(page, 'hello');
  const button = own(page, 'hello').getByRole('button', { name: 'Edit', exact: true });
  await page.getByLabel('Session mode').click();
  await page.getByText('Session mode is off').waitFor();
  assert.equal(await button.getAttribute('title'), 'Enable session mode to edit messages');
  await button.click({ force: true });
  await page.getByRole('status').filter({ hasText: 'Enable session mode to edit messages' }).waitFor();
  assert.equal(await page.getByLabel('Edit message').count(), 0);
});

test('what was said on one screen does not follow to another', async () => {
  const page = await house.signUp('follow');
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByRole('button', { name: 'Erase now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Erase now' }).click();
  await page.getByText('Everything is erased.').waitFor();
  await page.getByRole('link', { name: 'Worlds' }).click();
  await page.getByRole('heading', { name: 'Worlds', exact: true }).waitFor();
  assert.equal(await page.getByText('Everything is erased.').count(), 0);
});

test('edits that failed are told in words', async () => {
  const page = await house.signUp('told');
  await makeWorld(page);
  const error = { id: 'e-1', at: '2026-02-16T10:30:00Z', chatId: 'c', messageId: 'm', code: 'STORAGE_FULL' };
  await page.route('**/edit-errors', (route) => route.fulfill({ json: [error] }));
  await page.getByText('Failed edits').click();
  await page.getByText('Storage is full. Nothing was changed; tell the operator.').waitFor();
  await page.getByRole('combobox').selectOption('ja');
  await page.getByText('ストレージがいっぱいです。').waitFor();
  assert.equal(await page.getByText('STORAGE_FULL').count(), 0);
});

test('what goes wrong at the server is said in the language of the person', async () => {
  const page = await house.signUp('wrong');
  const codes = [
    [500, 'INTERNAL'],
    [503, 'STORAGE_DAMAGED'],
    [408, 'BODY_TOO_SLOW'],
    [422, 'IDEMPOTENCY_KEY_REUSED'],
    [404, 'NOT_FOUND'],
    [400, 'UNKNOWN_EXPERT'],
    [413, 'BODY_TOO_LARGE'],
    [400, 'INVALID_MESSAGE_TYPE'],
  ];
  for (const [language, script] of [['ja', /[\u3040-\u30ff]/], ['es', /\b(el|la|en|de|que|con|este|es|un)\b/i]]) {
    await page.getByRole('combobox').selectOption(language);
    for (const [status, code] of codes) {
      const json = { code, error: 'said in English', message: 'do something', request_id: 'r-1' };
      await page.route('**/api/worlds', (route) => route.fulfill({ status, json }));
      await page.reload();
      const alert = page.getByRole('alert');
      await alert.waitFor();
      const said = await alert.locator('span').first().textContent();
      assert.match(said, script);
      assert.doesNotMatch(said, /English|something/);
      await page.unroute('**/api/worlds');
    }
  }
});
