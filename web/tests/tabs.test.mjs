import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, edit, held, makeWorld, openSession, own, quiet, say, tellExpert, until } from './house.mjs';

let house;
before(async () => {
  house = await House.open();
});
after(() => house.close());

const pathOf = (page) => new URL(page.url()).pathname;

test('what another tab was editing or looking at goes when it is edited away', async () => {
  const page = await house.signUp('nia');
  await makeWorld(page);
  await say(page, 'canary-elsewhere');
  const editing = await house.tab(page.context(), pathOf(page));
  await own(editing, 'canary-elsewhere').getByRole('button', { name: 'Edit', exact: true }).click();
  await editing.getByLabel('Edit message').fill('canary-elsewhere, but longer');
  const looking = await house.tab(page.context(), pathOf(page));
  await looking.getByRole('button', { name: 'Memory: Companion' }).click();
  await looking.getByRole('dialog').getByText('canary-elsewhere').first().waitFor();

  await edit(page, 'canary-elsewhere', 'something else');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await quiet(page);
  await own(editing, 'something else').waitFor();
  await editing.getByLabel('Edit message').waitFor({ state: 'detached' });
  await looking.getByRole('dialog').getByText('something else').first().waitFor();
  for (const tab of [page, editing, looking]) assert.doesNotMatch(await held(tab), /canary-elsewhere/);
});

test('a question before an edit follows what is said elsewhere, and never more goes than was agreed to', async () => {
  const page = await house.signUp('nick');
  await makeWorld(page);
  await say(page, 'first words');
  const other = await house.tab(page.context(), pathOf(page));
  await own(other, 'first words').waitFor();
  await edit(page, 'first words', 'second words');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Remove 2 messages?').waitFor();
  await say(other, 'from elsewhere');
  await dialog.getByText('Remove 4 messages?').waitFor();
  // Now nothing tells this tab before it confirms.
  await other.close();
  await page.route('**/events?*', (route) => route.abort());
  await page.reload();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Remove 4 messages?').waitFor();
  const [world, chat] = [pathOf(page).split('/')[3], pathOf(page).split('/')[5]];
  const answer = await page.request.post(`${house.base}/api/worlds/${world}/messages`, {
    data: { message: 'from another device', stream: false, ...(chat && { chatId: chat }) },
    headers: { origin: house.base },
  });
  assert.equal(answer.status(), 200);
  let edits = 0;
  page.on('request', (request) => (edits += request.method() === 'PUT' ? 1 : 0));
  await dialog.getByRole('button', { name: 'Remove and send' }).click();
  await dialog.getByText('Remove 6 messages?').waitFor();
  assert.equal(edits, 0);
  await dialog.getByRole('button', { name: 'Remove and send' }).click();
  await own(page, 'second words').waitFor();
  await own(page, 'first words').waitFor({ state: 'detached' });
});

test('session mode that is switched off on another device is seen by whoever says something', async () => {
  const page = await house.signUp('nora');
  await makeWorld(page);
  const answer = await page.request.patch(`${house.base}/api/worlds/${pathOf(page).split('/')[3]}`, {
    data: { currentChatId: null },
    headers: { origin: house.base },
  });
  assert.equal(answer.status(), 200);
  await page.getByLabel('Say something').fill('are you there?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Session mode is off: nothing can be said or edited.').waitFor();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('button', { name: 'Retry' }).click();
  await own(page, 'are you there?').waitFor();
});

test('a session that loses words in one tab loses them in the other', async () => {
  const page = await house.signUp('oli');
  await openSession(page);
  await tellExpert(page, 'canary-session');
  const other = await house.tab(page.context(), pathOf(page));
  await other.getByText('canary-session').first().waitFor();
  const list = await house.tab(page.context(), '/app/data');
  await list.getByText('canary-session').waitFor();
  await page.getByRole('button', { name: 'Unsend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unsend' }).click();
  for (const tab of [page, other, list]) {
    await tab.getByText('canary-session').first().waitFor({ state: 'detached' });
    assert.doesNotMatch(await held(tab), /canary-session/);
  }
});

test('consent that is withdrawn on another device is seen by whoever comes back', async () => {
  const page = await house.signUp('pia');
  await makeWorld(page);
  await say(page, 'canary-device');
  const device = await house.visitor();
  await device.request.post(`${house.base}/api/auth/login?cookie=true`, {
    data: { email: 'pia@example.org', password: 'correct horse' },
  });
  const answer = await device.request.patch(`${house.base}/api/users/me/preferences`, {
    data: { store_history: false },
    headers: { origin: house.base },
  });
  assert.equal(answer.status(), 200);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.getByText(/^Hidden: erased on/).waitFor();
  await page.getByText('What you say now is not stored.').waitFor();
  await own(page, 'canary-device').waitFor({ state: 'detached' });
  assert.doesNotMatch(await held(page), /canary-device/);
});

