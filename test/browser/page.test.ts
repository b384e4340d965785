import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageText } from '../../src/kit/html/layout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { type Browser, type BrowserPage, LIBRARY, launch, MISSING, PATIENCE } from './browser.ts';
import { PAGES } from './pages.ts';

/** The rules of axe to ask: colours do not depend on the width, and nothing else depends on the theme. */
function rulesFor(colorScheme: string, width: number): object | undefined {
  if (colorScheme === 'dark') return width === 1440 ? { runOnly: ['cat.color'] } : undefined;
  const colors = { 'color-contrast': { enabled: false }, 'link-in-text-block': { enabled: false } };
  return width === 1440 ? {} : { rules: colors };
}

describe.skipIf(MISSING !== undefined)(
  `the page in Chromium${MISSING === undefined ? '' : `, NOT LOOKED AT: ${MISSING}`}`,
  () => {
    let browser: Browser;
    let folder = '';
    const urls = new Map<string, string>();
    const urlOf = (name: string) => urls.get(name) ?? '';

    beforeAll(async () => {
      folder = temporaryFolder('page');
      for (const [name, made] of Object.entries(PAGES)) {
        const file = join(folder, `${name}.html`);
        writeFileSync(file, pageText(await made()));
        urls.set(name, pathToFileURL(file).href);
      }
      browser = await launch();
    }, PATIENCE);
    afterAll(() => browser?.close());

    interface Opened {
      readonly page: BrowserPage;
      name: string;
      wrong: string[];
    }
    const tabs = new Map<string, Opened>();

    /** One tab offline for each choice of options: a process of Chromium takes longer to start than most of the tests. */
    async function tabWith(options: object): Promise<Opened> {
      const key = JSON.stringify(options);
      const known = tabs.get(key);
      if (known !== undefined) return known;
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      await context.setOffline(true);
      const page = await context.newPage();
      const tab: Opened = { page, name: '', wrong: [] };
      page.on('request', (request) => {
        if (request.url().split('#')[0] !== urlOf(tab.name)) tab.wrong.push(`request to ${request.url()}`);
      });
      page.on('pageerror', (error) => tab.wrong.push(String(error)));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) tab.wrong.push(message.text());
      });
      page.on('dialog', (dialog) => {
        tab.wrong.push('a dialog');
        dialog.dismiss();
      });
      tabs.set(key, tab);
      return tab;
    }

    /** A page loaded anew, and what goes wrong in it: requests, refused styles and scripts, errors, dialogs. */
    async function open(name: string, options: object = { colorScheme: 'light' }) {
      const tab = await tabWith(options);
      const wrong: string[] = [];
      Object.assign(tab, { name, wrong });
      await tab.page.emulateMedia({ media: null });
      await tab.page.setViewportSize({ width: 1440, height: 900 });
      await tab.page.goto(urlOf(name));
      return { page: tab.page, wrong };
    }

    const rowsOf = (page: BrowserPage) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('.row:not([hidden]) .who')].map((row) => row.textContent)`,
      );
    const counted = (page: BrowserPage, text: string) =>
      expect
        .poll(() => page.evaluate(`document.querySelector('#filters output').value`), { timeout: 60_000 })
        .toBe(text);

    /** Of the rows that no filter hides; with `link` also those that no filter of a link hides. */
    const keptIn = (page: BrowserPage, link = 'always') =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('.row[data-kept=always], .row[data-kept=${link}]')].map((row) => row.querySelector('.who').textContent)`,
      );
    /** The line that says that the link filters, where it can be seen. */
    const linkedText = (page: BrowserPage) =>
      page.evaluate<string>(
        `[document.getElementById('linked')].filter((one) => one.checkVisibility()).map((one) => one.firstChild.textContent).join()`,
      );

    for (const colorScheme of ['light', 'dark']) {
      it(`fits 360 and 1440 pixels, axe finds nothing, nothing is refused or loaded: ${colorScheme}`, {
        timeout: PATIENCE,
      }, async () => {
        const axe = readFileSync(LIBRARY.resolve('axe-core/axe.min.js'), 'utf8');
        for (const name of Object.keys(PAGES).filter((each) => each !== 'many')) {
          const { page, wrong } = await open(name, { colorScheme });
          const background = await page.evaluate<string>(
            'getComputedStyle(document.documentElement).backgroundColor',
          );
          expect(background).toBe(colorScheme === 'dark' ? 'rgb(17, 20, 26)' : 'rgb(245, 246, 248)');
          // All of it, not what is folded.
          await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
          await page.evaluate(axe);
          for (const width of [1440, 360]) {
            await page.setViewportSize({ width, height: 900 });
            const over = await page.evaluate<number>(
              'document.documentElement.scrollWidth - document.documentElement.clientWidth',
            );
            expect({ name, width, over }).toEqual({ name, width, over: 0 });
            const rules = rulesFor(colorScheme, width);
            if (rules === undefined) continue;
            const found = await page.evaluate<string[]>(
              `axe.run(document, { ...${JSON.stringify(rules)}, resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`,
            );
            expect({ name, width, found }).toEqual({ name, width, found: [] });
          }
          expect({ name, wrong }).toEqual({ name, wrong: [] });
        }
      });
    }

    it('opens all, folded sections as well', { timeout: PATIENCE }, async () => {
      const { page, wrong } = await open('plan');
      const closed = `[...document.querySelectorAll('main details')].filter((one) => !one.open).length`;
      expect(await page.evaluate<number>(closed)).toBeGreaterThan(8);
      expect(await page.evaluate<number>(`document.querySelectorAll('details.part').length`)).toBeGreaterThan(
        0,
      );
      await page.evaluate(`document.querySelector('#filters button').click()`);
      expect(await page.evaluate<number>(closed)).toBe(0);
      expect(wrong).toEqual([]);
    });

    it('text of others is text', { timeout: PATIENCE }, async () => {
      const { page, wrong } = await open('hostile');
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(
        await page.evaluate(
          `document.querySelectorAll('img, iframe, a, link, object, [onerror], [style]').length`,
        ),
      ).toBe(0);
      expect(await page.evaluate('document.scripts.length')).toBe(1);
      expect(await page.evaluate<string>('document.body.textContent')).toContain('<img src=x onerror=');
      expect(wrong).toEqual([]);
    });

    it('is completely readable without JavaScript, and can be opened', { timeout: PATIENCE }, async () => {
      const { page, wrong } = await open('plan', { javaScriptEnabled: false });
      expect(await page.evaluate(`getComputedStyle(document.getElementById('filters')).display`)).toBe(
        'none',
      );
      expect(await rowsOf(page)).toContain('sniper/alpha Early launches');
      await page.evaluate(`document.querySelector('.row summary').focus()`);
      await page.keyboard.press('Enter');
      const shown = await page.evaluate<boolean>(
        `document.querySelector('.row .fields').checkVisibility({ contentVisibilityAuto: true })`,
      );
      expect(shown).toBe(true);
      expect(wrong).toEqual([]);
    });

    it('prints folded content, also without JavaScript', { timeout: PATIENCE }, async () => {
      const { page } = await open('plan', { javaScriptEnabled: false });
      const folded = () =>
        page.evaluate<number>(
          `[...document.querySelectorAll('.opened')].filter((one) => !one.checkVisibility()).length`,
        );
      expect(await folded()).toBeGreaterThan(8);
      await page.emulateMedia({ media: 'print' });
      expect(await folded()).toBe(0);
    });

    it('can be filtered with the keyboard alone, and keeps the choice in the address', {
      timeout: PATIENCE,
    }, async () => {
      const { page, wrong } = await open('plan');
      const all = await rowsOf(page);
      await page.keyboard.press('Tab');
      await page.keyboard.type('ALPHA');
      const found = [...(await keptIn(page)), 'sniper/alpha Early launches'].sort();
      expect(found.length).toBeLessThan(all.length);
      await counted(page, `${found.length} of ${all.length} rows`);
      expect((await rowsOf(page)).sort()).toEqual(found);
      await expect.poll(() => page.url(), { timeout: 60_000 }).toMatch(/#q=ALPHA$/);
      expect(await linkedText(page)).toBe('');
      // From the field to the choice of the action, and to the first of them.
      await page.keyboard.press('Tab');
      await page.keyboard.type('create, s');
      await expect.poll(() => page.url(), { timeout: 60_000 }).toMatch(/#q=ALPHA&action=create%2C\+starts?$/);
      await page.reload();
      expect(await rowsOf(page)).toContain('sniper/alpha Early launches');
      expect(await linkedText(page)).toMatch(/^Filtered by the link: /);
      await page.evaluate(`document.querySelector('#filters button:last-of-type').focus()`);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      const shown = `[...document.querySelectorAll('.row details')].find((one) => one.checkVisibility())`;
      expect(await page.evaluate(`${shown}.open`)).toBe(true);
      expect(wrong).toEqual([]);
    });

    it('an unknown choice in the address has no effect, and a hash is no markup', {
      timeout: PATIENCE,
    }, async () => {
      const { page, wrong } = await open('plan');
      const all = await rowsOf(page);
      await page.goto(`${urlOf('plan')}#kind=nothing&sort=%3Cimg%3E&q=%3Cimg%20src=x%20onerror=alert(1)%3E`);
      const kept = await keptIn(page, 'link');
      await counted(page, `${kept.length} of ${all.length} rows`);
      await page.goto(`${urlOf('plan')}#kind=label`);
      await counted(page, `${kept.length + 1} of ${all.length} rows`);
      expect(wrong).toEqual([]);
    });

    it.each(['q=nothing-has-this', 'action=create%2C+start', 'kind=label'])(
      'a link hides neither problems nor warnings, and the page says that it filters: #%s',
      { timeout: PATIENCE },
      async (hash) => {
        const { page, wrong } = await open('refused');
        const all = await rowsOf(page);
        await page.goto(`${urlOf('refused')}#${hash}`);
        await page.reload();
        const shown = await page.evaluate<string>('document.body.innerText');
        for (const text of ['guardrail-max-exposure', 'Too much.', 'Allowed by --override', 'Refused'])
          expect(shown).toContain(text);
        // A warning that stands beside its change only.
        expect(await rowsOf(page)).toContain('transfer-snipe/feed');
        const rows = await rowsOf(page);
        expect(rows.length).toBeLessThan(all.length);
        expect(await linkedText(page)).toContain(
          `Filtered by the link: ${rows.length} of ${all.length} rows shown.`,
        );
        await page.evaluate(`document.querySelector('#linked button').focus()`);
        await page.keyboard.press('Enter');
        await counted(page, `${all.length} rows`);
        expect(await linkedText(page)).toBe('');
        await expect.poll(() => page.url(), { timeout: 60_000 }).toMatch(/#$/);
        expect(wrong).toEqual([]);
      },
    );

    it('a link to one account hides no problem of another one', { timeout: PATIENCE }, async () => {
      const { page, wrong } = await open('fleet');
      await page.goto(`${urlOf('fleet')}#account=south`);
      await page.reload();
      const shown = await page.evaluate<string>('document.body.innerText');
      for (const text of ['north', 'guardrail-max-slippage']) expect(shown).toContain(text);
      expect(await rowsOf(page)).not.toContain('sniper/alpha Early launches');
      expect(wrong).toEqual([]);
    });

    it('sorts and finds among thousands of rows', { timeout: PATIENCE }, async () => {
      const { page, wrong } = await open('many');
      await counted(page, '5000 rows');
      await page.goto(`${urlOf('many')}#q=t499&sort=address`);
      await counted(page, '11 of 5000 rows');
      expect(await rowsOf(page)).toEqual([
        'sniper/t499',
        ...Array.from({ length: 10 }, (_, at) => `sniper/t499${at}`),
      ]);
      await page.goto(`${urlOf('many')}#sort=sol`);
      await counted(page, '5000 rows');
      expect((await rowsOf(page)).slice(0, 2)).toEqual(['sniper/t998', 'sniper/t997']);
      expect(await page.evaluate(`document.querySelectorAll('.rows > ul').length`)).toBe(25);
      expect(wrong).toEqual([]);
    });
  },
);
