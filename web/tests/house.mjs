// What every test of the page needs: the real binary, a real browser, and eyes for what must never
// happen: a violation of the policy, a call to another host, a script that fails.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const BINARY = process.env.UNSAID_BINARY;
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const PASSWORD = 'correct horse';
/** A slow machine is not a broken page. */
export const PATIENCE_MS = 60_000;

const DEMO = ['--model.provider', 'demo'];
/** Tests are faster than people: as a rule nothing is refused because there is too much of it. */
const AT_LEISURE = ['--limits.writes_per_min', '100000', '--limits.reads_per_min', '100000'];
const MANY = ['--limits.registrations_per_hour_address', '1000'];

/** A model that can be held in the middle of an answer; the test that starts us runs it. */
export const STORYTELLER = [
  ...['--model.provider', 'openai', '--model.name', 'storyteller', '--model.base_url', process.env.MODEL ?? ''],
  ...['--model.idle_timeout', '10m', '--model.call_timeout', '10m'],
];

/** A server of its own, with a directory of its own. It can be killed and started again. */
export class Server {
  static async start(model = DEMO, limits = AT_LEISURE) {
    const server = new Server();
    server.directory = await mkdtemp(join(tmpdir(), 'unsaid-page-'));
    server.model = model;
    server.limits = limits;
    await server.begin('127.0.0.1:0');
    return server;
  }

  async begin(listen) {
    const fixed = ['serve', '--listen', listen, '--data_dir', join(this.directory, 'data')];
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^UNSAID_|API_KEY$/.test(name)));
    // The mark by which what is left behind is found.
    if (process.env.UNSAID_XTASK_RUN) env.UNSAID_XTASK_RUN = process.env.UNSAID_XTASK_RUN;
    this.process = spawn(BINARY, [...fixed, ...this.model, ...this.limits, ...MANY], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
    const line = (await lines.next()).value ?? '';
    this.base = /^unsaid listens on (http:\S+)$/.exec(line)?.[1];
    assert.ok(this.base, `did not start: ${line}`);
    this.lines = lines;
  }

  /** The link that signs in the owner, which a new installation prints. */
  async ownerLink() {
    return /(http:\S+)$/.exec((await this.lines.next()).value)[1];
  }

  async kill() {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }

  /** The same address, so that pages find it again. */
  async startAgain() {
    await this.begin(new URL(this.base).host);
  }

  async stop() {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}

const LAUNCH = {
  executablePath: CHROMIUM,
  // Containers have no sandbox of their own to give, and little shared memory.
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
};
const LOOK = { viewport: { width: 1200, height: 800 }, locale: 'en-GB' };

/** A browser and everything that was seen in it. */
export class House {
  static async open(model, limits) {
    const house = new House();
    house.server = await Server.start(model, limits);
    house.browser = await chromium.launch(LAUNCH);
    house.trouble = [];
    return house;
  }

  get base() {
    return this.server.base;
  }

  async close() {
    await this.browser.close();
    await this.server.stop();
    assert.deepEqual(this.trouble, []);
  }

  /** Somebody's browser, with nothing in it. */
  async visitor(how = {}) {
    const context = await this.browser.newContext({ ...LOOK, ...how });
    await this.watch(context);
    return context;
  }

