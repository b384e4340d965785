import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Io } from '../../src/core/command/io.ts';
import { DOCUMENT_FORMATS } from '../../src/core/documents/register.ts';
import { runDrift } from '../../src/core/features/drift/drift.ts';
import { runStatus } from '../../src/core/features/status/status.ts';
import { runPause } from '../../src/core/features/switch/pause.ts';
import { runRelease } from '../../src/core/features/switch/release.ts';
import { isObject, type Json } from '../../src/core/model/json.ts';
import { runReading } from '../../src/kit/fleet/commands.ts';
import { runLog } from '../../src/kit/log/log.ts';
import { runReport } from '../../src/kit/report/report.ts';
import { projectFiles } from '../cmd/run.ts';
import { policiesOf, strangersInPage, textOf } from '../render/html/reading.ts';
import { testRepository } from '../support/repository.ts';
import { type FleetRun, openFleetRun } from './fleet/fleet-run.ts';
import type { Result } from './in-memory.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const SECRET = 'a peculiar value 7f3a91';

let project: ProjectRun;
let fleet: FleetRun;
const documents = new Map<string, Json>();

/** A document of each format, as the commands print them. */
beforeAll(async () => {
  const repository = testRepository();
  for (const [name, text] of Object.entries(projectFiles()))
    repository.write(name, text.replace('Early launches', `"\${env.NOTE}"`));
  repository.commit();
  project = await openProject({ folder: repository.path, env: { NOTE: SECRET } });
  fleet = await openFleetRun(2);
  const keep = ({ stdout, stderr, diagnostics }: Result) => {
    expect(stdout, `${stderr}${JSON.stringify(diagnostics)}`).not.toBe('');
    const document = JSON.parse(stdout) as { format: string };
    documents.set(document.format, document as unknown as Json);
  };
  const json = { output: 'json', quiet: true } as const;
  keep(await project.validate(json));
  keep(await project.plan({ ...json, firstApply: true, out: 'saved.plan' }));
  const journal = 'journal';
  keep(await project.apply(undefined, { ...json, firstApply: true, autoApprove: true, journal }));
  keep(await project.run((io) => runLog(journal, json, io)));
  keep(await project.run((io) => runStatus([], json, io)));
  keep(await project.run((io) => runPause(['sniper/alpha'], json, io)));
  keep(await project.run((io) => runDrift(json, io)));
  const [{ id = '' } = {}] = project.tasks();
  keep(await project.run((io) => runRelease({ ...json, id: [id], dryRun: true }, io)));
  keep(await fleet.run((io) => runReading('plan', { ...json, firstApply: true }, io)));
});

const FORMATS = DOCUMENT_FORMATS;

async function page(
  document: unknown,
  more: Partial<Io> = {},
): Promise<{ readonly result: Result; readonly page: string }> {
  writeFileSync(
    join(project.path, 'document.json'),
    typeof document === 'string' ? document : JSON.stringify(document),
  );
  writeFileSync(join(project.path, 'page.html'), '');
  const result = await project.run((io) =>
    runReport('document.json', { html: 'page.html' }, { ...io, ...more }),
  );
  return { result, page: project.read('page.html') };
}

it('each format has a document', () => {
  expect([...documents.keys()].sort()).toEqual([...FORMATS].sort());
});

describe.each(FORMATS)('%s', (format) => {
  it('becomes a page that names its task, with a fitting policy', async () => {
    const made = await page(documents.get(format));
    expect(made.result).toMatchObject({ code: 0, stdout: '', diagnostics: [] });
    expect(strangersInPage(made.page)).toEqual([]);
    expect(policiesOf(made.page).written).toBe(policiesOf(made.page).needed);
    if (format !== 'tradeform.result/1') expect(textOf(made.page)).toContain('sniper/alpha');
  });

  it('text of others in it is text', async () => {
    const text = `</script><img src=x onerror=alert(1)>" '\u202e\n`;
    const { result, page: made } = await page(withText(documents.get(format) ?? null, text));
    expect(result).toMatchObject({ code: 0, diagnostics: [] });
    expect(strangersInPage(made)).toEqual([]);
    if (format !== 'tradeform.result/1') expect(made).toContain('onerror=alert(1)');
  });

  it('that violates its schema is refused', async () => {
    const document = documents.get(format) as Record<string, Json>;
    for (const wrong of [{ ...document, diagnostics: 7, units: 7, requests: 7 }, { format }]) {
      const { result, page: made } = await page(wrong);
      expect(result).toMatchObject({
        code: 3,
        diagnostics: [{ code: 'document-invalid', message: expect.stringContaining('is not valid (') }],
      });
      expect(made).toBe('');
    }
  });
});

