// npm run baseline [-- --anew]: what programs and repositories elsewhere rely on, as it was last agreed to. It is written anew where
// all of that still holds; with --anew also where it does not, which takes a new version of the format once there was a release.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = `${ROOT}test/schemas/baseline.json`;
const TEXTS =
  /^(?:\$schema|\$id|title|description|markdownDescription|default|defaultSnippets|examples|enumDescriptions|tsType|x-.*)$/;
const NAMED = ['properties', 'definitions', 'patternProperties'];

/** `change`: of the texts that are read. `roots`: format → shape. `shapes`: each object once, under a name made of its content. */
export function currentBaseline(change = (text) => text) {
  const shapes = {};
  const roots = {};
  for (const folder of ['schemas', 'schemas/manifest'])
    for (const file of readdirSync(ROOT + folder).filter((name) => name.endsWith('.schema.json'))) {
      const schema = JSON.parse(change(readFileSync(`${ROOT}${folder}/${file}`, 'utf8')));
      const { format, apiVersion } = schema.properties ?? {};
      const version = format?.const ?? (apiVersion && `${apiVersion.const} ${file.split('.')[0]}`);
      if (version !== undefined) roots[version] = reduced(schema, shapes);
    }
  return { ...words(change), roots, shapes: Object.fromEntries(Object.entries(shapes).sort()) };
}

/** Codes of diagnostics, exit codes, and the markers that are read. */
function words(change) {
  const read = (path) => change(readFileSync(ROOT + path, 'utf8'));
  const codes = [...read('docs/reference/codes/README.md').matchAll(/^\| \[`([a-z0-9-]+)`\]/gm)];
  const exits = [...read('docs/reference/exit-codes.md').matchAll(/^\| (\d+) \|/gm)];
  const pattern = (path, name) => new RegExp(`\\b${name} =\\s*([^;]+);`).exec(read(path))[1];
  const marker = [
    pattern('src/core/model/marker.ts', 'MARKER'),
    pattern('src/core/model/armed.ts', 'ARMED_PATTERN'),
  ];
  return {
    codes: codes
      .map(([, code]) => code)
      .sort()
      .join(' '),
    exits: exits.map(([, exit]) => exit).join(' '),
    marker: marker.join(' ').replace(/\s+/g, ' '),
  };
}

/** A node without texts, with `#name` in place of each object that has properties. */
function reduced(node, shapes, within = '') {
  if (Array.isArray(node)) return node.map((one) => reduced(one, shapes));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([key]) => NAMED.includes(within) || !TEXTS.test(key));
  const small = Object.fromEntries(
    kept.map(([key, value]) => [key, reduced(value, shapes, NAMED.includes(within) ? '' : key)]),
  );
  if (NAMED.includes(within) || small.properties === undefined) return small;
  const text = JSON.stringify(small);
  const name = `#${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
  shapes[name] = small;
  return name;
}

/** What the later baseline breaks of the earlier one. Empty if everything that relied on that can go on. */
export function broken(earlier, later) {
  const found = [];
  const gone = (what) => earlier[what].split(' ').filter((word) => !later[what].split(' ').includes(word));
  for (const what of ['codes', 'exits']) found.push(...gone(what).map((word) => `${what}: ${word} is gone`));
  if (earlier.marker !== later.marker)
    found.push('marker: a release that reads a new mark comes before the one that writes it');
  for (const [version, root] of Object.entries(earlier.roots)) {
    const now = later.roots[version];
    const check = { found, reads: /\/v\d+ /.test(version), earlier: earlier.shapes, later: later.shapes };
    if (now !== undefined) compare(root, now, version, check);
    else if (!raised(version, later.roots)) found.push(`${version} is gone`);
  }
  return found;
}

/** True if the same format is there with a higher number. */
function raised(version, roots) {
  const parts = (text) => /^(.*\/v?)(\d+)(.*)$/.exec(text) ?? [];
  const [, stem, number, rest] = parts(version);
  return Object.keys(roots).some((one) => {
    const [, otherStem, otherNumber, otherRest] = parts(one);
    return stem === otherStem && rest === otherRest && Number(otherNumber) > Number(number);
  });
}

/**
 * `reads`: a manifest, where what was valid stays valid. Otherwise a document, where a reader finds each field that was there, always
 * where it was required, with no other type. The words that a field can have may become more in both.
 */
function compare(before, after, path, check) {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const [old, now] = [check.earlier[before] ?? before, check.later[after] ?? after];
  if (typeof old !== 'object' || typeof now !== 'object') {
    check.found.push(`${path}: ${old} became ${now}`);
    return;
  }
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const rule = NAMED.includes(key) ? named : (RULES[key] ?? limit);
    rule(old[key], now[key], { ...check, path, key });
  }
}

function named(old = {}, now = {}, { path, ...check }) {
  for (const [name, value] of Object.entries(old))
    if (now[name] === undefined) check.found.push(`${path}/${name} is gone`);
    else compare(value, now[name], `${path}/${name}`, check);
}

const RULES = {
  required(old = [], now = [], { found, reads, path }) {
    const [some, all] = reads ? [now, old] : [old, now];
    const more = some.filter((name) => !all.includes(name));
    if (more.length > 0) found.push(`${path}: ${more} ${reads ? 'was' : 'is'} not required`);
  },
  type(old, now, { found, reads, path }) {
    const [some, all] = (reads ? [old, now] : [now, old]).map((type) =>
      type === undefined ? undefined : [type].flat(),
    );
    if (all !== undefined && !some?.every((type) => all.includes(type)))
      found.push(`${path}: ${old} became ${now}`);
  },
  enum(old, now, { found, reads, path }) {
    if (reads && now !== undefined && !old?.every((value) => now.includes(value)))
      found.push(`${path}: ${old ?? 'any value'} became ${now}`);
  },
};

/** Any other keyword: in a manifest none may come, in a document none may go, and a wider range takes all that was valid. */
function limit(old, now, { path, key, ...check }) {
  const { reads, found } = check;
  // The schema of a document is that of one version: readers leave what they do not know.
  if (key === 'additionalProperties' && !reads) return;
  if (reads && (/^min/.test(key) ? now <= old : /^max/.test(key) && now >= old)) return;
  if (old !== undefined && now !== undefined) compare(old, now, `${path} ${key}`, check);
  else if ((old === undefined) === reads) found.push(`${path} ${key}: ${old} became ${JSON.stringify(now)}`);
}

export function readBaseline() {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

export function baselineText(baseline) {
  const { shapes, ...rest } = baseline;
  const lines = Object.entries(shapes).map(
    ([name, shape]) => `    ${JSON.stringify(name)}: ${JSON.stringify(shape)}`,
  );
  return `${JSON.stringify(rest, null, 2).slice(0, -2)},\n  "shapes": {\n${lines.join(',\n')}\n  }\n}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const current = currentBaseline();
  const problems = process.argv[2] === '--anew' ? [] : broken(readBaseline(), current);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else writeFileSync(FILE, baselineText(current));
}
