import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, edit, held, hold, makeWorld, own, quiet, say, until } from './house.mjs';

let house;
before(async () => {
  house = await House.open();
});
after(() => house.close());

test('somebody signs up, makes a world, talks, and sees who heard it', async () => {
  const page = await house.signUp('ana');
  await makeWorld(page, 'Pair');
  await say(page, 'My name is Ana');
  await page.getByText('I heard: “My name is Ana”').waitFor();
  await own(page, 'My name is Ana').getByText('→ Helper, Counsellor').waitFor();
  await page.getByText('Stored', { exact: true }).waitFor();
  await page.reload();
  await own(page, 'My name is Ana').waitFor();
});

test('what was taken back is gone, here and in another tab', async () => {
  const page = await house.signUp('ben');
  await makeWorld(page);
  await say(page, 'canary-unsent');
  const other = await house.tab(page.context(), new URL(page.url()).pathname);
  await own(other, 'canary-unsent').waitFor();
  await own(page, 'canary-unsent').getByRole('button', { name: 'Unsend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unsend' }).click();
  for (const tab of [page, other]) {
    await tab.getByText('Nothing has been said here.').waitFor();
    assert.doesNotMatch(await held(tab), /canary-unsent/);
  }
});

test('an edit asks, forgets for every agent, and can be undone; another tab sees it all', async () => {
  const page = await house.signUp('cleo');
  await makeWorld(page, 'Panel');
  await say(page, 'canary-edited');
  const other = await house.tab(page.context(), new URL(page.url()).pathname);
  await own(other, 'canary-edited').waitFor();
  await edit(page, 'canary-edited', 'something else');
  await page.getByText('This is the first message. Editing will restart the conversation. Remove 4 messages?').waitFor();
  // Clicking twice does nothing twice.
  await page.getByRole('button', { name: 'Remove and send' }).dblclick();
  for (const tab of [page, other]) {
    await tab.getByText('4 messages forgotten by 3 agents').waitFor();
    await own(tab, 'something else').waitFor();
    await quiet(tab);
    assert.equal(await own(tab, 'something else').count(), 1);
    assert.doesNotMatch(await held(tab), /canary-edited/);
  }
  await page.getByRole('button', { name: 'Undo' }).click();
  for (const tab of [page, other]) {
    await own(tab, 'canary-edited').waitFor();
    await own(tab, 'something else').waitFor({ state: 'detached' });
  }
});