test('signing out in one tab signs out the other', async () => {
  const page = await house.signUp('quin');
  const other = await house.tab(page.context(), '/app/data');
  await other.getByRole('heading', { name: 'My data' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  for (const tab of [page, other]) await tab.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('consent that is withdrawn in one tab is withdrawn in all of them at once', async () => {
  const page = await house.signUp('rosa');
  await makeWorld(page);
  await say(page, 'canary-withdrawn');
  const chat = await house.tab(page.context(), pathOf(page));
  await own(chat, 'canary-withdrawn').waitFor();
  const memory = await house.tab(page.context(), pathOf(page));
  await memory.getByRole('button', { name: 'Memory: Companion' }).click();
  await memory.getByRole('dialog').getByText('canary-withdrawn').first().waitFor();
  await openSession(page);
  await tellExpert(page, 'canary-withdrawn, to an expert');
  const session = await house.tab(page.context(), pathOf(page));
  await own(session, 'canary-withdrawn').waitFor();
  const worlds = await house.tab(page.context(), '/');
  await worlds.getByText('Stored', { exact: true }).waitFor();
  const data = await house.tab(page.context(), '/app/data');
  await data.getByText('canary-withdrawn').waitFor();

  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByLabel('Keep my conversations').click();
  await page.getByRole('button', { name: 'Switch off' }).click();
  for (const tab of [chat, memory, session, worlds]) {
    await tab.getByText(/^Hidden: erased on/).waitFor();
    assert.equal(await tab.getByText('Not stored: gone when the server restarts').count(), 0);
  }
  for (const tab of [chat, session]) await tab.getByText('What you say now is not stored.').waitFor();
  await memory.getByRole('dialog').getByText('Nothing.').waitFor();
  await data.getByText('History is off', { exact: true }).waitFor();
  await data.getByRole('row').filter({ hasText: 'Withdrawn' }).waitFor();
  for (const tab of [chat, session]) await own(tab, 'canary-withdrawn').waitFor({ state: 'detached' });
  for (const tab of [page, chat, memory, session, worlds, data]) {
    assert.doesNotMatch(await held(tab), /canary-withdrawn/);
  }
});

test('eight tabs do not take the connections from each other', async () => {
  const page = await house.signUp('sam');
  await makeWorld(page);
  const same = [page];
  while (same.length < 4) same.push(await house.tab(page.context(), pathOf(page)));
  const others = [];
  while (others.length < 4) {
    const other = await house.tab(page.context(), '/');
    await other.getByLabel('Name of the world').fill(`World ${others.length}`);
    await other.getByRole('button', { name: 'Create' }).click();
    await other.getByLabel('Say something').waitFor();
    others.push(other);
  }
  // Whoever has no stream hears the answer all the same.
  for (const [at, other] of others.entries()) await say(other, `words ${at}`);
  for (const [at, other] of others.entries()) await other.getByText(`I heard: “words ${at}”`).waitFor();
  await say(same.at(-1), 'canary-crowd');
  for (const tab of same) await tab.getByText('I heard: “canary-crowd”').waitFor();
  await edit(page, 'canary-crowd', 'something else');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  for (const tab of same) {
    await own(tab, 'something else').waitFor();
    await own(tab, 'canary-crowd').waitFor({ state: 'detached' });
    await tab.getByText('I heard: “something else”').waitFor();
    assert.doesNotMatch(await held(tab), /canary-crowd/);
  }
});

test('a tab that nobody sees has no stream, forgets all the same, and goes on when it is seen', async () => {
  const page = await house.signUp('tom');
  await makeWorld(page);
  await say(page, 'canary-unseen');
  const context = page.context();
  const streams = new Set();
  const hidden = await house.hideable(context, '/');
  hidden.on('request', (request) => request.url().includes('/events?') && streams.add(request));
  for (const end of ['requestfinished', 'requestfailed']) hidden.on(end, (request) => streams.delete(request));
  await hidden.goto(house.base + pathOf(page));
  await own(hidden, 'canary-unseen').waitFor();
  await until(() => streams.size === 1);
  await hidden.evaluate(() => window.hide(true));
  await until(() => streams.size === 0);
  await edit(page, 'canary-unseen', 'something else');
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await own(hidden, 'canary-unseen').waitFor({ state: 'detached' });
  assert.equal(streams.size, 0);
  assert.doesNotMatch(await held(hidden), /canary-unseen/);
  await quiet(page);
  // What came instead is there when somebody looks.
  await hidden.evaluate(() => window.hide(false));
  await until(() => streams.size === 1);
  await own(hidden, 'something else').waitFor();
  await say(page, 'and so on');
  await hidden.getByText('I heard: “and so on”').waitFor();
  assert.equal(await own(hidden, 'and so on').count(), 1);
});

test('with the limits that are given, tabs that nobody sees leave enough for the one that is seen', async () => {
  const strict = await House.open(undefined, []);
  try {
    const page = await strict.signUp('tess');
    await makeWorld(page, 'Panel');
    await say(page, 'canary-limit');
    const hidden = [];
    while (hidden.length < 3) {
      const tab = await strict.hideable(page.context(), pathOf(page));
      await own(tab, 'canary-limit').waitFor();
      await tab.evaluate(() => window.hide(true));
      hidden.push(tab);
    }
    const answers = [];
    page.context().on('response', (response) => answers.push(response.status()));
    for (let number = 0; number < 12; number += 1) await say(page, `message ${number}.`);
    await edit(page, 'canary-limit', 'something else');
    await page.getByLabel(/Yes, forget/).check();
    await page.getByRole('button', { name: 'Remove and send' }).click();
    await page.getByText('I heard: “something else”').first().waitFor();
    for (const tab of hidden) {
      await own(tab, 'canary-limit').waitFor({ state: 'detached' });
      assert.doesNotMatch(await held(tab), /canary-limit/);
      await tab.evaluate(() => window.hide(false));
      await own(tab, 'something else').waitFor();
      assert.equal(await own(tab, 'message').count(), 0);
    }
    assert.equal(answers.filter((status) => status === 429).length, 0);
  } finally {
    await strict.close();
  }
});

test('what is taken back in a tab without a stream leaves a tab that nobody sees', async () => {
  const page = await house.signUp('tara');
  await makeWorld(page);
  await say(page, 'canary-taken');
  const hidden = await house.hideable(page.context(), pathOf(page));
  await hidden.getByText('I heard: “canary-taken”').waitFor();
  await own(hidden, 'canary-taken').getByRole('button', { name: 'Edit', exact: true }).click();
  await hidden.getByLabel('Edit message').fill('canary-taken, but longer');
  await hidden.evaluate(() => window.hide(true));
  await page.route('**/events?*', (route) => route.abort());
  await page.reload();
  await own(page, 'canary-taken').getByRole('button', { name: 'Unsend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unsend' }).click();
  await hidden.getByLabel('Edit message').waitFor({ state: 'detached' });
  await hidden.getByText('I heard').waitFor({ state: 'detached' });
  for (const tab of [page, hidden]) assert.doesNotMatch(await held(tab), /canary-taken/);
});

test('worlds that are made, changed and deleted in one tab are so in the list of another', async () => {
  const page = await house.signUp('tia');
  const list = await house.tab(page.context(), '/');
  await list.getByText('No worlds yet').waitFor();
  await makeWorld(page);
  const line = list.getByRole('listitem').filter({ hasText: 'One to one' });
  await line.getByText('1 chat').waitFor();
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await line.getByText('2 chats').waitFor();
  await page.getByRole('button', { name: 'Delete world' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete world' }).click();
  await line.waitFor({ state: 'detached' });
});

test('what was being edited in a session goes when it is edited away in another tab', async () => {
  const page = await house.signUp('tove');
  await openSession(page);
  await tellExpert(page, 'canary-editor');
  const other = await house.tab(page.context(), pathOf(page));
  for (const tab of [other, page]) {
    await own(tab, 'canary-editor').getByRole('button', { name: 'Edit', exact: true }).click();
  }
  await other.getByLabel('Edit message').fill('canary-editor, but longer');
  await page.getByLabel('Edit message').fill('something else');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove and send' }).click();
  await other.getByText('I heard: “something else”').waitFor();
  await other.getByLabel('Edit message').waitFor({ state: 'detached' });
  assert.doesNotMatch(await held(other), /canary-editor/);
});

test('what one person saw is gone from every tab when somebody else signs in', async () => {
  await (await house.signUp('theo')).context().close();
  const page = await house.signUp('thea');
  await makeWorld(page);
  await say(page, 'canary-of-thea');
  const other = await house.tab(page.context(), '/');
  await other.getByRole('link', { name: 'One to one' }).waitFor();
  // The time of the first is over, and only one tab knows.
  await page.context().clearCookies();
  await other.reload();
  await other.getByLabel('Email').fill('theo@example.org');
  await other.getByLabel('Password').fill('correct horse');
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByText('No worlds yet').waitFor();
  await own(page, 'canary-of-thea').waitFor({ state: 'detached' });
  assert.doesNotMatch(await held(page), /canary-of-thea/);
});

test('an agent that is changed in one tab is another one in all of them', async () => {
  const page = await house.signUp('uma');
  await makeWorld(page);
  const other = await house.tab(page.context(), pathOf(page));
  // That nobody answers is told only to whoever listens.
  await other.getByText('Nothing has been said here.').waitFor();
  await page.getByRole('button', { name: 'Change: Companion' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Ms Stern');
  await dialog.getByLabel('What it is told to be').fill('You ask back.');
  await dialog.getByLabel('Answers without being mentioned').uncheck();
  await dialog.getByRole('button', { name: 'Save' }).dblclick();
  for (const tab of [page, other]) await tab.getByRole('button', { name: 'Change: Ms Stern' }).waitFor();
  await page.getByLabel('Say something').fill('hello');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  for (const tab of [page, other]) await tab.getByText('Nobody is here to answer.').waitFor();
  await page.getByRole('button', { name: 'Change: Ms Stern' }).click();
  assert.equal(await dialog.getByLabel('What it is told to be').inputValue(), 'You ask back.');
  assert.equal(await dialog.getByLabel('Answers without being mentioned').isChecked(), false);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
});
