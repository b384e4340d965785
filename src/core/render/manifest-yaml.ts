import { Document, isCollection, type Node, Pair, Scalar, visit, YAMLMap, YAMLSeq } from 'yaml';
import type { Location } from '../diagnostics/diagnostic.ts';
import type { Path } from '../manifest/spans.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { placeText } from './differences.ts';
import { cells, padEnd } from './layout.ts';
import { visible, writeHidden } from './untrusted.ts';

/** The place of a value. `default` for a value that no file sets. */
export type ValueOrigin = Location | 'default';

interface YamlManifest {
  readonly manifest: JsonObject;
  /** One or more lines above the document. */
  readonly note?: string | readonly string[];
  /** The origin of a scalar, or of an empty list or mapping. Undefined if there is nothing to report. */
  readonly origin?: (path: Path) => ValueOrigin | undefined;
}

const OPTIONS = {
  // A long text stays on one line, together with its comment.
  lineWidth: 0,
  blockQuote: false,
  doubleQuotedAsJSON: true,
} as const;
/** Marks the start of comments that are to be aligned. No value contains it, because values have it escaped. */
const MARK = '\u0001';
/** A longer line has its comment directly after it, and does not move the other comments. */
const WIDEST = 48;

/**
 * Manifests as YAML, one document each. Everything that another reader would not read as text is quoted, for example amounts,
 * and invisible characters are escaped. Reading the YAML gives exactly the same values.
 */
export function manifestsYaml(manifests: readonly YamlManifest[]): string {
  return manifests.map(documentText).join('---\n');
}

/** A list or mapping in block style, or a scalar. Ends with a line break. */
export function blockYaml(value: Json): string {
  return valueText(nodeOf(value, [], () => undefined));
}

/** A value on one line, in braces and brackets, valid in every position. */
export function flowYaml(value: Json): string {
  const node = nodeOf(value, [], () => undefined);
  visit(node, {
    Collection: (_key, collection) => {
      collection.flow = true;
    },
  });
  // Texts with a special meaning within braces are quoted only there.
  const text = valueText(isCollection(node) ? node : flowList(node))
    .trimEnd()
    .replace(/\n\s*/g, ' ');
  return isCollection(node) ? text : text.slice(1, -1).trim();
}

function flowList(node: Node): Node {
  const list = new YAMLSeq();
  list.items = [node];
  list.flow = true;
  return list;
}

function valueText(contents: Node): string {
  const document = new Document(undefined, { version: '1.2', schema: 'core', compat: 'yaml-1.1' });
  document.contents = contents;
  const text = document.toString({ ...OPTIONS, flowCollectionPadding: true });
  return harmless(text);
}

function documentText({ manifest, note, origin }: YamlManifest): string {
  // Text that YAML 1.1 reads as a number or a boolean is quoted too, because other programs may read it.
  const document = new Document(undefined, { version: '1.2', schema: 'core', compat: 'yaml-1.1' });
  document.contents = nodeOf(manifest, [], origin ?? (() => undefined));
  if (note !== undefined)
    document.commentBefore = [note]
      .flat()
      .map((line) => ` ${visible(line)}`)
      .join('\n');
  const text = document.toString(OPTIONS).replace(/^((?:#.*\n)+)\n/, '$1');
  return harmless(aligned(text));
}

/** What GitHub's runner may read as a command. In quotes the second form does not begin a line. */
const COMMAND = /##\[|^\s*::/;

/**
 * The text without invisible characters and without commands for a CI runner, and with the same values: what is written to a
 * file or a pipe is read again, so no stream may alter it later.
 */
function harmless(text: string): string {
  const seen = writeHidden(text, (character) => (character === '\n' ? character : escaped(character)));
  return seen.replaceAll('##[', '#\\u0023[');
}

function nodeOf(value: Json, path: Path, origin: NonNullable<YamlManifest['origin']>): Node {
  const node = bare(value, path, origin);
  const place = isEmpty(value) || !(Array.isArray(value) || isObject(value)) ? origin(path) : undefined;
  if (place !== undefined) node.comment = MARK + (place === 'default' ? place : placeText(place));
  return node;
}

function bare(value: Json, path: Path, origin: NonNullable<YamlManifest['origin']>): Node {
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items = value.map((item, index) => nodeOf(item, [...path, index], origin));
    list.flow = value.length === 0;
    return list;
  }
  if (isObject(value)) {
    const map = new YAMLMap();
    map.items = Object.entries(value).map(
      ([key, child]) => new Pair(scalar(key), nodeOf(child, [...path, key], origin)),
    );
    map.flow = isEmpty(value);
    return map;
  }
  return scalar(value);
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function scalar(value: string | number | boolean | null): Scalar {
  const node = new Scalar(value);
  // Escapes work only in double quotes.
  if (typeof value === 'string' && (writeHidden(value, () => '') !== value || COMMAND.test(value)))
    node.type = 'QUOTE_DOUBLE';
  return node;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** Moves the comments of a document into one column. */
function aligned(text: string): string {
  const lines = text.split('\n').map((line) => line.split(` #${MARK}`));
  const widths = lines.flatMap(([line = '', comment]) => (comment === undefined ? [] : [cells(line)]));
  const column = Math.max(0, ...widths.filter((width) => width <= WIDEST));
  return lines
    .map(([line = '', comment]) => (comment === undefined ? line : `${padEnd(line, column)} # ${comment}`))
    .join('\n');
}
