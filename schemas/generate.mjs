/**
 * Writes everything that is made from the schemas, and from the list of the diagnostic codes (see CONTRIBUTING.md).
 *
 *   node schemas/generate.mjs                the committed files: manifest schemas, OpenAPI document, types, declarations, pages
 *   node schemas/generate.mjs --validators   src/core/model/generated/validators.js, not committed
 *   node schemas/generate.mjs --check        fails when a committed file is not current
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ciExamples, ciTemplates } from './generator/ci-templates.mjs';
import { codesModule } from './generator/codes.mjs';
import { DOCUMENTS } from './generator/documents.mjs';
import { editorSchemas, readerSchema } from './generator/manifests.mjs';
import { moneyModule } from './generator/money.mjs';
import { namingTexts } from './generator/names.mjs';
import { openapiDocument } from './generator/openapi.mjs';
import { partsModule } from './generator/parts.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GENERATED = 'src/core/model/generated';

const service = readSchema('service');
const sandbox = readSchema('sandbox');
const documents = Object.entries(DOCUMENTS).map(([name, how]) => ({
  name,
  schema: readSchema(name),
  ...how,
}));

const mode = process.argv[2] ?? '';
if (mode === '--validators') await writeValidatorFile();
else if (mode === '--check') await check();
else if (mode === '') await writeAll();
else fail(`unknown option ${mode}`);

function readSchema(name) {
  return JSON.parse(readFileSync(`${ROOT}schemas/${name}.schema.json`, 'utf8'));
}

/** Relative path → content of every committed file. */
async function committedFiles() {
  const { schemaTypes } = await import('./generator/types.mjs');
  const { validatorDeclarations } = await import('./generator/validators.mjs');
  const editor = [...editorSchemas(service)];
  const files = namingTexts(ROOT);
  files.push(...editor.map(([file, schema]) => [`schemas/manifest/${file}.schema.json`, json(schema)]));
  files.push([`${GENERATED}/manifest-schema.json`, json(readerSchema(service))]);
  files.push(...ciExamples(ROOT));
  files.push([`${GENERATED}/ci-templates.json`, json(ciTemplates(ROOT))]);
  files.push([`${GENERATED}/codes.ts`, codesModule(ROOT)]);
  files.push([`${GENERATED}/money.ts`, moneyModule(service)]);
  files.push([`${GENERATED}/parts.ts`, partsModule(service)]);
  files.push(['schemas/service.openapi.json', json(openapiDocument(service))]);
  for (const { name, schema, ...how } of documents)
    files.push([`${GENERATED}/${name}.ts`, await schemaTypes(schema, how)]);
  const seed = {
    root: 'Seed',
    rename: { choices: 'SomeChoices' },
    imports: ["import type { JsonObject } from '../json.ts';"],
    frozen: true,
  };
  files.push([`${GENERATED}/sandbox.ts`, await schemaTypes(sandbox, seed)]);
  files.push([`${GENERATED}/validators.d.ts`, validatorDeclarations(service, documents)]);
  return new Map(files);
}

/** The pages need the program together with the files above. Vite reads its TypeScript. */
async function referencePages() {
  const { createServer } = await import('vite');
  const server = await createServer({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    appType: 'custom',
    optimizeDeps: { noDiscovery: true },
  });
  try {
    const { pages } = await server.ssrLoadModule('/schemas/generator/pages.ts');
    return new Map([...pages(documents)].map(([path, content]) => [`docs/reference/${path}`, content]));
  } finally {
    await server.close();
  }
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function writeAll() {
  write(await committedFiles());
  const pages = await referencePages();
  write(pages);
  for (const path of strangePages(pages)) rmSync(ROOT + path);
}

function write(files) {
  for (const [path, content] of files) {
    mkdirSync(dirname(ROOT + path), { recursive: true });
    if (read(path) !== content) writeFileSync(ROOT + path, content);
  }
}

/** Leftover pages of removed kinds and documents, in folders that contain only generated pages. */
function strangePages(pages) {
  return ['docs/reference/fields', 'docs/reference/documents']
    .flatMap((folder) => readdirSync(ROOT + folder).map((name) => `${folder}/${name}`))
    .filter((path) => !pages.has(path));
}

async function writeValidatorFile() {
  const { writeValidators } = await import('./generator/validators.mjs');
  mkdirSync(`${ROOT}${GENERATED}`, { recursive: true });
  await writeValidators(service, documents, readSchema('policy'), `${ROOT}${GENERATED}/validators.js`);
}

async function check() {
  const pages = await referencePages();
  const stale = [...(await committedFiles()), ...pages]
    .filter(([path, content]) => read(path) !== content)
    .map(([path]) => path);
  stale.push(...strangePages(pages));
  if (stale.length > 0) fail(`not current, run \`npm run generate\`: ${stale.join(', ')}`);
}

function read(path) {
  try {
    return readFileSync(ROOT + path, 'utf8');
  } catch {
    return undefined;
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