/** Edits what was said first, and finds that each step could be read. */
async function readSteps(page) {
  await page.evaluate(() => {
    window.said = [];
    const read = () => {
      const now = document.querySelector('.below [role=status]').innerText.split('\n')[0].replace(/ \(.*/, '');
      if (now !== window.said.at(-1)) window.said.push(now);
    };
    new MutationObserver(read).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
  await edit(page, 'first words', 'second words');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await own(page, 'second words').waitFor();
  await quiet(page);
  const said = () => page.evaluate(() => window.said);
  await until(async () => (await said()).length > 1 && (await said()).at(-1) === '');
  assert.deepEqual(await said(), ['', 'Removing messages…', 'Sending edited message…', 'Agents responding…', '']);
}

test('each step of an edit can be read, however quickly it is made', async () => {
  const page = await house.signUp('cora');
  await makeWorld(page);
  await say(page, 'first words');
  await readSteps(page);
});

test('each step of an edit can be read also if all of it is heard at once', async () => {
  const page = await house.signUp('carl');
  await makeWorld(page);
  await say(page, 'first words');
  const put = await hold(page, (request) => request.method() === 'PUT');
  const isRead = readSteps(page);
  await put.isMade();
  put.letGo();
  await isRead;
});

test('the second click of two makes no second chat', async () => {
  const page = await house.signUp('doro');
  await makeWorld(page);
  const button = page.getByRole('button', { name: 'New chat', exact: true });
  const isMade = () => page.waitForResponse((response) => response.request().method() === 'POST');
  for (const count of [2, 3]) {
    const made = isMade();
    await button.click();
    await made;
    await page.getByRole('link', { name: /^New chat/ }).nth(count - 1).waitFor();
    await button.hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
  }
  await button.click();
  await page.getByRole('link', { name: /^New chat/ }).nth(3).waitFor();
  assert.equal(await page.getByRole('link', { name: /^New chat/ }).count(), 4);
});

/** Presses two buttons of the page as fast as fingers do, the second where the first one opened something. */
const pressTwice = (page, first, second) =>
  page.evaluate(
    async ([one, other]) => {
      document.querySelector(one).focus();
      document.querySelector(one).click();
      await new Promise((go) => setTimeout(go, 120));
      document.querySelector(other).click();
    },
    [first, second],
  );

test('a double click, a held key or a key pressed twice does not answer a question', async () => {
  const page = await house.signUp('dan', { viewport: { width: 360, height: 640 } });
  await makeWorld(page);
  await say(page, 'first words');
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Unsend' });
  const cancel = dialog.getByRole('button', { name: 'Cancel' });
  await pressTwice(page, 'button[title^="Take back"]', 'dialog button[type=submit]');
  await confirm.and(page.locator(':enabled')).waitFor();
  // Cancel has the focus, and whoever cancels is back where they were.
  await cancel.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await own(page, 'first words').getByRole('button', { name: 'Unsend' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.down('Enter');
  await dialog.waitFor();
  await page.keyboard.down('Enter');
  await confirm.and(page.locator(':enabled')).waitFor();
  for (const _ of 'held') await page.keyboard.down('Enter');
  await confirm.focus();
  for (const _ of 'held') await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await cancel.click();
  await own(page, 'first words').getByRole('button', { name: 'Edit', exact: true }).focus();
  // Opened by a key that is held down.
  await page.keyboard.down('Enter');
  await page.getByLabel('Edit message').and(page.locator(':focus')).waitFor();
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await page.keyboard.type(', and more');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  // On a slow machine the second one comes late, and cancels.
  await page.reload();
  await page.getByText('You have an edit that was not sent.').waitFor();
  await own(page, 'first words').waitFor();
});

test('the focus goes on when what had it is gone', async () => {
  const page = await house.signUp('fay');
  await makeWorld(page);
  await say(page, 'first words');
  const dialog = page.getByRole('dialog');
  const composer = page.getByLabel('Say something').and(page.locator(':focus'));
  const button = (name) => own(page, 'words').getByRole('button', { name, exact: true });
  await button('Edit').click();
  const area = page.getByLabel('Edit message').and(page.locator(':focus'));
  await area.fill('second words');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await area.waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Remove and send' }).click();
  await own(page, 'second words').waitFor();
  await composer.waitFor();
  await quiet(page);
  await page.getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  await own(page, 'first words').waitFor();
  await composer.waitFor();
  await button('Unsend').focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Unsend' }).and(page.locator(':enabled')).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Nothing has been said here.').waitFor();
  await composer.waitFor();
});

test('a later message says how many go, and many are shown and agreed to', async () => {
  const page = await house.signUp('dora');
  await makeWorld(page);
  for (const number of [1, 2, 3, 4, 5, 6, 7]) await say(page, `line ${number}`);
  await edit(page, 'line 7', 'line seven');
  await page.getByText('This will remove 2 messages (including this one). Continue?').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).last().click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await edit(page, 'line 2', 'line two');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This will remove 12 messages').waitFor();
  assert.equal(await dialog.getByRole('listitem').count(), 10);
  const confirm = dialog.getByRole('button', { name: 'Remove and send' });
  assert.equal(await confirm.isDisabled(), true);
  await dialog.getByLabel('Yes, forget 12 messages').check();
  await confirm.click();
  await page.getByText('12 messages forgotten by 1 agent').waitFor();
  await own(page, 'line two').waitFor();
});

test('with session mode off nothing is said or edited, and the button says why', async () => {
  const page = await house.signUp('eva');
  await makeWorld(page);
  await say(page, 'hello');
  await page.getByLabel('Session mode').click();
  await page.getByText('Session mode is off').waitFor();
  const button = own(page, 'hello').getByRole('button', { name: 'Edit', exact: true });
  assert.equal(await button.getAttribute('title'), 'Enable session mode to edit messages');
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByLabel('Say something').waitFor();
});

test('a session with an expert streams, and is found among past sessions', async () => {
  const page = await house.signUp('finn');
  await page.getByRole('link', { name: 'Experts' }).click();
  await page.getByRole('button', { name: /^Start/ }).first().click();
  await page.getByLabel('Say something').fill('hello expert');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('I heard: “hello expert”').waitFor();
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByRole('region').or(page.locator('section')).getByText('hello expert').first().waitFor();
});

test('worlds, chats and agents are made, changed and deleted, once each', async () => {
  const page = await house.signUp('gus');
  await page.getByLabel('Empty').check();
  await page.getByLabel('Name of the world').fill('A room');
  await page.getByRole('button', { name: 'Create' }).dblclick();
  await page.getByRole('heading', { name: 'A room' }).waitFor();
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Add agent' }).click();
  await dialog.getByLabel('Name').fill('Bo');
  await dialog.getByRole('button', { name: 'Add agent' }).dblclick();
  await page.getByText('@bo').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Add agent' }).click();
  await dialog.getByLabel('Name').fill('Bo');
  await dialog.getByRole('button', { name: 'Add agent' }).click();
  await dialog.getByText('An agent of this name exists. Choose another name.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await say(page, 'for Bo to forget');
  await page.getByRole('button', { name: 'Memory: Bo' }).click();
  await dialog.getByText('for Bo to forget').first().waitFor();
  await dialog.getByRole('button', { name: 'Clear' }).click();
  await dialog.last().getByRole('button', { name: 'Clear' }).last().click();
  await dialog.getByText('Nothing.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Change: Bo' }).click();
  await dialog.getByRole('button', { name: 'Remove agent' }).click();
  await dialog.last().getByText('Remove Bo? What it said stays; what it remembers goes.').waitFor();
  await dialog.last().getByRole('button', { name: 'Remove agent' }).last().click();
  await page.getByText('@bo').waitFor({ state: 'detached' });
  await own(page, 'for Bo to forget').waitFor();
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await page.getByText('Nothing has been said here.').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Delete chat/ }).count(), 2);
  await page.getByRole('button', { name: /^Delete chat/ }).first().click();
  await dialog.getByRole('button', { name: 'Delete chat' }).click();
  await own(page, 'for Bo to forget').waitFor();
  await page.getByRole('button', { name: 'Delete world' }).click();
  await dialog.getByText('Delete the world “A room” with its agents and chats? This cannot be undone.').waitFor();
  await dialog.getByRole('button', { name: 'Delete world' }).click();
  await page.getByText('No worlds yet. Begin with one of these:').waitFor();
});

test('what is not there, and what is not allowed, is said in a sentence', async () => {
  const page = await house.signUp('hal');
  await page.goto(`${house.base}/app/worlds/nowhere`);
  await page.getByText('This world is gone.').waitFor();
  await page.goto(`${house.base}/app/sessions/00000000-0000-4000-8000-000000000000`);
  await page.getByText('This session is gone, or history is off.').waitFor();
  await page.goto(house.base);
  await makeWorld(page);
  await page.getByRole('link', { name: 'Worlds' }).click();
  await page.getByLabel('One to one').check();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('A world of this name exists. Choose another name.').waitFor();
});
