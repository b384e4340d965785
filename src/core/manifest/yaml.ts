import { Composer, type CST, type Document, type Node, Parser, Schema, visit, type YAMLError } from 'yaml';
import { byKey } from '../model/by-key.ts';
import { findUnreadable, MAX_SYNTAX_FINDINGS } from './invisible.ts';
import type { Finding } from './source.ts';

/** Deeper than any manifest. The YAML library recurses, and V8 aborts the whole process on a stack overflow in it. */
export const MAX_DEPTH = 64;

/** YAML 1.2 core without merge keys. Shared by all documents, because creating it takes longer than reading a short one. */
const CORE = new Schema({ schema: 'core', merge: false, resolveKnownTags: false });

/** A document as the library composed it. `readable` is false if it has syntax errors. */
interface ComposedDocument {
  readonly document: Document.Parsed;
  readonly readable: boolean;
}

/** YAML 1.2 core, several documents. Never throws. */
export function composeDocuments(
  text: string,
  found: (finding: Finding) => void,
): readonly ComposedDocument[] {
  const unprintable = findUnreadable(text, found);
  const documents: ComposedDocument[] = [];
  const composer = new Composer({
    version: '1.2',
    schema: CORE,
    // Quadratic in the library. The converter has its own check.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  // The composer returns a document when it receives the next one.
  let inside: CST.Token | undefined;
  const take = (document: Document.Parsed) => {
    const syntax = report(document, inside, text, found, unprintable);
    if (!unprintable && text.includes('\\')) findEscaped(document, found);
    documents.push({ document, readable: !syntax });
  };
  try {
    for (const token of new Parser().parse(text)) {
      if (token.type === 'directive') {
        found(directive(token.offset, token.source));
        continue;
      }
      const deep = token.type === 'document' ? tooDeep(token) : undefined;
      if (deep !== undefined) {
        found(deep);
        continue;
      }
      for (const document of composer.next(token)) take(document);
      if (token.type === 'document') inside = token;
    }
    for (const document of composer.end()) take(document);
  } catch {
    found({ code: 'yaml-syntax', message: 'this is not valid YAML', start: 0, end: 1 });
  }
  return documents;
}

/** In double quotes, an escape writes such a character unseen: "a\u2028b". */
function findEscaped(document: Document.Parsed, found: (finding: Finding) => void): void {
  visit(document, {
    Scalar: (_, { value, range }) => {
      const [start, end] = range ?? [0, 1];
      if (typeof value === 'string') findUnreadable(value, (finding) => found({ ...finding, start, end }));
    },
  });
}

function directive(start: number, source: string): Finding {
  const message = `the directive ${source.split(/\s/, 1)[0]} is not allowed`;
  const hint = 'remove it: manifests are YAML 1.2 without directives';
  return { code: 'yaml-directive', message, hint, start, end: start + source.length };
}

/** Reports the findings of the library. True if there are syntax errors. */
function report(
  { errors, warnings }: Document.Parsed,
  token: CST.Token | undefined,
  text: string,
  found: (finding: Finding) => void,
  unprintable: boolean,
): boolean {
  const syntax = errors.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED');
  // After an unprintable character, the findings of the library only confuse.
  if (!unprintable)
    for (const finding of syntaxFindings(syntax, token, text).slice(0, MAX_SYNTAX_FINDINGS)) {
      // The library cuts an escape within a character of two units.
      const message = finding.message.replace(/[\ud800-\udbff]$/, (half) =>
        String.fromCodePoint(text.codePointAt(text.indexOf(half, finding.start)) ?? 0),
      );
      found({ ...finding, message, hint: holdsReference(text, finding.start) ? IN_BRACES : finding.hint });
    }
  for (const { code, pos } of [...errors, ...warnings])
    if (code === 'TAG_RESOLVE_FAILED') found(tagFinding(pos, text));
  return syntax.length > 0;
}

const IN_BRACES = 'inside { } and [ ], put a value that contains ${…} in quotes: { size: "${var.size}" }';

function holdsReference(text: string, at: number): boolean {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return /[{[].*\$\{/.test(text.slice(start, end < 0 ? text.length : end));
}

/**
 * Findings after an unclosed bracket, a wrong indentation, or after the first content outside a document, are consequences of it. Of
 * several in one line, only the first with a hint is told.
 */
function syntaxFindings(errors: readonly YAMLError[], document: CST.Token | undefined, text: string) {
  const open = errors.some(({ message }) => NOT_CLOSED.test(message)) ? openBrackets(document) : [];
  const from = open[0]?.start ?? Number.POSITIVE_INFINITY;
  const outside = errors.findIndex(({ message }) => message.includes('in YAML stream'));
  const others = outside < 0 ? errors : errors.slice(0, outside + 1);
  const slip = others.findIndex(({ code }) => INDENTATION.has(code));
  const found = others
    .filter(({ code, pos }, index) => pos[0] < from && (index <= slip || slip < 0 || !AFTER_SLIP.has(code)))
    .map((error) => misplaced(error, others, text) ?? syntaxFinding(error, document));
  const lines = [...byKey(found, ({ start }) => text.lastIndexOf('\n', start - 1)).values()];
  return [...lines.flatMap((same) => same.find(({ hint }) => hint !== undefined) ?? same[0] ?? []), ...open];
}

/** A line that is deeper or less deep than the line above allows, or for which that line is too deep. */
function misplaced({ code, pos: [from] }: YAMLError, errors: readonly YAMLError[], text: string) {
  const key = errors.find((one) => one.code === 'MULTILINE_IMPLICIT_KEY' && one.pos[0] === from);
  const at = code === 'BAD_INDENT' ? from : code === 'BLOCK_AS_IMPLICIT_KEY' ? key?.pos[1] : undefined;
  if (at === undefined) return undefined;
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const above = text.slice(0, start).trimEnd().lastIndexOf('\n') + 1;
  const [own = 0, other] = [start, above].map((line) => text.slice(line).search(/[^ ]/));
  const message = `this line fits no line above: it is indented by ${own}, the line above by ${other}`;
  return { code: 'yaml-syntax', message, hint: SAME, start, end: start + Math.max(1, own) } as const;
}

const INDENTATION = new Set<string>(['BAD_INDENT', 'BLOCK_AS_IMPLICIT_KEY', 'TAB_AS_INDENT']);
const AFTER_SLIP = new Set<string>([...INDENTATION, 'MULTILINE_IMPLICIT_KEY', 'MISSING_CHAR']);
const NOT_CLOSED = /^Flow .* end with a [\]}]$/;

const SAME = 'indent fields of one mapping alike; a field above them ends with ":"';
const QUOTES = 'put the whole text in quotes, or remove it';
const BELOW = 'begin it on the next line, or put the text in quotes';

/** What the library says, in the words of a user, and what to do; `$1`: a part of the text. */
const PLAIN: readonly (readonly [RegExp, string, string])[] = [
  [/^TAB_AS_INDENT/, 'a tab as indentation', 'indent with spaces'],
  [/^BLOCK_AS_IMP/, 'a key cannot begin here', 'check the indentation; put text with ": " in quotes'],
  [/^BAD_SCALAR_START .*?(\S+)$/, 'text cannot begin with $1', QUOTES],
  [/^BAD_DQ_ESCAPE .*? (\\.*)$/, 'there is no escape $1', 'write \\\\ for a backslash, or use single quotes'],
  [/ at node end$/, 'text behind the end of the value', QUOTES],
  [/^(?:MISSING_CHAR Imp|MULTILINE_IMP)/, 'a key without ": "', 'write KEY: VALUE, on a line of its own'],
  [/^MISSING_CHAR Seq/, 'a list item without "- "', 'write "- " before it, or check the indentation'],
  [/^MISSING_CHAR Com/, 'a comment without a space before it', 'write a space before the #'],
  [/^(?:MISSING_CHAR Missing ,|BLOCK_IN_FLOW)/, 'a comma is missing', 'write a comma before this item'],
  [/ Unexpected , in flow/, 'a comma without an item before it', 'remove it'],
  [/ Unexpected block-seq-ind/, 'a list cannot begin here', BELOW],
  [/ (?:header includes|Not a YAML token)/, 'text behind > or |', BELOW],
  [/ Unexpected flow-.*stream: "(.)"/, 'a $1 that closes nothing', QUOTES],
];

function syntaxFinding({ code, message, pos }: YAMLError, document: CST.Token | undefined): Finding {
  const place = { start: pos[0], end: Math.max(pos[1], pos[0] + 1) };
  const wrong = (words: string, hint?: string): Finding => ({
    code: 'yaml-syntax',
    message: words,
    hint,
    ...place,
  });
  if (code === 'RESOURCE_EXHAUSTION') return { ...wrong('nested too deeply'), code: 'yaml-too-deep' };
  if (code === 'BAD_ALIAS') return { ...wrong(lower(message)), code: 'yaml-alias' };
  if (!/^Missing closing .quote/.test(message)) {
    const said = `${code} ${message.split('\n', 1)[0]}`;
    const plain = PLAIN.find(([pattern]) => pattern.test(said));
    if (plain === undefined) return wrong(lower(message));
    const [pattern, words, hint] = plain;
    const told = words.replace('$1', () => pattern.exec(said)?.[1] ?? '');
    return wrong(told, hint);
  }
  // Detected at the end of the text, but the error is at the start of the quotation.
  const open = findToken(
    document,
    (token) => 'source' in token && token.offset + token.source.length === pos[0],
  );
  const start = open?.offset ?? pos[0];
  return { ...wrong('a quote that is never closed'), start, end: start + 1 };
}

function tagFinding([start, end]: YAMLError['pos'], text: string): Finding {
  const message = `the tag ${text.slice(start, end)} is not allowed here`;
  return { code: 'yaml-unknown-tag', message, hint: 'remove the tag: manifests need none', start, end };
}

function lower(message: string): string {
  const line = message.split('\n', 1)[0] ?? message;
  return `${line.charAt(0).toLowerCase()}${line.slice(1)}`;
}

function tooDeep(document: CST.Document): Finding | undefined {
  const start = findToken(document, (_, depth) => depth > MAX_DEPTH)?.offset;
  const message = `nested more than ${MAX_DEPTH} levels deep`;
  return start === undefined ? undefined : { code: 'yaml-too-deep', message, start, end: start + 1 };
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}' };
const WHOLE: Readonly<Record<string, string>> = { '[': 'list', '{': 'mapping' };

/**
 * The unclosed brackets of a document, each at its opening: nobody knows where the closing one is missing. A bracket closed by
 * the wrong sign leaves the outer brackets open too, so only that bracket is reported.
 */
function openBrackets(document: CST.Token | undefined): readonly Finding[] {
  const open: CST.FlowCollection[] = [];
  findToken(document, (token) => {
    if (token.type === 'flow-collection' && closedBy(token) !== CLOSING[token.start.source]) open.push(token);
    return false;
  });
  const wrong = open.filter((token) => closedBy(token) !== undefined);
  return (wrong.length > 0 ? wrong : open)
    .sort((a, b) => a.offset - b.offset)
    .map((token) => {
      const { source, offset } = token.start;
      const closing = CLOSING[source];
      const by = closedBy(token);
      return {
        code: 'yaml-syntax',
        message: `a ${source} that ${by === undefined ? 'is not closed' : `${by} closes`}`,
        hint: `write ${closing} ${by === undefined ? `where the ${WHOLE[source]} ends` : `before the ${by}`}`,
        start: offset,
        end: offset + 1,
      };
    });
}

function closedBy({ end }: CST.FlowCollection): string | undefined {
  return end.find(({ type }) => type === 'flow-seq-end' || type === 'flow-map-end')?.source;
}

/**
 * The first token for which `matches` is true. Walks the concrete syntax without recursion, so it can check the depth of a text
 * before the library composes it recursively. `depth` counts nested collections.
 */
function findToken(
  root: CST.Token | undefined,
  matches: (token: CST.Token, depth: number) => boolean,
): CST.Token | undefined {
  const stack: { readonly token: CST.Token; readonly depth: number }[] =
    root === undefined ? [] : [{ token: root, depth: 0 }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { token, depth } = top;
    const collection = 'items' in token;
    if (matches(token, depth + (collection ? 1 : 0))) return token;
    if (token.type === 'document' && token.value !== undefined) stack.push({ token: token.value, depth });
    if (!collection) continue;
    for (const { key, value } of token.items) {
      if (key != null) stack.push({ token: key, depth: depth + 1 });
      if (value !== undefined) stack.push({ token: value, depth: depth + 1 });
    }
  }
  return undefined;
}

/** True if the node, or anything in it, is an alias. */
export function holdsAlias(root: Node | Document.Parsed): boolean {
  let found = false;
  visit(root, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}
