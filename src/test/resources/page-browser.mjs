// Drives the page in a real browser. Asked by PageBrowserProof: node page-browser.mjs ADDRESS TOKEN FOLDER; one JSON line
// on standard output for each thing seen. What the endpoint counted meanwhile is looked at by the test.
import { chromium } from 'playwright-core';

const [, , address, token, folder] = process.argv;
const PATIENCE = { timeout: 30_000 };
const say = (step, more) => console.log(JSON.stringify({ step, ...more }));

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

async function seen(name, options, act) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const troubles = [];
  page.on('pageerror', e => troubles.push(e.message));
  page.on('dialog', dialog => { troubles.push('a dialog: ' + dialog.message()); dialog.dismiss(); });
  page.on('console', line => {
    if (line.type() === 'error' && !line.text().includes('401')) troubles.push(line.text());
  });
  page.on('request', request => {
    if (!request.url().startsWith(address) && !request.url().startsWith('data:')) troubles.push('asked ' + request.url());
  });
  await page.goto(address + '/');
  await page.locator('#figures .figure').first().waitFor(PATIENCE);
  await act(page);
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: `${folder}/${name}.png` });
  await page.screenshot({ path: `${folder}/${name}-whole.png`, fullPage: true });
  say(name, { troubles, wide: await page.evaluate(() => document.documentElement.scrollWidth > innerWidth) });
  await context.close();
}

const shownCalls = page => page.locator('.case').count();

async function decide(page, decision, all) {
  const before = await shownCalls(page);
  await page.locator(`[data-${all || 'decision'}="${decision}"]`).first().click();
  await page.locator('#ask').waitFor(PATIENCE);
  const asked = await page.locator('#ask').innerText();
  if (await page.locator('#ask-token').isVisible()) await page.locator('#ask-token-value').fill(token);
  await page.locator('#ask-yes').click();
  await page.locator('#ask').waitFor({ state: 'hidden', ...PATIENCE });
  await page.waitForFunction(n => document.querySelectorAll('.case').length === n, before - (all ? 2 : 1), PATIENCE);
  say(decision + (all || ''), { asked });
}

await seen('desktop-light', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }, async page => {
  await page.locator('.case').nth(1).waitFor(PATIENCE);
  const first = Number(await page.locator('tr[data-file] progress').first().getAttribute('value'));
  await page.waitForFunction(n => Number(document.querySelector('tr[data-file] progress').value) > n, first, PATIENCE);
  say('progress', { first });
  const item = await page.locator('.case .item').first().innerText();
  say('hostile', { item, images: await page.locator('.case img, .case script').count() });
  await page.locator('.case button.link').first().click();
  await page.locator('.case .events li').nth(2).waitFor(PATIENCE);
  say('attempts', { events: await page.locator('.case .events .kind').allInnerTexts() });
  await page.locator('tr[data-file] button.link').first().click();
  await page.locator('.receipt dd').first().waitFor(PATIENCE);
  say('receipt', { text: await page.locator('.receipt').first().innerText() });
  await page.locator('#plot canvas').waitFor(PATIENCE);
});
for (const [name, options] of [
  ['desktop-dark', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' }],
  ['phone', { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, colorScheme: 'light', isMobile: true, hasTouch: true }],
]) {
  await seen(name, options, async page => { await page.locator('.case').nth(1).waitFor(PATIENCE); });
}
await seen('decided', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }, async page => {
  await page.locator('.case').nth(5).waitFor(PATIENCE);
  await page.locator('[data-decision="resend"]').first().click();
  await page.locator('#ask-token-value').fill('a-token-of-somebody-else');
  await page.locator('#ask-yes').click();
  await page.waitForFunction(() => document.getElementById('ask-error').textContent !== '', null, PATIENCE);
  say('refused', { error: await page.locator('#ask-error').innerText() });
  await page.screenshot({ path: `${folder}/asked.png` });
  await page.locator('#ask-no').click();
  for (const decision of ['resend', 'retry']) {
    await decide(page, decision);
    await decide(page, decision, 'all');
  }
});
await browser.close();
