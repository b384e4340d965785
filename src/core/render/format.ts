import { CommandFailure } from '../diagnostics/diagnostic.ts';
import { HTML_MARK } from './escape.ts';
import type { FindingsDocument } from './finding.ts';
import type { TextOptions } from './text-layout.ts';
import type { View } from './view.ts';
import type { GuardedAs } from './workflow-guard.ts';

/** Where a document goes. The layout of text depends on it, and Markdown depends on the available room. */
export interface Medium extends TextOptions {
  /** True for a file: text that would go to stderr belongs into the file. */
  readonly file: boolean;
  /** Available room in UTF-8 bytes: `--max-bytes`, or the limit of the place. */
  readonly maxBytes?: number;
}

/** What a format is made of. All of it is masked. */
export interface Presentable {
  readonly document: () => Promise<object>;
  /** For people. */
  readonly view: () => Promise<View>;
  /** The text, which may say more than the view. */
  readonly text: (medium: Medium) => Promise<string>;
  /** For a browser. */
  readonly page: () => Promise<View>;
  /** For the machines of a forge. */
  readonly findings: () => Promise<FindingsDocument>;
  readonly essence: Essence | undefined;
}

/** The part of a document that Markdown never cuts. */
export interface Essence {
  /** `the essential parts do not fit BYTES bytes: …`. */
  readonly essence: string;
  /** How to get a document with fewer addresses: `plan`. */
  readonly less: string;
}

/** The layouts for browsers and for the machines of a forge. */
export type Layouts = Readonly<
  Record<'html' | 'sarif' | 'github' | 'gitlab', (from: Presentable) => Promise<string>>
>;

interface FormatRow {
  readonly write: (from: Presentable, medium: Medium, layouts: Layouts) => Promise<string>;
  /** Whether a file may begin like this, in its first 512 bytes. No other file is overwritten. */
  readonly begins: (start: string) => boolean;
  /** What a CI runner must not take for its commands. */
  readonly guardedAs: GuardedAs | 'none';
  /** Made of findings: only for a document that checks something. */
  readonly ofFindings?: true;
}

/** The first line of a text report in a file. Without it, a report could not be told from somebody's notes. */
export const TEXT_MARK = 'tradeform report';

/** The formats of `-o` and `--report`, in the order of the help. `render` also has `yaml`. Each layout is loaded on demand. */
const ROWS = {
  text: {
    write: ({ text }, medium) => text(medium),
    begins: (start) => start.startsWith(TEXT_MARK),
    guardedAs: 'text',
  },
  json: {
    write: async ({ document }) => (await import('./result.ts')).jsonText(await document()),
    begins: (start) => start.startsWith('{') && start.includes('"format": "tradeform.'),
    guardedAs: 'json',
  },
  markdown: {
    write: async ({ view, essence }, { maxBytes }) => fittedMarkdown(await view(), maxBytes, essence),
    begins: (start) => start.startsWith('<!-- tradeform:'),
    guardedAs: 'text',
  },
  html: {
    write: (from, _medium, layouts) => layouts.html(from),
    begins: (start) => start.includes(HTML_MARK),
    guardedAs: 'xml',
  },
  sarif: {
    write: (from, _medium, layouts) => layouts.sarif(from),
    begins: (start) => start.includes('"version": "2.1.0"') && start.includes('"name": "tradeform"'),
    guardedAs: 'json',
    ofFindings: true,
  },
  github: {
    write: (from, _medium, layouts) => layouts.github(from),
    begins: (start) => /^::(?:error|warning|notice) (?:file|title)=/.test(start),
    guardedAs: 'none',
    ofFindings: true,
  },
  gitlab: {
    write: (from, _medium, layouts) => layouts.gitlab(from),
    begins: (start) => /^\[(?:\]|\s+\{\s+"description": )/.test(start),
    guardedAs: 'json',
    ofFindings: true,
  },
} as const satisfies Readonly<Record<string, FormatRow>>;

export type Format = keyof typeof ROWS;
export const FORMATS = Object.keys(ROWS) as readonly Format[];
/** Those of a document that checks nothing. */
export const PLAIN_FORMATS = FORMATS.filter((format) => !('ofFindings' in ROWS[format]));

export function isFormat(name: string): name is Format {
  return Object.hasOwn(ROWS, name);
}

export function formatRow(format: Format): FormatRow {
  return ROWS[format];
}

/**
 * A view as Markdown, in full or in at most `maxBytes`. If the required parts do not fit, it fails (exit 3). Without an essence,
 * the document is then the verdict alone.
 */
export async function fittedMarkdown(
  view: View,
  maxBytes: number | undefined,
  essence?: Essence,
): Promise<string> {
  const { viewMarkdown, viewMarkdownWithin } = await import('./markdown/layout.ts');
  if (maxBytes === undefined) return viewMarkdown(view);
  const fitted = viewMarkdownWithin(view, maxBytes);
  if ('text' in fitted) return fitted.text;
  if (essence === undefined) return `**${view.verdict}**\n`;
  const { needs } = fitted;
  throw CommandFailure.of(
    3,
    'max-bytes-too-small',
    `${essence.essence.replace('BYTES', String(maxBytes))} take ${needs}`,
    `Use --max-bytes ${needs} or more, or ${essence.less} fewer addresses at a time with --target.`,
  );
}

/**
 * The room of places that show Markdown, in UTF-8 bytes. A place that counts characters has at least as much room (HAZARDS 48,
 * DESIGN 1).
 */
const PLACES: Readonly<Record<string, number>> = {
  // GitHub documents 65,536 characters but counts in several ways. This many bytes always fit.
  'github-comment': 65_536,
  // GitHub drops a longer step summary completely.
  'step-summary': 1_048_576,
  'gitlab-note': 1_000_000,
};

export const PLACE_NAMES: readonly string[] = Object.keys(PLACES);

/** The value of `--max-bytes`: the name of a place or a number of bytes. Undefined for anything else. */
export function maxBytesOf(text: string): number | undefined {
  if (Object.hasOwn(PLACES, text)) return PLACES[text];
  return /^[1-9]\d{0,11}$/.test(text) ? Number(text) : undefined;
}
