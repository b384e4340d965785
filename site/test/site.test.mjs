/** The built site, in Chromium, from a server on loopback: `npm run docs -- --test`. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const DIST = fileURLToPath(new URL('../../dist-docs/', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const CHROMIUM = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

const PAGES = readdirSync(DIST, { recursive: true })
  .filter((file) => file.endsWith('.html') && file !== '404.html')
  .sort();
/** One page of a code stands for all of them. */
const VISITED = PAGES.filter((page) => !/codes\/(?!index|guardrail-max-exposure\.)/.test(page));

test('no page loads anything from elsewhere', () => {
  assert.ok(PAGES.length > 200, 'there are pages');
  for (const page of PAGES) {
    const html = readFileSync(join(DIST, page), 'utf8');
    const loaded = [...html.matchAll(/<(?:script|link|img|iframe|source)\b[^>]*?\s(?:src|href)="([^"]*)"/g)];
    const foreign = loaded
      .map(([, target]) => target)
      .filter((target) => !/^(?:\/(?!\/)|data:)/.test(target));
    assert.deepEqual(foreign, [], page);
    assert.match(html, /http-equiv="Content-Security-Policy" content="default-src 'none';/, page);
  }
});

test('the first page is the README, and the sidebar ends with what contributors read', () => {
  const html = readFileSync(join(DIST, 'index.html'), 'utf8');
  assert.match(html, /<h1[^>]*>tradeform/);
  const groups = [...html.matchAll(/<h2[^>]*class="text"[^>]*>([^<]+)</g)].map(([, text]) => text);
  assert.equal(groups.at(-1), 'Contributing');
});

const skip =
  CHROMIUM === undefined
    ? 'NOT LOOKED AT: there is no Chromium here (apt-get install chromium, or its path in CHROMIUM)'
    : false;

let server;
let browser;
let base;

before(async () => {
  if (skip) return;
  server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const file = join(DIST, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    response.end(readFileSync(file));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  base = `http://127.0.0.1:${server.address().port}/`;
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** A page, and what went wrong in it: requests that leave the site, answers without a file, errors and refused scripts. */
async function open(options) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const wrong = [];
  await context.route('**', (route) => {
    const url = route.request().url();
    if (url.startsWith(base)) return route.continue();
    wrong.push(`request to ${url}`);
    return route.abort();
  });
  page.on(
    'response',
    (answer) => answer.status() >= 400 && wrong.push(`${answer.status()} for ${answer.url()}`),
  );
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  return { page, wrong, close: () => context.close() };
}

for (const [word, title, what] of [
  ['guardrail-max-exposure', 'guardrail-max-exposure', 'a code'],
  ['--expect', 'Review, approve', 'an option'],
  ['replacement', 'Glossary', 'a term of the glossary'],
  ['kill switch', 'You know it as', 'a word of other tools'],
]) {
  test(`search finds ${what}: ${word}`, { skip }, async () => {
    const { page, wrong, close } = await open({ viewport: { width: 1440, height: 900 } });
    await page.goto(base);
    await page.locator('#local-search button').click();
    await page.locator('.VPLocalSearchBox input').fill(word);
    const found = page.locator('.VPLocalSearchBox .result', { hasText: title }).first();
    await found.waitFor();
    await found.click();
    await page.locator('main h1', { hasText: title }).waitFor();
    assert.deepEqual(wrong, []);
    await close();
  });
}

for (const colorScheme of ['light', 'dark']) {
  test(`every page fits 360 and 1440 pixels, and axe finds nothing, ${colorScheme}`, { skip }, async () => {
    // The policy of the pages would refuse the script of axe; the tests of the search keep it.
    const { page, wrong, close } = await open({ colorScheme, bypassCSP: true });
    const found = [];
    for (const path of VISITED) {
      await page.goto(base + path);
      await page.locator('main h1').first().waitFor();
      for (const width of path === 'index.html' ? [360, 1440] : [1440]) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(AXE);
        found.push(...(await page.evaluate(violations)).map((each) => `${path}, ${width}: ${each}`));
      }
      for (const width of [1440, 360]) {
        await page.setViewportSize({ width, height: 900 });
        const { tooWide, dark } = await page.evaluate(appearance);
        if (tooWide > 0) found.push(`${path}, ${width}: ${tooWide} pixels too wide`);
        assert.equal(dark, colorScheme === 'dark');
      }
    }
    await close();
    assert.deepEqual([found, wrong], [[], []]);
  });
}

/** In the browser. */
function appearance() {
  const { scrollWidth, clientWidth, classList } = document.documentElement;
  return { tooWide: scrollWidth - clientWidth, dark: classList.contains('dark') };
}

async function violations() {
  const { violations: all } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
  return all.map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes[0].html.slice(0, 200)}`);
}
