import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, STORYTELLER, held, until } from './house.mjs';
import { isClean } from './axe.mjs';
import { LINE, admin, channel, deliver, standIn } from './line.mjs';

let house;
before(async () => {
  house = await House.open(LINE);
});
after(() => house.close());

const log = (page) => page.getByRole('log');

async function say(page, text) {
  await page.getByLabel('Say something').fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await log(page).getByText(text, { exact: true }).waitFor();
}

test('admins see sources and what the bot decided there, and try it without LINE', async () => {
  const page = await admin(house);
  await page.getByText('Nobody has written on LINE yet.').waitFor();
  await deliver(house, 1, 'canary-line (not for you)');
  const row = page.getByRole('row').filter({ hasText: 'C-orchard' });
  await until(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    return (await row.getByText('silent').count()) > 0;
  });
  await row.getByText('group').waitFor();
  await row.getByRole('button', { name: 'Decisions in C-orchard' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('row').filter({ hasText: 'silent' }).waitFor();
  assert.doesNotMatch(await held(page), /canary-line/);
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.getByText('Not stored: gone when the server restarts').waitFor();
  // Alone with the bot: it answers, and what is taken back is gone.
  await say(page, 'canary-tried');
  await log(page).getByText('I heard: “canary-tried”').waitFor();
  await page.getByText('The bot is thinking…').waitFor({ state: 'detached' });
  // Nobody has chosen a name here.
  await log(page).getByText('You', { exact: true }).waitFor();
  assert.equal(await log(page).getByText('Kim', { exact: true }).count(), 0);
  await log(page).getByRole('button', { name: 'Unsend' }).click();
  await log(page).getByText('canary-tried', { exact: true }).waitFor({ state: 'detached' });
  await say(page, 'what did I say?');
  const last = log(page).getByRole('article').last();
  await until(async () => (await last.getByText('Bot', { exact: true }).count()) === 1);
  assert.doesNotMatch(await last.textContent(), /canary-tried/);

  // In a group under another name: it may stay silent, and that is seen.
  await page.getByLabel('In a group').check();
  await page.getByText('Nothing has been said here. Say something').waitFor();
  await page.getByLabel('Speaking as').fill('Noa');
  await say(page, 'lunch at noon (not for you)');
  await log(page).getByText('Noa', { exact: true }).waitFor();
  await log(page).getByText('The bot stayed silent.').waitFor();
  // Silence goes with what it was about.
  await say(page, 'canary-silent (not for you)');
  await until(async () => (await log(page).getByText('The bot stayed silent.').count()) === 2);
  await log(page).getByRole('button', { name: 'Unsend' }).last().click();
  await log(page).getByText('canary-silent').waitFor({ state: 'detached' });
  assert.equal(await log(page).getByText('The bot stayed silent.').count(), 1);
  await page.getByLabel('Mention the bot').check();
  await say(page, 'and you?');
  await log(page).getByText('Bot', { exact: true }).waitFor();
  assert.match(await log(page).textContent(), /lunch at noon.*The bot stayed silent\..*and you\?.*Bot/s);
  await page.getByRole('button', { name: 'Begin anew' }).click();
  await page.getByText('Nothing has been said here. Say something').waitFor();
  assert.doesNotMatch(await held(page), /lunch at noon/);
  // The other one is still there.
  await page.getByLabel('Alone with the bot').check();
  await log(page).getByText('what did I say?', { exact: true }).waitFor();
});

/** Delivers something to a server of its own, and waits until it was decided about. */
async function decidedAs(decision, flags, look) {
  const house = await House.open(flags);
  try {
    const page = await admin(house);
    await deliver(house, 1, 'canary-alone', { type: 'user', userId: 'U-noa' });
    const row = page.getByRole('row').filter({ hasText: 'U-noa' });
    await until(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return (await row.getByText(decision, { exact: true }).count()) > 0;
    });
    await row.getByText('person', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Decisions in U-noa' }).click();
    await look(row, page.getByRole('dialog').getByRole('row').filter({ hasText: decision }));
    assert.doesNotMatch(await held(page), /canary-alone/);
    await isClean(page, decision);
  } finally {
    await house.close();
  }
}

test('an answer on LINE is seen in the table, and that it is stored', async () => {
  const line = await standIn(200);
  try {
    await decidedAs('answered', ['--model.provider', 'demo', ...channel(line.base)], async (row, decision) => {
      await decision.waitFor();
      assert.equal(await row.getByRole('cell').nth(2).textContent(), '2');
      await row.getByText('Stored', { exact: true }).waitFor();
    });
  } finally {
    line.close();
  }
});

test('a failure on LINE is seen in the table with its code, and that nothing is stored', async () => {
  const model = await standIn(400);
  const seat = ['--model.provider', 'openai', '--model.name', 'nobody', '--model.base_url', model.base];
  const flags = [...seat, ...channel('http://127.0.0.1:9'), '--line.store_history', 'false'];
  try {
    await decidedAs('failed', flags, async (row, decision) => {
      await decision.locator('code').waitFor();
      await row.getByText('Not stored: gone when the server restarts').waitFor();
    });
  } finally {
    model.close();
  }
});

test('on a narrow screen a table shows that there is more of it', async () => {
  const page = await house.signUp('ella', { viewport: { width: 360, height: 740 } });
  await page.getByRole('link', { name: 'My data' }).click();
  const table = page.getByRole('region', { name: 'Consent ledger' });
  await table.getByRole('cell', { name: 'Sign-up' }).waitFor();
  // The same empty strip at its edge, when there is more and at its end.
  const edge = async (scrolled) => {
    await table.evaluate((element, x) => {
      element.querySelector('table').style.width = '40rem';
      for (const cell of element.querySelectorAll('th, td')) cell.style.cssText = 'visibility: hidden; border: 0';
      element.scrollLeft = x;
    }, scrolled);
    await table.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await table.boundingBox();
    return page.screenshot({ clip: { x: x + width - 6, y, width: 6, height } });
  };
  const more = await edge(0);
  const end = await edge(10_000);
  assert.notDeepEqual(more, end);
});

test('looking again stops when the bot has decided, and a failure is seen', async () => {
  const house = await House.open([...STORYTELLER, '--line.debounce', '0ms']);
  try {
    const page = await admin(house);
    await page.clock.install();
    await say(page, 'fail at once, rehearsal');
    await log(page).getByText('The bot could not answer.').waitFor();
    await page.getByText('The bot is thinking…').waitFor({ state: 'detached' });
    let looks = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/line/try/person') && request.method() === 'GET') looks += 1;
    });
    await page.clock.fastForward(60_000);
    await page.evaluate(() => fetch('/healthz'));
    assert.equal(looks, 0);
  } finally {
    await house.close();
  }
});

