import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { isClean } from './axe.mjs';
import { House, makeWorld, openSession, say, tellExpert } from './house.mjs';

let house;
let model;
/** What the model says next, in pieces: half a tag is shown, too. */
let answer = '';
const PIECE = 9;

before(async () => {
  model = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let at = 0; at < answer.length; at += PIECE) {
      const delta = { content: answer.slice(at, at + PIECE) };
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
    }
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
  });
  await new Promise((go) => model.listen(0, '127.0.0.1', go));
  const base = `http://127.0.0.1:${model.address().port}`;
  house = await House.open(['--model.provider', 'openai', '--model.name', 'mallory', '--model.base_url', base]);
});
// Closing it fails if anything was asked of another host, or the policy of the page was needed.
after(async () => {
  await house.close();
  model.closeAllConnections();
  model.close();
});

/** Everything by which a text could load, run or cover something. */
const HOSTILE = [
  '![a picture](https://evil.example/pixel.png)',
  '![another](//evil.example/pixel.png "title")',
  '<img src="https://evil.example/x.png" onerror="window.ran = 1">',
  '<script>window.ran = 2</script><script src="https://evil.example/x.js"></script>',
  '<style>body { display: none }</style><link rel="stylesheet" href="https://evil.example/x.css">',
  '<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object>',
  '<svg onload="window.ran = 3"><use href="https://evil.example/x.svg#a"></use></svg>',
  '<form action="https://evil.example/"><input name="password"><button>Sign in</button></form>',
  '<p style="position: fixed; inset: 0; background: url(https://evil.example/b.png)" onclick="window.ran = 4">over</p>',
  '<video src="https://evil.example/v.mp4" autoplay></video><audio src="https://evil.example/a.mp3" autoplay></audio>',
  '<math><mtext></mtext><mglyph><style></math><img src onerror="window.ran = 5"></style></mglyph></math>',
  '[run](javascript:window.ran=6) [data](data:text/html,<script>1</script>) [file](file:///etc/passwd)',
  '[JAVA](JaVaScRiPt:window.ran=7) [entity](&#106;avascript:window.ran=8) [good](https://example.org/)',
  '<https://example.com/> <javascript:window.ran=9>',
  'That is all.',
].join('\n\n');

/** What of an answer is more than words. */
async function inspected(place) {
  return place.evaluate((article) => {
    const all = [...article.querySelectorAll('*')];
    const tags = new Set(all.map(({ localName }) => localName));
    const attributes = all.flatMap(({ attributes }) => [...attributes].map(({ name }) => name));
    const addresses = [...article.querySelectorAll('[href]')].map((link) => link.getAttribute('href'));
    return { tags: [...tags], attributes: [...new Set(attributes)], addresses, ran: window.ran };
  });
}

async function isHarmless(page) {
  const place = page.getByRole('article').filter({ hasText: 'That is all.' });
  // It is shown as it was written.
  await place.getByText('<script>window.ran = 2</script>').waitFor();
  await place.getByText('<video src="https://evil.example/v.mp4" autoplay>').waitFor();
  const { tags, attributes, addresses, ran } = await inspected(place);
  assert.equal(ran, undefined);
  const known = ['header', 'strong', 'span', 'time', 'div', 'p', 'br', 'a'];
  assert.deepEqual(tags.filter((tag) => !known.includes(tag)), []);
  assert.deepEqual(attributes.filter((name) => /^(on|style|src)/.test(name)), []);
  for (const address of addresses) assert.match(address, /^https:\/\//);
  // An image is a link, which nobody follows but whoever wants to.
  await place.getByRole('link', { name: 'a picture' }).waitFor();
  for (const link of await place.getByRole('link').all()) {
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer nofollow');
    assert.equal(await link.getAttribute('target'), '_blank');
  }
  assert.equal(await place.getByRole('link', { name: /^(run|data|file|JAVA|entity)$/ }).count(), 0);
  assert.equal(await page.getByRole('heading').first().isVisible(), true);
}

test('hostile Markdown of an agent loads nothing and runs nothing', async () => {
  const page = await house.signUp('mallory');
  await makeWorld(page);
  answer = HOSTILE;
  await say(page, 'go on');
  await isHarmless(page);
  await page.reload();
  await isHarmless(page);
});

test('hostile Markdown of an expert loads nothing and runs nothing', async () => {
  const page = await house.signUp('trudy');
  await openSession(page);
  answer = HOSTILE;
  await tellExpert(page, 'go on');
  await isHarmless(page);
});

test('numbered lists begin where they say, and columns stand as they are told', async () => {
  const page = await house.signUp('lisa');
  await openSession(page);
  const table = '| what | how much | why |\n|:--|--:|:-:|\n| apples | 12 | red |';
  answer = `A list:\n\n5. five\n6. six\n\nAnd a table:\n\n${table}\n\nThat is all.`;
  await tellExpert(page, 'go on');
  const place = page.getByRole('article').filter({ hasText: 'That is all.' });
  assert.equal(await place.locator('ol').getAttribute('start'), '5');
  const side = (name) => place.getByRole('cell', { name }).evaluate((cell) => getComputedStyle(cell).textAlign);
  assert.deepEqual([await side('apples'), await side('12'), await side('red')], ['left', 'right', 'center']);
});

/** An ordinary answer, with everything that may be wider than a screen. */
const ORDINARY = [
  '### A heading that begins deep',
  '## Another',
  `\`\`\`\n${'let one_long_line = 1; '.repeat(20)}\n\`\`\``,
  '1. one\n2. two\n   - inner',
  `| ${Array.from({ length: 9 }, (_, at) => `column ${at}`).join(' | ')} |\n|${'---|'.repeat(9)}\n| ${'incomprehensible | '.repeat(9)}`,
  '> quoted',
  'That is all.',
].join('\n\n');

for (const [where, enter, tell] of [
  ['chat', makeWorld, say],
  ['session', openSession, tellExpert],
]) {
  test(`an ordinary answer is clean, and all of it can be reached where it is narrow: ${where}`, async () => {
    const page = await house.signUp(`narrow-${where}`, { viewport: { width: 360, height: 740 } });
    await enter(page);
    answer = ORDINARY;
    await tell(page, 'go on');
    const place = page.getByRole('article').filter({ hasText: 'That is all.' });
    await isClean(page, where);
    for (const [name, last] of [['Code', 'code'], ['Table', 'td:last-child']]) {
      // Also by whoever has no mouse.
      const block = place.getByRole('group', { name });
      await block.focus();
      await block.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('End');
      await block.evaluate((element) => element.scrollTo(10_000, 0));
      const right = await block.locator(last).last().evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect().right;
      });
      assert.ok(right <= 344, `${name} ends at ${right}`);
    }
  });
}
