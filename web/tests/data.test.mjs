import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isClean } from './axe.mjs';
import { House, edit, makeWorld, own, quiet, say, until } from './house.mjs';

let house;
before(async () => {
  house = await House.open();
});
after(() => house.close());

test('the owner comes in by the link and is asked whether words may be kept', async () => {
  const link = new URL(await house.server.ownerLink());
  const page = await house.tab(await house.visitor(), link.pathname + link.search);
  await page.getByRole('heading', { name: 'Welcome. This installation is yours.' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/');
  await page.getByRole('button', { name: 'Keep my conversations' }).click();
  await page.getByRole('heading', { name: 'Worlds', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Admin' }).click();
  await page.getByText('Nothing has been erased yet.').waitFor();
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByRole('button', { name: 'Erase now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Erase now' }).click();
  await page.getByText('Everything is erased.').waitFor();
  // From here on nothing is readable; the line is written when the bytes are gone.
  await until(async () => (await (await page.request.get(`${house.base}/api/admin/audit`)).json()).audit.length === 1);
  await page.getByRole('link', { name: 'Admin' }).click();
  await page.getByText('The chain of 1 line is whole.').waitFor();
  // Whoever switches off in another browser was asked already.
  const other = await house.visitor({ storageState: { cookies: await page.context().cookies(), origins: [] } });
  const elsewhere = await house.tab(other, '/app/data');
  await elsewhere.getByLabel('Keep my conversations').click();
  await elsewhere.getByRole('button', { name: 'Switch off' }).click();
  await elsewhere.getByText('History is off', { exact: true }).waitFor();
  await elsewhere.reload();
  await elsewhere.getByRole('heading', { name: 'My data' }).waitFor();
});

test('an owner who says no is not asked again', async () => {
  const another = await House.open();
  try {
    const link = new URL(await another.server.ownerLink());
    const page = await another.tab(await another.visitor(), link.pathname + link.search);
    await page.getByRole('button', { name: 'Do not keep them' }).click();
    await page.getByRole('heading', { name: 'Worlds', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Worlds', exact: true }).waitFor();
  } finally {
    await another.close();
  }
});

test('nobody agrees to what they cannot read', async () => {
  const fresh = await House.open();
  try {
    const link = new URL(await fresh.server.ownerLink());
    const context = await fresh.visitor();
    const about = '**/api/about';
    await context.route(about, (route) => route.abort());
    const page = await fresh.tab(context, link.pathname + link.search);
    const keep = page.getByRole('button', { name: 'Keep my conversations' });
    const text = page.getByText('what you say and what is answered is kept until you delete it');
    await page.getByText('The server cannot be reached.').waitFor();
    assert.equal(await keep.isDisabled(), true);
    assert.equal(await text.count(), 0);
    await context.unroute(about);
    await page.getByRole('button', { name: 'Retry' }).click();
    await text.waitFor();
    assert.equal(await page.getByText('The server cannot be reached.').count(), 0);
    await page.getByRole('button', { name: 'Do not keep them' }).click();
    await page.getByRole('heading', { name: 'Worlds', exact: true }).waitFor();

    await context.route(about, (route) => route.abort());
    await page.goto(`${fresh.base}/app/data`);
    const box = page.getByLabel('Keep my conversations');
    await page.getByText('The server cannot be reached.').waitFor();
    assert.equal(await box.isDisabled(), true);
    await context.unroute(about);
    // Whoever comes back does not have to ask.
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await text.waitFor();
    await box.click();
    await page.getByText('What you say is kept until you take it back.').waitFor();
  } finally {
    await fresh.close();
  }
});

test('the box of the sign-up is empty, and says what is kept, how long, and who reads it', async () => {
  for (const [locale, isNew, label, texts] of [
    [
      ...['en-GB', 'Sign up', 'Keep my conversations'],
      [/If you agree, what you say and what is answered is kept until you delete it/, /erased 30 days later/, /If not,.*gone when the server restarts/, /demo, on this machine\. It reads what you say/],
    ],
    [
      ...['ja', '新規登録', '会話を保存する'],
      [/あなたが削除するまで保存されます/, /30日後に消去されます/, /サーバーの再起動で消えます/, /demo が行い、発言の内容を読み取ります/],
    ],
    [
      ...['es', 'Registrarse', 'Guardar mis conversaciones'],
      [/se guarda hasta que lo borres/, /30 días después/, /al reiniciar el servidor/, /demo, en esta misma máquina, y lee lo que dices/],
    ],
  ]) {
    const page = await house.tab(await house.visitor({ locale }));
    await page.getByRole('button', { name: isNew }).click();
    const box = page.getByRole('checkbox', { name: label, exact: true });
    await page.getByText(texts[0]).waitFor();
    assert.equal(await box.isChecked(), false, locale);
    // Whoever listens hears it with the box.
    const described = await box.evaluate((box) => document.getElementById(box.getAttribute('aria-describedby')).innerText);
    for (const text of texts) assert.match(described, text);
  }
});

test('a link that was used or is wrong is explained', async () => {
  for (const [locale, title] of [
    ['en-GB', 'This link does not let anybody in any more.'],
    ['ja', 'このリンクはもう使えません。'],
    ['es', 'Este enlace ya no deja entrar a nadie.'],
  ]) {
    const page = await house.tab(await house.visitor({ locale }));
    const answer = await page.goto(`${house.base}/setup?key=wrong`);
    assert.equal(answer.status(), 403);
    await page.getByRole('heading', { name: title }).waitFor();
  }
  const page = await house.tab(await house.visitor(), '/setup?key=wrong');
  await page.getByText('For a new link, start the server again.').waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  // Programs are told as ever.
  const answer = await fetch(`${house.base}/setup?key=wrong`);
  assert.equal((await answer.json()).code, 'SETUP_LINK_INVALID');
});

test('who never agreed sees no withdrawal and no promise to keep', async () => {
  const page = await house.signUp('nora', { mayKeep: false });
  await page.getByRole('link', { name: 'My data' }).click();
  const lines = page.getByRole('region', { name: 'Consent ledger' }).getByRole('row');
  await lines.nth(1).getByText('Not given').waitFor();
  await lines.nth(1).getByText('Sign-up').waitFor();
  await page.getByText('What you say is not kept.').waitFor();
  await page.getByText('If you agree, what you say and what is answered is kept').waitFor();
  await page.getByLabel('Keep my conversations').click();
  // Whoever agreed is not asked to.
  await page.getByText('If you agree').waitFor({ state: 'detached' });
  await lines.nth(2).getByText('Allowed').waitFor();
  await lines.nth(2).getByText('This page').waitFor();
  await page.getByLabel('Keep my conversations').click();
  await page.getByRole('button', { name: 'Switch off' }).click();
  await lines.nth(3).getByText('Withdrawn').waitFor();
});

test('a short grace is said in its own unit, and when it is over there is no way back', async () => {
  const short = await House.open(['--model.provider', 'demo', '--consent.grace', '5h']);
  try {
    const page = await short.signUp('olga');
    await page.getByRole('link', { name: 'My data' }).click();
    await page.getByText('Everything is hidden at once and erased 5 hours later.').waitFor();
    await page.getByLabel('Keep my conversations').click();
    await page.getByText('erased in 5 hours.').waitFor();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText(/will be erased on \d+ \w+, in 5 hours\./).waitFor();
  } finally {
    await short.close();
  }
  const least = await House.open(['--model.provider', 'demo', '--consent.grace', '1s']);
  try {
    const page = await least.signUp('piet');
    await page.getByRole('link', { name: 'My data' }).click();
    await page.getByText('erased 1 second later.').waitFor();
    await page.getByLabel('Keep my conversations').click();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('What you say is not kept.').waitFor();
    // Nobody does anything, and nothing else is asked.
    await page.getByRole('button', { name: 'Undo: keep my history' }).waitFor({ state: 'detached' });
    await page.getByText('Your history is hidden').waitFor({ state: 'detached' });
  } finally {
    await least.close();
  }
});

test('a notice covers neither the name of a conversation nor its badge', async () => {
  for (const width of [1200, 360]) {
    const page = await house.signUp(`rita${width}`, { viewport: { width, height: 740 } });
    await makeWorld(page);
    const shown = page.locator('main').getByText('Stored', { exact: true });
    const important = [page.getByRole('heading', { name: 'New chat' }), shown, page.getByLabel('Say something')];
    await page.context().setOffline(true);
    if (await page.getByRole('button', { name: 'Delete chat: New chat' }).isHidden()) await page.locator('summary').first().click();
    await page.getByRole('button', { name: 'New chat', exact: true }).click();
    const notice = page.getByRole('status').filter({ hasText: 'The server cannot be reached.' });
    await notice.waitFor();
    const { x, y, width: wide, height } = await notice.boundingBox();
    for (const place of important) {
      const box = await place.boundingBox();
      const isApart = box.x + box.width <= x || x + wide <= box.x || box.y + box.height <= y || y + height <= box.y;
      assert.ok(isApart, `${width}: ${await place.textContent()}`);
    }
    assert.ok(x >= 0 && x + wide <= width && y + height <= 740);
    await page.context().setOffline(false);
  }
});

test('switching off hides at once and counts down; undo brings it back', async () => {
  const page = await house.signUp('gil');
  await makeWorld(page);
  await say(page, 'canary-hidden');
  const chat = page.url();
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByLabel('Keep my conversations').click();
  await page.getByText('Everything kept is hidden at once and erased in 30 days').waitFor();
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('Your history is hidden and will be erased on').waitFor();
  await page.getByText('History is off', { exact: true }).waitFor();
  await page.goto(chat);
  // One badge, of what was said; of what is said now there is a sentence.
  await page.getByText(/^Hidden: erased on \d+ \w+$/).waitFor();
  await page.getByText('What you say now is not stored.').waitFor();
  assert.equal(await page.getByText('Not stored: gone when the server restarts').count(), 0);
  // A chat that began later has nothing to hide; the withdrawal is known to the second.
  await until(async () => {
    const last = page.url();
    await page.getByRole('button', { name: 'New chat', exact: true }).click();
    await page.waitForURL(({ href }) => href !== last);
    return (await page.getByText('Not stored: gone when the server restarts').count()) === 1;
  });
  assert.equal(await page.getByText(/^Hidden: erased on/).count(), 0);
  assert.equal(await own(page, 'canary-hidden').count(), 0);
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByRole('button', { name: 'Undo: keep my history' }).click();
  await page.getByText('Your history is back.').waitFor();
  // Its head, and the three times.
  await page.getByRole('row').nth(3).waitFor();
  assert.equal(await page.getByRole('row').count(), 4);
  await page.goto(chat);
  await own(page, 'canary-hidden').waitFor();
});

test('what was said without consent stays where it was said, marked, and an edit reaches across', async () => {
  const page = await house.signUp('greta', { mayKeep: false });
  await makeWorld(page);
  await say(page, 'canary-unkept');
  const chat = page.url();
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByLabel('Keep my conversations').click();
  await page.getByText('If you agree').waitFor({ state: 'detached' });
  await page.goto(chat);
  await say(page, 'words that are kept');
  const mark = { name: 'Not stored: gone when the server restarts' };
  await own(page, 'canary-unkept').getByRole('img', mark).waitFor();
  assert.equal(await own(page, 'words that are kept').getByRole('img', mark).count(), 0);
  // What was said, and what was answered.
  assert.equal(await page.getByRole('article').getByRole('img', mark).count(), 2);
  assert.deepEqual(await page.locator('.words').allTextContents(), ['canary-unkept', 'words that are kept']);
  await isClean(page, 'a chat of which some is not kept');
  await edit(page, 'canary-unkept', 'said anew');
  await page.getByText('This is the first message. Editing will restart the conversation. Remove 4 messages?').waitFor();
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await own(page, 'said anew').waitFor();
  await quiet(page);
  assert.deepEqual(await page.locator('.words').allTextContents(), ['said anew']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await own(page, 'words that are kept').waitFor();
  await until(async () => (await page.locator('.words').allTextContents()).length === 2);
  await own(page, 'canary-unkept').getByRole('img', mark).waitFor();
});

test('without consent nothing that was written reaches the browser’s storage', async () => {
  const page = await house.signUp('hana', { mayKeep: false });
  await makeWorld(page);
  await page.getByText('Not stored: gone when the server restarts').waitFor();
  await say(page, 'hello');
  await edit(page, 'hello', 'canary-draft');
  const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
  assert.doesNotMatch(await stored(), /canary-draft/);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('Your edit is not confirmed yet. Nothing is lost.').waitFor();
  assert.doesNotMatch(await stored(), /canary-draft/);
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Retry' }).click();
  await own(page, 'canary-draft').waitFor();
});

test('a draft that was written down is unwritten when consent is withdrawn, in whatever tab', async () => {
  const page = await house.signUp('hugo');
  await makeWorld(page);
  await say(page, 'hello');
  await own(page, 'hello').getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Edit message').fill('canary-written');
  const stored = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  await until(async () => /canary-written/.test(await stored()));
  const other = await house.tab(page.context(), '/app/data');
  await other.getByLabel('Keep my conversations').click();
  await other.getByRole('button', { name: 'Switch off' }).click();
  await other.getByText('Your history is hidden and will be erased on').waitFor();
  await until(async () => !/canary-written/.test(await stored()));
  // Whoever allows it again finds nothing of it, either.
  await other.getByRole('button', { name: 'Undo: keep my history' }).click();
  await other.getByText('Your history is back.').waitFor();
  assert.doesNotMatch(await stored(), /canary-written/);
});

test('everything held can be taken along, and an account deleted with its password', async () => {
  const page = await house.signUp('ivo');
  await makeWorld(page);
  await say(page, 'words to take along');
  await page.getByRole('link', { name: 'My data' }).click();
  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export everything' }).click();
  const lines = (await readFile(await (await coming).path(), 'utf8')).trim().split('\n').map((line) => JSON.parse(line));
  assert.ok(lines.some(({ type }) => type === 'person'));
  assert.match(JSON.stringify(lines.filter(({ type }) => type === 'message')), /words to take along/);
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Password').fill('wrong horse');
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await dialog.getByText('The password is wrong.').waitFor();
  await dialog.getByLabel('Password').fill('correct horse');
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Email').fill('ivo@example.org');
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Email or password is wrong.').waitFor();
});

test('an operator’s own notice, grace and closed door are what people see', async () => {
  const notice = join(house.server.directory, 'notice.txt');
  await writeFile(notice, 'We keep letters in a wooden box.\n');
  const set = ['--model.provider', 'demo', '--consent.notice', notice, '--consent.grace', '7d'];
  const own = await House.open(set);
  try {
    const page = await own.tab(await own.visitor());
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByText('We keep letters in a wooden box.').waitFor();
    await page.getByText('Answers come from demo, on this machine. It reads what you say.').waitFor();
    assert.equal(await page.getByText('30 days').count(), 0);
  } finally {
    await own.close();
  }
  const closed = await House.open(['--model.provider', 'demo', '--auth.registration', 'closed']);
  try {
    const page = await closed.tab(await closed.visitor());
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.getByText('The demo model answers.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Sign up' }).count(), 0);
  } finally {
    await closed.close();
  }
});
