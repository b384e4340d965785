import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageText } from '../../src/kit/html/layout.ts';
import { type Browser, type BrowserPage, launch, MISSING, PATIENCE } from './browser.ts';
import { PAGES } from './pages.ts';

/**
 * The first screen of each kind of page, at a third of its size, against the pictures of this folder. A change of the look that
 * is intended: TRADEFORM_SCREENSHOTS=write npx vitest run test/browser/screenshots.test.ts, and look at the pictures.
 */
const FOLDER = fileURLToPath(new URL('./screenshots/', import.meta.url));
const FONTS = join(FOLDER, 'fonts.json');
const WRITES = process.env.TRADEFORM_SCREENSHOTS === 'write';
const SCALE = 1 / 3;
/** A pixel differs if a channel does by more than this: another version of Chromium smooths the edges of letters differently. */
const TOLERANCE = 48;
/** Of all pixels. Another colour of one kind of row is more than this. */
const MOST_DIFFERENT = 0.001;

const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 360, height: 780 } };
const CASES = ['plan', 'refused', 'apply', 'fleet'].flatMap((page) =>
  (Object.keys(SIZES) as (keyof typeof SIZES)[]).flatMap((size) => [
    { name: `${page}-${size}`, page, size, colorScheme: 'light' },
    ...(page === 'plan' ? [{ name: `${page}-${size}-dark`, page, size, colorScheme: 'dark' }] : []),
  ]),
);

/** Both pictures in canvases of one size. Resolves with the share of the pixels that differ. */
const COMPARE = `async ([former, present]) => {
  const pixels = async (data) => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + data;
    await image.decode();
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(image, 0, 0);
    return { width, height, data: context.getImageData(0, 0, width, height).data };
  };
  const [one, other] = [await pixels(former), await pixels(present)];
  if (one.width !== other.width || one.height !== other.height) return 1;
  let different = 0;
  for (let at = 0; at < one.data.length; at += 4)
    if ([0, 1, 2].some((channel) => Math.abs(one.data[at + channel] - other.data[at + channel]) > ${TOLERANCE})) different += 1;
  return different / (one.width * one.height);
}`;

const SHRINK = `async (data) => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + data;
  await image.decode();
  const canvas = new OffscreenCanvas(Math.round(image.width * ${SCALE}), Math.round(image.height * ${SCALE}));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
}`;

/** Widths of a text in the fonts that this machine has for the pages. */
const WIDTHS = `(() => {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  return ['15px system-ui, sans-serif', '600 15px system-ui, sans-serif', '14px ui-monospace, monospace'].map((font) => {
    context.font = font;
    return Math.round(context.measureText('0.8725 → 1.375 SOL at stake, sniper/alpha').width);
  });
})()`;

describe.skipIf(MISSING !== undefined)(
  `screenshots${MISSING === undefined ? '' : `, NOT COMPARED: ${MISSING}`}`,
  () => {
    let browser: Browser;
    let page: BrowserPage;
    let tools: BrowserPage;
    let widths = '';
    beforeAll(async () => {
      mkdirSync(FOLDER, { recursive: true });
      browser = await launch();
      const context = await browser.newContext({ reducedMotion: 'reduce' });
      page = await context.newPage();
      tools = await context.newPage();
      widths = `[${(await tools.evaluate<number[]>(WIDTHS)).join(', ')}]`;
      if (WRITES) writeFileSync(FONTS, `${widths}\n`);
    }, PATIENCE);
    afterAll(() => browser?.close());

    it.for(CASES)(
      '$name looks as before',
      { timeout: PATIENCE },
      async ({ name, page: kind, size, colorScheme }, { skip }) => {
        skip(readFileSync(FONTS, 'utf8').trim() !== widths, 'NOT COMPARED: this machine has other fonts');
        await page.setViewportSize(SIZES[size]);
        await page.emulateMedia({ colorScheme });
        await page.setContent(pageText((await PAGES[kind]?.()) ?? expect.fail(kind)));
        const taken = (await page.screenshot()).toString('base64');
        const present = await tools.evaluate<string>(`(${SHRINK})(${JSON.stringify(taken)})`);
        const file = join(FOLDER, `${name}.png`);
        const actual = join(FOLDER, `${name}.actual.png`);
        rmSync(actual, { force: true });
        if (WRITES) writeFileSync(file, Buffer.from(present, 'base64'));
        expect(existsSync(file), `${file} is missing`).toBe(true);
        const former = readFileSync(file).toString('base64');
        const share = await tools.evaluate<number>(`(${COMPARE})(${JSON.stringify([former, present])})`);
        if (share > MOST_DIFFERENT) writeFileSync(actual, Buffer.from(present, 'base64'));
        expect(share, `compare ${actual} with ${file}`).toBeLessThanOrEqual(MOST_DIFFERENT);
      },
    );
  },
);