  async watch(context) {
    context.setDefaultTimeout(PATIENCE_MS);
    context.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'data:' && origin !== this.base) this.trouble.push(`request to ${origin}`);
    });
    await context.exposeBinding('policyViolated', (_, what) => this.trouble.push(`policy: ${what}`));
    await context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => {
        window.policyViolated(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
      });
    });
  }

  /** A browser that writes to a directory and can be closed and opened again. */
  async onDisk(directory) {
    const context = await chromium.launchPersistentContext(directory, { ...LAUNCH, ...LOOK });
    await this.watch(context);
    return context;
  }

  async tab(context, path = '/') {
    const page = await context.newPage();
    page.on('pageerror', (error) => this.trouble.push(`script: ${error.message}`));
    await page.goto(this.base + path);
    return page;
  }

  /** A tab that can be hidden by `window.hide`: a browser without windows calls every tab visible. */
  async hideable(context, path) {
    const page = await context.newPage();
    page.on('pageerror', (error) => this.trouble.push(`script: ${error.message}`));
    await page.addInitScript(() => {
      let isHidden = false;
      Object.defineProperty(document, 'hidden', { get: () => isHidden });
      window.hide = (hide) => {
        isHidden = hide;
        document.dispatchEvent(new Event('visibilitychange'));
      };
    });
    await page.goto(this.base + path);
    return page;
  }

  /** Signs somebody up as a person does. */
  async signUp(name, { mayKeep = true, ...how } = {}) {
    return this.signUpIn(await this.visitor(how), name, mayKeep);
  }

  async signUpIn(context, name, mayKeep = true) {
    const page = await this.tab(context);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Email').fill(`${name}@example.org`);
    await page.getByLabel('Password').fill(PASSWORD);
    const consent = page.getByLabel('Keep my conversations');
    assert.equal(await consent.isChecked(), false);
    if (mayKeep) await consent.check();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Worlds', exact: true }).waitFor();
    return page;
  }
}

/** Begins a session with the first expert. */
export async function openSession(page) {
  await page.getByRole('link', { name: 'Experts' }).click();
  await page.getByRole('button', { name: /^Start/ }).first().click();
  await page.getByLabel('Say something').waitFor();
}

/** Says something to an expert and waits until the answer is whole. */
export async function tellExpert(page, text) {
  await page.getByLabel('Say something').fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await own(page, text).waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
}

/** Makes a world from a template and waits until something can be said in it. */
export async function makeWorld(page, template = 'One to one') {
  await page.getByLabel(template).check();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByLabel('Say something').waitFor();
}

/** Says something and waits until it was answered. */
export async function say(page, text) {
  await page.getByLabel('Say something').fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await own(page, text).getByRole('button', { name: 'Edit', exact: true }).waitFor();
  await quiet(page);
}

/** What the person said, with its buttons. */
export function own(page, text) {
  return page.getByRole('article').filter({ has: page.locator('.words', { hasText: text }) });
}

/** Holds the answers to the next call of a kind, which is made all the same, until they are let go. */
export async function hold(page, isMeant) {
  let letGo;
  const isLetGo = new Promise((go) => (letGo = go));
  let isFound = false;
  let isMade = false;
  await page.route('**/api/**', async (route) => {
    if (isFound || !isMeant(route.request())) return route.fallback();
    isFound = true;
    const response = await route.fetch();
    isMade = true;
    await isLetGo;
    return route.fulfill({ response });
  });
  return { letGo, isMade: () => until(() => isMade) };
}

/** Waits until something holds. */
export async function until(holds) {
  for (const end = Date.now() + PATIENCE_MS; !(await holds()); await new Promise((go) => setTimeout(go, 20)))
    assert.ok(Date.now() < end, `not in time: ${holds}`);
}

/** Waits until nobody speaks: then messages can be edited. */
export async function quiet(page) {
  await page.locator('button[title^="Edit this message"]').last().waitFor();
}

/** Edits a message up to the question. */
export async function edit(page, before, after) {
  await own(page, before).getByRole('button', { name: 'Edit', exact: true }).click();
  // Among thousands of messages a button is found at once only where it is looked for.
  const editor = page.locator('form', { has: page.getByLabel('Edit message') });
  await editor.getByLabel('Edit message').fill(after);
  await editor.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor();
}

/** Everything a browser holds of a page: what is shown, and what is written to its storage. */
export async function held(page) {
  // The page has no databases and no caches, so there is nothing to look for in them.
  const places = await page.evaluate(async () => [...(await indexedDB.databases()), ...(await caches.keys())]);
  assert.deepEqual(places, []);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  const fields = await page.locator('textarea').evaluateAll((areas) => areas.map((area) => area.value).join());
  return (await page.content()) + stored + fields;
}