test('a look that is lost is not the last', async () => {
  const house = await House.open([...STORYTELLER, '--line.debounce', '0ms']);
  try {
    const page = await admin(house);
    let lost = 0;
    const isLook = (request) => request.url().endsWith('/line/try/person') && request.method() === 'GET';
    await page.route('**/line/try/person', (route) => {
      // The first one after it was said, and one while the bot is at it.
      if (!isLook(route.request()) || ![1, 3].includes(++lost)) return route.fallback();
      return route.abort();
    });
    await say(page, 'slowly, rehearsal');
    await page.getByText('The bot is thinking…').waitFor();
    await until(() => lost > 3);
    assert.equal(await page.getByRole('alert').count(), 0);
    await fetch(`${process.env.MODEL}/go-on`, { method: 'POST', body: 'slowly, rehearsal' });
    // The storyteller does not speak as the bot is told to.
    await log(page).getByText('The bot could not answer.').waitFor();
    await page.getByText('The bot is thinking…').waitFor({ state: 'detached' });
  } finally {
    await house.close();
  }
});

test('who is no admin sees none of it', async () => {
  const page = await house.signUp('dan');
  assert.equal(await page.getByRole('link', { name: 'Admin' }).count(), 0);
  await page.goto(`${house.base}/app/admin`);
  await page.getByText('There is nothing here.').waitFor();
});
