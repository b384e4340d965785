import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The page in Debian's Chromium. What drives it is installed in `site/`, by `npm run docs` or `.ci/run`. */
export const LIBRARY = createRequire(new URL('../../site/package.json', import.meta.url));
/** A folder may be there of an installation that was cut off. */
function canLoad(name: string): boolean {
  try {
    LIBRARY(name);
    return true;
  } catch {
    return false;
  }
}

const CHROMIUM = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
/** Why the tests of this folder cannot look, if they cannot. */
export const MISSING =
  CHROMIUM === undefined
    ? 'there is no Chromium'
    : canLoad('playwright-core') && canLoad('axe-core')
      ? undefined
      : 'site/node_modules is not installed (npm ci --prefix site)';
export const PATIENCE = 240_000;

/** What of playwright-core is used: its types are not among the packages of the program. */
export interface BrowserPage {
  goto(url: string): Promise<unknown>;
  setContent(html: string): Promise<unknown>;
  reload(): Promise<unknown>;
  url(): string;
  evaluate<Result>(script: string): Promise<Result>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  screenshot(): Promise<Buffer>;
  emulateMedia(options: { media?: 'print' | null; colorScheme?: string }): Promise<void>;
  on(
    event: string,
    hear: (what: { text(): string; type(): string; url(): string; dismiss(): void }) => void,
  ): void;
  close(): Promise<void>;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
}
interface Context {
  newPage(): Promise<BrowserPage>;
  setOffline(offline: boolean): Promise<void>;
}
export interface Browser {
  newContext(options: object): Promise<Context>;
  close(): Promise<void>;
}

export function launch(): Promise<Browser> {
  const { chromium } = LIBRARY('playwright-core') as {
    chromium: { launch(options: object): Promise<Browser> };
  };
  // Pages of a context share a process: to start one takes most of the time of a small page.
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-site-isolation-trials',
    '--renderer-process-limit=1',
  ];
  return chromium.launch({ executablePath: CHROMIUM, args, timeout: PATIENCE });
}