/** Texts that people or the service wrote. */
const FREE = new Set([
  'addresses',
  'started',
  'text',
  'remark',
  'message',
  'hint',
  'before',
  'after',
  'name',
  'label',
  'login_username',
  'environment',
  'subject',
  'file',
  'target',
  'path',
  'code',
  'account',
]);

function withText(value: Json, text: string, key = ''): Json {
  if (typeof value === 'string')
    return FREE.has(key) && !/^(?:-?[\d.]+|tradeform)$/.test(value) ? text : value;
  if (Array.isArray(value)) return value.map((item) => withText(item, text, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withText(item, text, name)]));
}

it.each(FORMATS)('the page of %s says that nothing proves it, and has no digest', async (format) => {
  const made = await page(documents.get(format));
  expect(made.result).toMatchObject({ code: 0, stderr: '', diagnostics: [] });
  expect(textOf(made.page)).toContain('which anybody may have edited');
  const { digest } = documents.get(format) as { digest?: string | null };
  if (typeof digest === 'string') expect(made.page).not.toContain(digest.slice(0, 12));
});

it('a saved plan has no values of the environment, and neither has its page', async () => {
  const saved = project.read('saved.plan');
  expect(saved).not.toContain('peculiar');
  const { result, page: made } = await page(saved);
  expect(result.code).toBe(0);
  expect(made).not.toContain('peculiar');
  expect(textOf(made)).toContain('remark (absent) (secret)');
});

it('a unit of a fleet is read as strictly as a separate document', async () => {
  const document = structuredClone(documents.get('tradeform.fleet/1')) as unknown as {
    units: { document: { changes: unknown } }[];
  };
  for (const unit of document.units) unit.document.changes = [{}];
  expect((await page(document)).result).toMatchObject({
    code: 3,
    diagnostics: [{ message: expect.stringContaining('/changes/0') }],
  });
});

it.each([
  ['no JSON', '{', 'cannot be read: it is not JSON'],
  ['a list', '[]', 'is not a document of tradeform'],
  ['another format', '{"format":"tradeform.plan/2"}', 'has the format "tradeform.plan/2"'],
  ['a name that every object has', '{"format":"constructor"}', 'has the format "constructor"'],
])('%s is refused', async (_name, text, message) => {
  const { result, page: made } = await page(text);
  expect(result).toMatchObject({
    code: 3,
    diagnostics: [{ code: 'document-invalid', message: expect.stringContaining(message) }],
  });
  expect(made).toBe('');
});

it('values that a schema leaves open but that tradeform never writes are refused', async () => {
  const document = structuredClone(documents.get('tradeform.status/1')) as unknown as {
    diagnostics: unknown;
  };
  document.diagnostics = [{ severity: 'error', code: 'x', message: { toString: 'x' } }];
  expect((await page(document)).result).toMatchObject({
    code: 3,
    diagnostics: [{ code: 'document-invalid' }],
  });
});

it('overwrites only a page', async () => {
  writeFileSync(join(project.path, 'notes.html'), '<p>mine</p>');
  writeFileSync(join(project.path, 'document.json'), JSON.stringify(documents.get('tradeform.plan/1')));
  const { code } = await project.run((io) => runReport('document.json', { html: 'notes.html' }, io));
  expect(code).toBe(3);
  expect(project.read('notes.html')).toBe('<p>mine</p>');
});

it('status writes the same page with --report', async () => {
  const html = async (command: (io: Io) => Promise<number>) => {
    expect((await project.run(command)).code).toBe(0);
    return project.read('direct.html');
  };
  const options = { quiet: true, report: ['html=direct.html'] };
  const status = await html((io) => runStatus([], options, io));
  expect(textOf(status)).toContain('tradeform status core');
  expect(strangersInPage(status)).toEqual([]);
});
