// Takes pictures of the real page. Those of the README: UNSAID_BINARY=target/release/unsaid npm run screenshots
// Every screen, for whoever works on the page: … npm run screenshots -- all DIRECTORY
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { House, edit, makeWorld, openSession, own, quiet, say, tellExpert, until } from '../tests/house.mjs';

const WIDE = { width: 1100, height: 790 };
const NARROW = { width: 360, height: 740 };

const [what, directory] = process.argv.slice(2);
const house = await House.open();
try {
  if (what === 'all') await everyScreen(directory);
  else await readme(fileURLToPath(new URL('../../docs/images/', import.meta.url)));
} finally {
  await house.close();
}

async function readme(images) {
  await mkdir(images, { recursive: true });
  for (const colorScheme of ['light', 'dark']) {
    const page = await house.signUp(`ana-${colorScheme}`, { colorScheme, viewport: WIDE });
    await makeWorld(page, 'Pair');
    await say(page, 'Hello. My name is Ana, and I write letters that I never send.');
    await say(page, 'My sister must not hear about this one.');
    await edit(page, 'My sister must not hear', 'This one is for my sister.');
    await page.getByRole('button', { name: 'Remove and send' }).click();
    await own(page, 'This one is for my sister.').waitFor();
    await quiet(page);
    await settled(page);
    await page.screenshot({ path: `${images}page-${colorScheme}.png` });
  }
}

/** Waits until nothing more is said about what is going on. */
async function settled(page) {
  await until(async () => (await page.locator('.below [role=status]').first().innerText()) === '');
}

/** One person goes through all screens in English; each is then shown in every language, size and light. */
async function everyScreen(directory) {
  await mkdir(directory, { recursive: true });
  const context = await house.visitor({ viewport: WIDE });
  const front = await house.tab(context);
  await shoot(front, directory, 'sign-in');
  await front.getByRole('button', { name: 'Sign up' }).click();
  await shoot(front, directory, 'sign-up');
  await front.close();

  const owner = await house.visitor({ viewport: WIDE });
  const link = new URL(await house.server.ownerLink());
  const page = await house.tab(owner, link.pathname + link.search);
  await page.getByRole('button', { name: 'Keep my conversations' }).waitFor();
  await shoot(page, directory, 'owner');
  await page.getByRole('button', { name: 'Keep my conversations' }).click();
  await page.getByRole('button', { name: 'Create' }).waitFor();
  await shoot(page, directory, 'worlds-none');
  await makeWorld(page, 'Panel');
  await shoot(page, directory, 'chat-empty');
  await say(page, 'Hello. My name is Ana, and I write letters that I never send.');
  await say(page, `A long word: ${'unsendable'.repeat(12)}`);
  await shoot(page, directory, 'chat');
  await page.getByRole('button', { name: /^Memory/ }).first().click();
  await page.getByRole('dialog').getByText('Hello. My name').first().waitFor();
  await shoot(page, directory, 'memory');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: /^Change/ }).first().click();
  await shoot(page, directory, 'agent');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  for (const number of [1, 2]) await say(page, `And another line, number ${number}.`);
  await edit(page, 'A long word', 'Something shorter.');
  await shoot(page, directory, 'edit-many');
  await page.getByLabel('Yes, forget').check();
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await own(page, 'Something shorter.').waitFor();
  await quiet(page);
  await settled(page);
  await shoot(page, directory, 'edit-done');
  await edit(page, 'Something shorter.', 'Words that do not arrive.');
  await owner.setOffline(true);
  await page.getByRole('button', { name: 'Remove and send' }).click();
  await page.getByText('Your edit is not confirmed yet.').waitFor();
  await shoot(page, directory, 'draft');
  await owner.setOffline(false);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('link', { name: 'Worlds' }).click();
  await page.getByRole('heading', { name: 'New world' }).waitFor();
  await shoot(page, directory, 'worlds');
  await openSession(page);
  await tellExpert(page, 'May I take back what I signed?');
  await shoot(page, directory, 'session');
  await page.getByRole('link', { name: 'Experts' }).click();
  await page.getByText('May I take back').first().waitFor();
  await shoot(page, directory, 'experts');
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByRole('row').nth(1).waitFor();
  await shoot(page, directory, 'data');
  await page.getByLabel('Keep my conversations').click();
  await shoot(page, directory, 'data-ask');
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByRole('button', { name: 'Undo: keep my history' }).waitFor();
  await shoot(page, directory, 'data-off');
  await page.getByRole('link', { name: 'Worlds' }).click();
  await page.getByText(/^Hidden/).first().waitFor();
  await shoot(page, directory, 'worlds-hidden');
  await page.getByRole('link', { name: 'My data' }).click();
  await page.getByRole('button', { name: 'Erase now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Erase now' }).click();
  await page.getByText('Everything is erased.').waitFor();
  await page.getByRole('link', { name: 'Admin' }).click();
  await page.getByText(/^The chain of/).waitFor();
  await shoot(page, directory, 'admin');
  await page.goto(`${house.base}/app/nowhere`);
  await page.getByText('There is nothing here.').waitFor();
  await shoot(page, directory, 'nothing');
}

/** Languages and lights change under an open page; it does not have to be loaded again. */
async function shoot(page, directory, name) {
  const speak = (language) =>
    page.getByRole('combobox').first().evaluate((select, language) => {
      select.value = language;
      select.dispatchEvent(new Event('change', { bubbles: true }));
    }, language);
  for (const [size, viewport] of Object.entries({ wide: WIDE, narrow: NARROW })) {
    await page.setViewportSize(viewport);
    for (const [language, colorScheme] of [['en', 'light'], ['en', 'dark'], ['ja', 'light'], ['es', 'dark']]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await speak(language);
      await page.screenshot({ path: `${directory}/${name}-${size}-${language}-${colorScheme}.png` });
    }
  }
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: 'light' });
  await speak('en');
}
