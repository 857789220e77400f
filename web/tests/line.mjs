// LINE without LINE: a server that believes it has a channel, and deliveries as LINE makes them.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';

const SECRET = 'a-channel-secret';

/** How such a server is set up, in front of whoever takes what it sends. */
export function channel(api) {
  return [
    ...['--line.debounce', '0ms', '--line.channel_secret', SECRET, '--line.channel_access_token', 'a-token'],
    ...['--line.api_base', api, '--line.data_api_base', api],
  ];
}

/** Nobody is there, and nobody is needed: who stays silent sends nothing. */
export const LINE = ['--model.provider', 'demo', ...channel('http://127.0.0.1:9')];

/** Answers every call with the same status: LINE where all is well, or a model that refuses. */
export async function standIn(status) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"sentMessages":[]}');
  });
  await new Promise((go) => server.listen(0, '127.0.0.1', go));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { base: `http://127.0.0.1:${server.address().port}`, close };
}

/** The owner of a new installation, who looks at what admins see. */
export async function admin(house, how) {
  const link = new URL(await house.server.ownerLink());
  const page = await house.tab(await house.visitor(how), link.pathname + link.search);
  await page.getByRole('button', { name: 'Keep my conversations' }).click();
  await page.getByRole('link', { name: 'Admin' }).click();
  await page.getByRole('heading', { name: 'Try the bot without LINE' }).waitFor();
  return page;
}

const GROUP = { type: 'group', groupId: 'C-orchard', userId: 'U-kim' };

/** Delivers what somebody said, as LINE does. */
export async function deliver(house, number, text, source = GROUP) {
  const event = {
    type: 'message',
    webhookEventId: `01KA0M4T5J8Q2W7E9R${String(number).padStart(8, '0')}`,
    deliveryContext: { isRedelivery: false },
    timestamp: Date.now(),
    source,
    mode: 'active',
    replyToken: `token-${number}`,
    message: { id: `7000${number}`, type: 'text', text, quoteToken: 'q' },
  };
  const body = JSON.stringify({ destination: 'U-bot', events: [event] });
  const signature = createHmac('sha256', SECRET).update(body).digest('base64');
  const headers = { 'content-type': 'application/json', 'x-line-signature': signature };
  const answer = await fetch(`${house.base}/line/webhook`, { method: 'POST', headers, body });
  assert.equal(answer.status, 200);
}
