import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { jsonEqual } from '../model/json.ts';
import { commentsIn, placeComments } from './comments.ts';
import type { Manifest } from './manifest.ts';
import { readManifests } from './read.ts';
import { mayHoldReference } from './references.ts';
import { childSchema, type SchemaNode, UNKNOWN } from './schema.ts';
import { Source } from './source.ts';
import { composeDocuments, holdsAlias } from './yaml.ts';

/** Content in braces that makes a line longer than this is written with one entry on each line. */
const WIDTH = 110;
/** Braces are never nested deeper than this. */
const MAX_ROUNDS = 64;

type Formatted =
  | { readonly text: string }
  /** The canonical form would lose a comment or change the meaning, so the text stays unchanged. */
  | { readonly text: string; readonly left: true }
  /** The file cannot be read. */
  | { readonly diagnostics: readonly Diagnostic[] };

/**
 * A manifest file in its canonical form: fields in the order of the schema, amounts in double quotes, two columns of
 * indentation, at most one empty line in a row. Comments stay with the nodes that they describe. The quotes of other texts and
 * the order of lists, names and documents stay. Formatting twice gives the same text, and the manifests keep their meaning.
 */
export function formatManifests(file: string, original: string): Formatted {
  const { text } = new Source(file, original.replaceAll('\r\n', '\n'));
  const before = readManifests(new Source(file, text));
  const errors = before.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0 || !before.whole) return { diagnostics: errors };
  const formatted = unfolded(written(text, before.manifests));
  const after = readManifests(new Source(file, formatted));
  const [was, is] = [before, after].map(({ manifests }) => manifests.map(({ value }) => value));
  if (!jsonEqual(was, is) || !jsonEqual(commentsIn(text).sort(), commentsIn(formatted).sort()))
    return { text: original, left: true };
  return { text: original.includes('\r\n') ? formatted.replaceAll('\n', '\r\n') : formatted };
}

function written(text: string, manifests: readonly Manifest[]): string {
  const documents = documentsOf(text);
  for (const [index, document] of documents.entries()) {
    // An alias must follow its anchor, so such a document keeps its order.
    const ordered = !/[&*]/.test(text) || !holdsAlias(document);
    tidy(document.contents, manifests[index]?.schema ?? UNKNOWN, ordered, 'document');
  }
  return textOf(documents);
}

/** The documents with content. A text with errors is not formatted. */
function documentsOf(text: string): Document.Parsed[] {
  const documents = composeDocuments(text, () => undefined)
    .map(({ document }) => document)
    .filter(
      ({ contents, comment, commentBefore }) =>
        comment != null || commentBefore != null || isCollection(contents),
    );
  for (const { contents } of documents) placeComments(contents, text);
  return documents;
}

function textOf(documents: readonly Document.Parsed[]): string {
  return documents
    .map((document, index) => {
      if (index > 0 && document.directives !== undefined) document.directives.docStart = true;
      visit(document, { Collection: (_key, node) => pad(node) });
      return document.toString({ lineWidth: 0 });
    })
    .join('');
}

/** `{ a: [b, c] }`: the library has only one padding for braces and brackets. */
function pad(node: YAMLMap | YAMLSeq): void {
  const flowCollectionPadding = isMap(node) ? ' ' : '';
  const write = node.toString.bind(node);
  node.toString = (context, ...rest) =>
    write(context === undefined ? context : { ...context, flowCollectionPadding }, ...rest);
}

/** What a comment above the first field of a mapping describes, by the position of the mapping. */
type Standing = 'document' | 'item' | 'field';

function tidy(node: Node | null, schema: SchemaNode, ordered: boolean, standing: Standing): void {
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries())
      tidy(item as Node | null, childSchema(schema, index), ordered, 'item');
  } else if (isMap(node)) {
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      tidy(value as Node | null, childSchema(schema, name), ordered, 'field');
    }
    if (ordered) sortFields(node, Object.keys(schema.properties ?? {}), standing);
  } else if (isScalar(node) && schema['x-decimal'] !== undefined) {
    quoteAmount(node);
  }
}

function quoteAmount(node: Scalar): void {
  const { value, source } = node;
  if (typeof value === 'number' && source !== undefined) node.value = source;
  if (typeof node.value !== 'string' || mayHoldReference(node.value)) return;
  node.type = Scalar.QUOTE_DOUBLE;
}

/** First the schema's fields in its order, then unknown fields in their original order. */
function sortFields(node: YAMLMap, order: readonly string[], standing: Standing): void {
  if (order.length === 0) return;
  const places = node.items.map(({ key }) => {
    const place = isScalar(key) ? order.indexOf(String(key.value)) : -1;
    return place < 0 ? order.length : place;
  });
  if (places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0))) return;
  const first = node.items[0]?.key;
  if (isScalar(first)) moveComment(node, first, standing);
  const before = new Map(node.items.map((pair, index) => [pair, places[index] ?? 0]));
  node.items.sort((a, b) => (before.get(a) ?? 0) - (before.get(b) ?? 0));
  const top = node.items[0]?.key;
  if (isScalar(top)) top.spaceBefore = false;
}

/** The parser attaches a comment above the first field to the field or to the mapping, whichever it describes. */
function moveComment(node: YAMLMap, first: Scalar, standing: Standing): void {
  if (standing === 'item' || node.flow === true) return;
  const [from, to] = standing === 'document' ? [first, node] : [node, first];
  if (from.commentBefore == null) return;
  const parts = [node.commentBefore, first.commentBefore].filter((part) => part != null);
  to.commentBefore = parts.join('\n');
  from.commentBefore = null;
}

/** Removes the braces that make a line too long, outermost first. */
function unfolded(text: string): string {
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const documents = documentsOf(current);
    const changed = documents.map((document) => unfoldIn(document, current));
    const next = textOf(documents);
    if (!changed.includes(true) && next === current) return current;
    current = next;
  }
  return current;
}

function unfoldIn(document: Document.Parsed, text: string): boolean {
  const opened = new Set<unknown>();
  visit(document, {
    Collection: (_key, node, path) => {
      if (node.flow !== true) return undefined;
      // The next round sees where this line starts after the outer braces are gone.
      const within = path.some((outer) => opened.has(outer));
      if (node.items.length === 0 || !isTooLong(node, text, within)) return visit.SKIP;
      node.flow = false;
      opened.add(node);
      return undefined;
    },
  });
  return opened.size > 0;
}

/** True also if a comment within the braces needs several lines. `alone`: without the text before it on its line. */
function isTooLong({ range }: Node, text: string, alone: boolean): boolean {
  const [start, end] = range ?? [0, 0];
  const from = alone ? start : text.lastIndexOf('\n', start - 1) + 1;
  return end - from > WIDTH || text.slice(start, end).includes('\n');
}
