import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isClean } from './axe.mjs';
import { House, edit, makeWorld, openSession, own, quiet, say, tellExpert, until } from './house.mjs';

let house;
before(async () => {
  house = await House.open();
});
after(() => house.close());

// Colours do not depend on the width, nor the layout on the light.
for (const [colorScheme, width] of [['light', 1200], ['dark', 360]]) {
  test(`every screen is clean, ${colorScheme}, ${width} wide`, async () => {
    const viewport = { width, height: 740 };
    const front = await house.tab(await house.visitor({ colorScheme, viewport }));
    await front.getByRole('button', { name: 'Sign in' }).waitFor();
    await isClean(front, 'sign in');
    await front.getByRole('button', { name: 'Sign up' }).click();
    await isClean(front, 'sign up');

    const page = await house.signUp(`${colorScheme}${width}`, { colorScheme, viewport });
    await page.getByRole('button', { name: 'Create' }).waitFor();
    await isClean(page, 'worlds');
    await makeWorld(page, 'Pair');
    await say(page, 'a long word: ' + 'x'.repeat(200));
    await isClean(page, 'chat');
    const side = page.locator('details').first();
    if ((await side.getAttribute('open')) === null) await side.locator('summary').first().click();
    await isClean(page, 'chat with its side');
    await page.getByRole('button', { name: /^Memory/ }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('a long word').first().waitFor();
    await isClean(page, 'memory');
    await dialog.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('dialog').last().getByText('Others still remember it.').waitFor();
    await isClean(page, 'question before clearing a memory');
    await page.getByRole('dialog').last().getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: /^Change/ }).first().click();
    await isClean(page, 'agent');
    await dialog.getByRole('button', { name: 'Remove agent' }).click();
    await dialog.last().getByText('What it said stays').waitFor();
    await isClean(page, 'question before an agent is removed');
    await dialog.last().getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Failed edits').click();
    await page.getByText('No edit has failed.').waitFor();
    await isClean(page, 'failed edits');
    // On a narrow screen the side lies over the conversation.
    if (width < 800) await side.locator('summary').first().click();
    await edit(page, 'a long word', 'short');
    await isClean(page, 'question before an edit');
    await page.getByRole('button', { name: 'Remove and send' }).click();
    await page.getByText('forgotten by 2 agents').waitFor();
    await quiet(page);
    await isClean(page, 'summary of an edit');
    await edit(page, 'short', 'shorter');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Remove and send' }).click();
    await page.getByText('Your edit is not confirmed yet.').waitFor();
    await isClean(page, 'draft');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('link', { name: 'Worlds' }).click();
    await page.getByRole('heading', { name: 'New world' }).waitFor();
    await isClean(page, 'worlds with a world');
    await page.getByRole('link', { name: 'Experts' }).click();
    await page.getByRole('button', { name: /^Start/ }).first().waitFor();
    await isClean(page, 'experts');
    await openSession(page);
    await tellExpert(page, 'hello');
    await isClean(page, 'session');
    await page.getByRole('button', { name: 'Unsend' }).click();
    await isClean(page, 'question before an unsend');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'My data' }).click();
    await page.getByRole('row').nth(1).waitFor();
    await isClean(page, 'my data');
    await page.getByLabel('Keep my conversations').click();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Undo: keep my history' }).waitFor();
    await isClean(page, 'countdown');
  });
}

test('the first screen of the owner and what admins see are clean', async () => {
  const link = new URL(await house.server.ownerLink());
  const page = await house.tab(await house.visitor({ viewport: { width: 360, height: 740 } }), link.pathname + link.search);
  await page.getByRole('button', { name: 'Keep my conversations' }).waitFor();
  await isClean(page, 'owner');
  await page.getByRole('button', { name: 'Do not keep them' }).click();
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByRole('button', { name: 'Erase now' }).click();
  await isClean(page, 'question before erasing');
  await page.getByRole('dialog').getByRole('button', { name: 'Erase now' }).click();
  await page.getByText('Everything is erased.').waitFor();
  await until(async () => (await (await page.request.get(`${house.base}/api/admin/audit`)).json()).audit.length === 1);
  await page.getByRole('link', { name: 'Admin' }).click();
  await page.getByText(/^The chain of/).waitFor();
  await isClean(page, 'admin');
  await page.getByLabel('In a group').check();
  await page.getByLabel('Say something').fill('not now (not for you)');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('The bot stayed silent.').waitFor();
  await isClean(page, 'trying the bot');
  await page.goto(`${house.base}/app/nowhere`);
  await page.getByText('There is nothing here.').waitFor();
  await isClean(page, 'nothing');
});

test('it speaks the language of the browser, and another when asked', async () => {
  for (const [locale, off, signIn] of [
    ['ja', '履歴はオフです', 'サインイン'],
    ['es-MX', 'Historial desactivado', 'Iniciar sesión'],
  ]) {
    const front = await house.tab(await house.visitor({ locale }));
    await front.getByRole('button', { name: signIn, exact: true }).waitFor();
    const page = await house.signUp(`speaks-${locale.slice(0, 2)}`, { mayKeep: false });
    await page.getByRole('combobox').selectOption(locale.slice(0, 2));
    await page.goto(`${house.base}/app/data`);
    await page.getByText(off, { exact: true }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), locale.slice(0, 2));
    await isClean(page, locale);
  }
});

