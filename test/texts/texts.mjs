/**
 * Every text that the program can print: the string literals and templates of src/ and cmd/ that hold at least two words, and
 * the descriptions of the schemas, which `explain` shows.
 *
 *   npm run texts                     all of them, with file and line
 *   npm run texts -- src/core/plan cmd     those of some folders
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as is from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WORDS = /\p{L}{2}[\p{L}’']*[,;:.)]?\s+(?:\S+\s+)?\p{L}/u;

/** @returns {{ path: string, line: number, text: string }[]} placeholders of a template are written {…} */
export function printedTexts() {
  return [...literals(), ...descriptions()];
}

function literals() {
  const api = new API({ cwd: ROOT });
  try {
    const snapshot = api.updateSnapshot({ openProject: join(ROOT, 'tsconfig.json') });
    const [project] = snapshot.getProjects();
    return ['src', 'cmd'].flatMap(sources).flatMap((path) => {
      const file = project.program.getSourceFile(join(ROOT, path));
      const found = [];
      visit(file, (text, start) => {
        const line = file.text.slice(0, start).split('\n').length;
        if (WORDS.test(text)) found.push({ path, line, text });
      });
      return found;
    });
  } finally {
    api.close();
  }
}

function sources(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => path.endsWith('.ts') && !path.includes('/generated/'))
    .sort();
}

function visit(node, report) {
  if (is.isImportDeclaration(node) || is.isTypeNode(node)) return;
  const text = textOf(node);
  if (text !== undefined) report(text, node.end - node.getText().length);
  // A text that is part of a sum is reported with the sum; the placeholders of its templates may hold further texts.
  for (const part of text === undefined ? [node] : operands(node))
    if (textOf(part) === undefined || is.isTemplateExpression(part))
      part.forEachChild((child) => visit(child, report));
}

/** The text of a literal, of a template or of a sum of them. */
function textOf(node) {
  if (is.isStringLiteral(node) || is.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (is.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `{…}${literal.text}`).join('');
  if (!is.isBinaryExpression(node) || node.operatorToken.getText() !== '+') return undefined;
  const parts = operands(node).map(textOf);
  return parts.some((part) => part !== undefined) ? parts.map((part) => part ?? '{…}').join('') : undefined;
}

function operands(node) {
  return is.isBinaryExpression(node) && node.operatorToken.getText() === '+'
    ? [...operands(node.left), ...operands(node.right)]
    : [node];
}

/** Of the documents and of the manifests, each once. */
function descriptions() {
  const files = readdirSync(join(ROOT, 'schemas')).filter((name) => name.endsWith('.schema.json'));
  const seen = new Set();
  return [...files.map((name) => `schemas/${name}`), 'src/core/model/generated/manifest-schema.json'].flatMap(
    (path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .flatMap((row, at) =>
          [...row.matchAll(/"description": ("(?:[^"\\]|\\.)*")/g)].map(([, text]) => ({
            path,
            line: at + 1,
            text: JSON.parse(text),
          })),
        )
        .filter(({ text }) => !seen.has(text) && seen.add(text)),
  );
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const folders = process.argv.slice(2);
  for (const { path, line, text } of printedTexts())
    if (folders.length === 0 || folders.some((folder) => path.startsWith(folder)))
      process.stdout.write(`${path}:${line}  ${text.trim().replaceAll('\n', '\\n')}\n`);
}
