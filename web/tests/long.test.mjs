import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { House, edit, own, quiet, say, until } from './house.mjs';

const MESSAGES = 10_000;
/** So many are shown when something is changed. */
const SHOWN = 2_000;

let house;
before(async () => {
  house = await House.open();
});
after(() => house.close());

/** A world of agent-world with one long chat, taken in beside the running server. */
async function takeInLongChat(owner, { server } = house) {
  const world = join(server.directory, 'from', 'long');
  const began = Date.parse('2026-01-01T00:00:00.000Z');
  const at = (number) => new Date(began + number * 1000).toISOString();
  const write = async (path, value) => {
    await mkdir(join(world, path, '..'), { recursive: true });
    await writeFile(join(world, path), JSON.stringify(value));
  };
  const memory = Array.from({ length: MESSAGES }, (_, number) => ({
    role: number % 2 === 0 ? 'user' : 'assistant',
    sender: number % 2 === 0 ? 'human' : 'o1',
    agentId: 'o1',
    content: `message number ${number}`,
    chatId: 'all',
    messageId: `m${String(number).padStart(9, '0')}`,
    createdAt: at(number),
  }));
  await write('config.json', { id: 'long', name: 'Long', currentChatId: 'all', createdAt: at(0) });
  await write('chats/all.json', { id: 'all', worldId: 'long', name: 'All of it', createdAt: at(0) });
  await write('agents/o1/config.json', { id: 'o1', name: 'O1', createdAt: at(0) });
  await write('agents/o1/memory.json', memory);
  const data = ['--data_dir', join(server.directory, 'data')];
  await promisify(execFile)(process.env.UNSAID_BINARY, ['import', 'agent-world', join(world, '..'), '--owner', owner, ...data]);
}

test('a chat of ten thousand messages opens at its end and is read by pages', async () => {
  const page = await house.signUp('max');
  await takeInLongChat('max@example.org');
  const asked = [];
  page.on('request', (request) => {
    if (/\/chats\/[^/]+\/messages/.test(request.url())) asked.push(request.url());
  });
  await page.goto(`${house.base}/app/worlds/long`);
  await page.getByText('message number 9999', { exact: true }).waitFor();
  const log = page.getByRole('log');
  assert.equal(asked.length, 1, 'one page is enough to begin');
  const read = () => log.getByRole('article').count();
  while ((await read()) < 400) {
    const before = await read();
    await log.evaluate((list) => (list.scrollTop = 0));
    await page.waitForFunction((before) => document.querySelectorAll('article').length > before, before);
  }
  // Whoever reads further up stays where they read.
  const top = await log.evaluate((list) => list.scrollTop);
  assert.ok(top > 0, `at ${top}`);
  const numbers = await log.getByRole('article').evaluateAll((articles) =>
    articles.map((article) => Number(/message number (\d+)/.exec(article.textContent)[1])),
  );
  assert.deepEqual(numbers, Array.from(numbers, (_, at) => MESSAGES - numbers.length + at));
});

test('what is unsent on another device while nobody looks leaves earlier pages, too', async () => {
  const page = await house.signUp('moe');
  await takeInLongChat('moe@example.org');
  const hidden = await house.hideable(page.context(), '/app/worlds/long');
  await hidden.getByText('message number 9999', { exact: true }).waitFor();
  const log = hidden.getByRole('log');
  const gone = own(hidden, 'message number 9760');
  await until(async () => {
    await log.evaluate((list) => (list.scrollTop = 0));
    return (await own(hidden, 'message number 9700').count()) > 0;
  });
  const shown = await log.getByRole('article').count();
  await hidden.evaluate(() => window.hide(true));
  const call = { data: { chatId: await chatOf(page) }, headers: { origin: house.base } };
  const answer = await page.request.post(`${house.base}/api/worlds/long/messages/m000009760/unsend`, call);
  assert.equal(answer.status(), 200);
  await hidden.evaluate(() => window.hide(false));
  await gone.waitFor({ state: 'detached' });
  assert.ok((await log.getByRole('article').count()) >= shown - 2, 'the others are still there');
});

async function chatOf(page) {
  return (await (await page.request.get(`${house.base}/api/worlds/long`)).json()).currentChatId;
}

test('whoever has seen thousands of messages can change something within the limits that are given', async () => {
  const strict = await House.open(undefined, []);
  try {
    const page = await strict.signUp('mia');
    await takeInLongChat('mia@example.org', strict);
    await page.goto(`${strict.base}/app/worlds/long`);
    await page.getByText('message number 9999', { exact: true }).waitFor();
    const log = page.getByRole('log');
    const read = () => log.getByRole('article').count();
    while ((await read()) < SHOWN) {
      const before = await read();
      await log.evaluate((list) => (list.scrollTop = 0));
      await page.waitForFunction((before) => document.querySelectorAll('article').length > before, before);
    }
    const [asked, refused] = [[], []];
    page.on('request', (request) => {
      if (/\/chats\/[^/]+\/messages/.test(request.url())) asked.push(request.url());
    });
    page.on('response', (response) => response.status() === 429 && refused.push(response.url()));
    // Whoever reads further up stays there while something goes below.
    const seen = own(page, 'message number 8100');
    await seen.scrollIntoViewIfNeeded();
    const place = (await seen.boundingBox()).y;
    const last = own(page, 'message number 9998');
    await last.getByRole('button', { name: 'Unsend' }).dispatchEvent('click');
    await page.getByRole('dialog').getByRole('button', { name: 'Unsend' }).click();
    await last.waitFor({ state: 'detached' });
    assert.ok(Math.abs((await seen.boundingBox()).y - place) < 40);
    await edit(page, 'message number 9996', 'something else');
    await page.getByRole('button', { name: 'Remove and send' }).click();
    await own(page, 'something else').waitFor();
    await quiet(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await own(page, 'message number 9996').waitFor();
    await say(page, 'and further');
    assert.ok((await read()) >= SHOWN - 4, 'what was shown is shown');
    assert.ok(asked.length <= 6, `read ${asked.length} times`);
    assert.deepEqual(refused, []);
  } finally {
    await strict.close();
  }
});
