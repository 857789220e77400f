import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isClean } from './axe.mjs';
import { House, makeWorld, openSession, own, say, tellExpert, until } from './house.mjs';
import { LINE, admin, deliver } from './line.mjs';

let house;
before(async () => {
  house = await House.open(LINE);
});
after(() => house.close());

// Colours do not depend on the width, nor the layout on the light.
for (const [colorScheme, width] of [['light', 1200], ['dark', 360]]) {
  test(`screens that are seen seldom are clean, ${colorScheme}, ${width} wide`, async () => {
    const how = { colorScheme, viewport: { width, height: 740 } };
    const front = await house.tab(await house.visitor(how), '/setup?key=wrong');
    await front.getByRole('heading', { name: 'This link does not let anybody in any more.' }).waitFor();
    await isClean(front, 'a used link');

    const page = await house.signUp(`seldom${width}`, how);
    await makeWorld(page, 'Pair');
    await say(page, 'hello');
    await page.context().setOffline(true);
    await page.getByLabel('Say something').fill('this does not arrive');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const failed = page.getByRole('alert').filter({ hasText: 'The server cannot be reached.' });
    await failed.waitFor();
    await isClean(page, 'a message that failed');
    // Side by side, and seen without its colour.
    const retry = await failed.getByRole('button', { name: 'Retry' }).boundingBox();
    const discard = await failed.getByRole('button', { name: 'Discard' }).boundingBox();
    assert.ok(Math.abs(retry.y - discard.y) < 2, 'Retry and Discard stand in one line');
    await page.context().setOffline(false);
    await failed.getByRole('button', { name: 'Discard' }).click();
    await failed.waitFor({ state: 'detached' });

    const side = page.locator('details').first();
    if (width < 800) await side.locator('summary').first().click();
    await page.getByLabel('Session mode').click();
    await page.getByText('Session mode is off').waitFor();
    await isClean(page, 'session mode off, with its side');
    if (width < 800) await side.locator('summary').first().click();
    await isClean(page, 'session mode off');

    await openSession(page);
    await tellExpert(page, 'hello');
    await page.context().setOffline(true);
    await page.getByLabel('Say something').fill('nor does this');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The server cannot be reached.').waitFor();
    await isClean(page, 'words to an expert that failed');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Discard' }).click();
    await own(page, 'nor does this').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'End session' }).click();
    await page.getByText('This session is over.').waitFor();
    await isClean(page, 'a session that is over');

    await page.getByRole('link', { name: 'My data' }).click();
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password').fill('wrong horse');
    await isClean(page, 'question before an account is deleted');
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await dialog.getByText('The password is wrong.').waitFor();
    await isClean(page, 'an account that is not deleted');
  });
}

test('the table of LINE and its decisions are clean, and are not broken to letters in Japanese', async () => {
  const page = await admin(house, { colorScheme: 'dark', viewport: { width: 360, height: 740 } });
  await deliver(house, 1, 'hello (not for you)');
  const row = page.getByRole('row').filter({ hasText: 'C-orchard' });
  await until(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    return (await row.getByText('silent').count()) > 0;
  });
  await isClean(page, 'sources');
  await row.getByRole('button', { name: 'Decisions in C-orchard' }).click();
  await page.getByRole('dialog').getByRole('row').nth(1).waitFor();
  await isClean(page, 'decisions');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('combobox').selectOption('ja');
  const heads = page.getByRole('columnheader');
  await page.getByRole('columnheader', { name: '最後の活動' }).waitFor();
  for (const head of await heads.all()) {
    const { height } = await head.boundingBox();
    assert.ok(height < 45, `${await head.textContent()} is ${height} high`);
  }
  // What stands in one row stands on one line.
  const tops = await row.first().evaluate((tr) =>
    [...tr.querySelectorAll('code, .last, button')].map((place) => {
      const range = document.createRange();
      range.selectNodeContents(place);
      return Math.round(range.getBoundingClientRect().bottom);
    }),
  );
  assert.ok(Math.max(...tops) - Math.min(...tops) <= 4, `${tops}`);
});