/** What begins or ends beside the screen, also inside of what scrolls. */
async function sticksOut(page) {
  return page.evaluate(() => {
    const isOut = (element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 1 && (right > innerWidth + 1 || left < -1);
    };
    return [...document.querySelectorAll('body *')].filter(isOut).map(({ outerHTML }) => outerHTML.slice(0, 200));
  });
}

for (const width of [1200, 360]) {
  test(`long names and long words stay inside, ${width} wide`, async () => {
    const page = await house.signUp(`long${width}`, { viewport: { width, height: 740 } });
    const isInside = async (screen) => assert.deepEqual(await sticksOut(page), [], screen);
    const dialog = page.getByRole('dialog');
    const openSide = async () => {
      const side = page.locator('details').first();
      if ((await side.getAttribute('open')) === null) await side.locator('summary').first().click();
    };
    await page.getByLabel('Empty').check();
    await page.getByLabel('Name of the world').fill('W'.repeat(100));
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByLabel('Say something').waitFor();
    await openSide();
    for (const letter of ['M', 'Q']) {
      await page.getByRole('button', { name: 'Add agent' }).click();
      await dialog.getByLabel('Name').fill(letter.repeat(90));
      await dialog.getByRole('button', { name: 'Add agent' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await page.getByText('Begin with @name to ask one agent only').waitFor();
    await isInside('empty chat');
    await say(page, 'first words');
    await isInside('chat');
    // Where it is narrow, it is closed by whoever goes on to the conversation.
    await openSide();
    await page.getByRole('button', { name: /^Memory/ }).first().click();
    await dialog.getByText('first words').first().waitFor();
    await isInside('memory');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: /^Change/ }).first().click();
    await isInside('agent');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete world' }).click();
    await isInside('question before a world is deleted');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    if (width < 800) await page.locator('details').first().locator('summary').first().click();
    await edit(page, 'first words', 'x'.repeat(300));
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Remove and send' }).click();
    await page.getByText('Your edit is not confirmed yet.').waitFor();
    await isInside('draft');
    await page.context().setOffline(false);
    await page.getByRole('link', { name: 'Worlds' }).click();
    await page.getByRole('heading', { name: 'New world' }).waitFor();
    await isInside('worlds');
  });
}

test('a window that is made narrow shows the conversation first', async () => {
  const page = await house.signUp('narrow');
  await makeWorld(page);
  const add = page.getByRole('button', { name: 'Add agent' });
  await add.waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await add.waitFor({ state: 'hidden' });
  await page.setViewportSize({ width: 1200, height: 740 });
  await add.waitFor();
});

test('chats of the same name are told apart, and say whether they are kept', async () => {
  const page = await house.signUp('chats');
  await makeWorld(page);
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await page.getByRole('link', { name: /^New chat \d\d:\d\d$/ }).nth(1).waitFor();
  assert.equal(await page.getByRole('listitem').getByRole('img', { name: 'Stored' }).count(), 2);
  await isClean(page, 'two chats');
});

test('a message is said, edited and undone with the keyboard alone', async () => {
  const page = await house.signUp('keys');
  await makeWorld(page);
  await page.getByLabel('Say something').focus();
  await page.keyboard.type('typed words');
  await page.keyboard.press('Enter');
  await own(page, 'typed words').waitFor();
  await quiet(page);
  await own(page, 'typed words').getByRole('button', { name: 'Edit', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Edit message').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('button:focus', { hasText: 'Edit' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByLabel('Edit message').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('other words');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Remove and send' }).and(page.locator(':enabled')).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Remove and send' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await own(page, 'other words').waitFor();
  await page.getByLabel('Say something').and(page.locator(':focus')).waitFor();
  await quiet(page);
  await page.getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  await own(page, 'typed words').waitFor();
});

test('many messages are shown and agreed to with the keyboard, and axe finds nothing', async () => {
  const page = await house.signUp('many', { viewport: { width: 360, height: 740 } });
  await makeWorld(page);
  for (const number of [1, 2, 3, 4, 5, 6]) await say(page, `line ${number}`);
  await edit(page, 'line 1', 'line one');
  await isClean(page, 'question before a long edit');
  await page.keyboard.press('Tab');
  await page.locator('input[type=checkbox]:focus').waitFor();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Remove and send' }).and(page.locator(':enabled')).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Remove and send' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await own(page, 'line one').waitFor();
});

test('the first load is small, and comes from here alone', async () => {
  const page = await house.tab(await house.visitor());
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const bytes = await page.evaluate(() => {
    const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    return loaded.map(({ transferSize }) => transferSize).reduce((sum, size) => sum + size, 0);
  });
  assert.ok(bytes > 10_000 && bytes < 200_000, `${bytes} bytes`);
});
