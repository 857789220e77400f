import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, own, quiet } from './house.mjs';

let house;
before(async () => {
  house = await House.open();
});
after(() => house.close());

/** As many steps as nobody would take. */
const STEPS_MAX = 60;

/** Goes by Tab to something, and nothing else moves the focus. */
async function tabTo(page, place, key = 'Tab') {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    await page.keyboard.press(key);
    if ((await place.and(page.locator(':focus')).count()) === 1) return;
  }
  const at = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
  assert.fail(`${place} cannot be reached; at ${at}`);
}

const hasFocus = (page, place) => place.and(page.locator(':focus')).waitFor();

test('somebody signs up, makes a world, talks, edits and undoes with Tab and Enter alone', async () => {
  const page = await house.tab(await house.visitor());
  const button = (name) => page.getByRole('button', { name, exact: true });
  const press = (key) => page.keyboard.press(key);
  await button('Sign up').waitFor();
  await tabTo(page, button('Sign up'));
  await press('Enter');
  // The form begins before the button that opened it.
  await hasFocus(page, page.getByLabel('Name'));
  await page.keyboard.type('Key Person');
  await press('Tab');
  await hasFocus(page, page.getByLabel('Email'));
  await page.keyboard.type('keys@example.org');
  await press('Tab');
  await hasFocus(page, page.getByLabel('Password'));
  await page.keyboard.type('correct horse');
  const consent = page.getByRole('checkbox', { name: 'Keep my conversations' });
  await press('Tab');
  await hasFocus(page, consent);
  await press('Space');
  assert.equal(await consent.isChecked(), true);
  await press('Tab');
  await hasFocus(page, button('Create account'));
  await press('Enter');

  await page.getByRole('heading', { name: 'Worlds', exact: true }).waitFor();
  await page.getByLabel('One to one').waitFor();
  await tabTo(page, page.getByLabel('One to one'));
  await press('ArrowDown');
  await hasFocus(page, page.getByLabel('Pair'));
  assert.equal(await page.getByLabel('Pair').isChecked(), true);
  await tabTo(page, button('Create'));
  await press('Enter');

  const composer = page.getByLabel('Say something');
  await composer.waitFor();
  await tabTo(page, composer);
  await page.keyboard.type('typed words');
  await press('Enter');
  await own(page, 'typed words').waitFor();
  await quiet(page);
  await hasFocus(page, composer);

  await tabTo(page, own(page, 'typed words').getByRole('button', { name: 'Edit', exact: true }), 'Shift+Tab');
  await press('Enter');
  const editor = page.getByLabel('Edit message');
  await hasFocus(page, editor);
  await press('ControlOrMeta+A');
  await page.keyboard.type('other words');
  await tabTo(page, button('Save'));
  await press('Enter');
  const dialog = page.getByRole('dialog');
  await hasFocus(page, dialog.getByRole('button', { name: 'Cancel' }));
  const confirm = dialog.getByRole('button', { name: 'Remove and send' });
  await confirm.and(page.locator(':enabled')).waitFor();
  await press('Tab');
  await hasFocus(page, confirm);
  await press('Enter');
  await own(page, 'other words').waitFor();
  await hasFocus(page, composer);
  await quiet(page);

  await tabTo(page, button('Undo'), 'Shift+Tab');
  await press('Enter');
  await own(page, 'typed words').waitFor();
  await hasFocus(page, composer);
  await tabTo(page, own(page, 'typed words').getByRole('button', { name: 'Unsend' }), 'Shift+Tab');
  await press('Enter');
  await hasFocus(page, dialog.getByRole('button', { name: 'Cancel' }));
  const unsend = dialog.getByRole('button', { name: 'Unsend' });
  await unsend.and(page.locator(':enabled')).waitFor();
  await press('Tab');
  await press('Enter');
  await page.getByText('Nothing has been said here.').waitFor();
  await hasFocus(page, composer);

  // And what is kept is found and switched off.
  await tabTo(page, page.getByRole('link', { name: 'My data' }), 'Shift+Tab');
  await press('Enter');
  const box = page.getByRole('switch', { name: 'Keep my conversations' });
  await box.waitFor();
  await tabTo(page, box);
  await press('Space');
  await hasFocus(page, dialog.getByRole('button', { name: 'Cancel' }));
  const off = dialog.getByRole('button', { name: 'Switch off' });
  await off.and(page.locator(':enabled')).waitFor();
  await press('Tab');
  await hasFocus(page, off);
  await press('Enter');
  await page.getByText('Your history is hidden and will be erased on').waitFor();
  await tabTo(page, button('Sign out'), 'Shift+Tab');
  await press('Enter');
  await button('Sign in').waitFor();
  // What was seen before is not written over the window any more.
  assert.equal(await page.title(), 'Unsaid');
});

test('on a narrow screen whoever leaves the side by Tab sees where they are', async () => {
  const page = await house.signUp('side', { viewport: { width: 360, height: 740 } });
  await page.getByLabel('Pair').check();
  await page.getByRole('button', { name: 'Create' }).click();
  const composer = page.getByLabel('Say something');
  await composer.waitFor();
  const side = page.locator('details').first();
  await tabTo(page, side.locator('summary').first(), 'Shift+Tab');
  await page.keyboard.press('Enter');
  const add = page.getByRole('button', { name: 'Add agent' });
  await add.waitFor();
  // All of it can be seen, and the conversation keeps its height.
  const log = await page.getByRole('log').boundingBox();
  assert.ok(log.height > 200, `the log is ${log.height} high`);
  const below = await page.getByRole('button', { name: 'Delete world' }).boundingBox();
  assert.ok(below.y + below.height < 740);
  await tabTo(page, add);
  await tabTo(page, composer);
  await add.waitFor({ state: 'hidden' });
  await composer.and(page.locator(':focus')).click();
});

/** Presses Enter as Safari tells of it when it ended a composition: the composition is over already. */
async function endComposition(area) {
  return area.evaluate((element) => {
    const event = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
    Object.defineProperty(event, 'keyCode', { value: 229 });
    element.dispatchEvent(event);
    return event.defaultPrevented;
  });
}

test('an Enter that ends a composition sends nothing, in whatever browser', async () => {
  const link = new URL(await house.server.ownerLink());
  const page = await house.tab(await house.visitor(), link.pathname + link.search);
  await page.getByRole('button', { name: 'Keep my conversations' }).click();
  const writes = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') writes.push(request.url());
  });
  const composer = page.getByLabel('Say something');
  const editor = page.getByLabel('Edit message');
  const composes = async (area, where) => {
    await area.fill('かな');
    writes.length = 0;
    assert.equal(await endComposition(area), false, where);
    assert.equal(await area.inputValue(), 'かな', where);
    assert.deepEqual(writes, [], where);
    assert.equal(await page.getByRole('dialog').count(), 0, where);
  };
  const begins = async (text) => {
    await composer.fill(text);
    await page.keyboard.press('Enter');
    const edit = own(page, text).getByRole('button', { name: 'Edit', exact: true });
    await edit.and(page.locator('[title^="Edit this message"]')).click();
    await editor.waitFor();
  };
  await page.getByRole('button', { name: 'Create' }).click();
  await composer.waitFor();
  await composes(composer, 'chat');
  await begins('in a chat');
  await composes(editor, 'editor of a chat');
  await page.getByRole('link', { name: 'Experts' }).click();
  await page.getByRole('button', { name: /^Start/ }).first().click();
  await composer.waitFor();
  await composes(composer, 'session');
  await begins('in a session');
  await composes(editor, 'editor of a session');
  await page.getByRole('link', { name: 'Admin' }).click();
  await page.getByRole('heading', { name: 'Try the bot without LINE' }).waitFor();
  await composes(composer, 'rehearsal');
});
