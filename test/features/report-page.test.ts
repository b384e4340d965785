import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Io } from '../../src/command/io.ts';
import { fleetDigest } from '../../src/documents/fleet.ts';
import { DOCUMENT_FORMATS } from '../../src/documents/register.ts';
import { runDrift } from '../../src/features/drift/drift.ts';
import { runReading } from '../../src/features/fleet/commands.ts';
import { runLog } from '../../src/features/log/log.ts';
import { runReport } from '../../src/features/report/report.ts';
import { runStatus } from '../../src/features/status/status.ts';
import { runPause } from '../../src/features/switch/pause.ts';
import { runRelease } from '../../src/features/switch/release.ts';
import type { FleetReport, FleetUnit } from '../../src/model/generated/fleet-report.ts';
import type { Plan } from '../../src/model/generated/plan.ts';
import { isObject, type Json } from '../../src/model/json.ts';
import { planIntegrity, withDigests } from '../../src/plan/review/digest.ts';
import { projectFiles } from '../cmd/run.ts';
import { policiesOf, strangersInPage, textOf } from '../render/html/reading.ts';
import { testRepository } from '../support/repository.ts';
import { type FleetRun, openFleetRun } from './fleet/fleet-run.ts';
import type { Result } from './in-memory.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const SECRET = 'a peculiar value 7f3a91';
const SECRET_TEXT = '(secret)';
const REFUSAL = { severity: 'error', code: 'guardrail-max-exposure', message: 'Too much.' } as const;

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
    const { result, page: made } = await page(sealed(withText(documents.get(format) ?? null, text)));
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

type FleetOfPlans = Omit<FleetReport, 'units'> & {
  units: (Omit<FleetUnit, 'document'> & { document: Plan })[];
};

/** The document as it would be if it had been made so: plans with checksums and digests that match. */
function sealed(document: Json): Json {
  if (!isObject(document)) return document;
  if (document.format === 'tradeform.plan/1') {
    const plan = withDigests(document as unknown as Plan);
    return { ...plan, integrity: planIntegrity(plan) } as unknown as Json;
  }
  if (document.format !== 'tradeform.fleet/1') return document;
  const fleetDocument = document as unknown as FleetOfPlans;
  const units = fleetDocument.units.map((unit) => {
    const plan = sealed(unit.document as unknown as Json) as unknown as Plan;
    return { ...unit, document: plan, digest: plan.digest };
  });
  return { ...fleetDocument, units, digest: fleetDigest(units as unknown as FleetUnit[]) } as unknown as Json;
}

/** Documents with what somebody put in place of what was made, under the digest that was made. */
describe('a page is made only from an authentic document', () => {
  const original = () =>
    structuredClone(sealed(documents.get('tradeform.plan/1') ?? null)) as unknown as Plan;
  const originalFleet = () =>
    structuredClone(sealed(documents.get('tradeform.fleet/1') ?? null)) as unknown as FleetOfPlans;
  const isRefused = async (document: unknown) => {
    const made = await page(document);
    expect(made.result).toMatchObject({
      code: 3,
      diagnostics: [{ code: 'document-invalid', message: expect.stringContaining('was changed after') }],
    });
    expect(made.page).toBe('');
  };
  /** Values were hidden in the plan of the project: here are some that can be seen, so that nothing excuses another checksum. */
  const plain = (plan: Plan): Plan =>
    sealed(JSON.parse(JSON.stringify(plan).replaceAll(SECRET_TEXT, 'shown'))) as unknown as Plan;

  it('a plan is shown with its digest, and what that proves', async () => {
    const plan = plain(original());
    const made = await page(plan);
    expect(made.result).toMatchObject({ code: 0, stderr: '', diagnostics: [] });
    expect(textOf(made.page)).toContain(`Digest ${plan.digest}`);
    expect(textOf(made.page)).toContain('its checksum and its digest match its content');
  });

  it.each<[string, (plan: Plan) => Plan]>([
    ['without its changes', (plan) => ({ ...plan, changes: [], operations: [] })],
    ['without what refuses it', (plan) => ({ ...plan, diagnostics: [] })],
    ['with another sum at stake', (plan) => ({ ...plan, exposure: { ...plan.exposure, after: '0.000123' } })],
    [
      'without its changes, with a new checksum',
      (plan) => {
        const forged = { ...plan, changes: [], operations: [] };
        return { ...forged, integrity: planIntegrity(forged) };
      },
    ],
  ])('a plan %s is refused', async (_name, forge) => {
    await isRefused(forge(plain({ ...original(), diagnostics: [REFUSAL] })));
  });

  it('a plan with hidden values is shown without a digest, and as not verified', async () => {
    const plan = documents.get('tradeform.plan/1') as unknown as Plan;
    const made = await page(plan);
    expect(made.result).toMatchObject({ code: 0, diagnostics: [] });
    expect(made.result.stderr).toContain('document.json: NOT VERIFIED: ');
    expect(textOf(made.page)).toContain('NOT VERIFIED: ');
    expect(made.page).not.toContain(plan.digest);
  });

  it('the plans of a fleet are checked as well, and its digest is compared with theirs', async () => {
    const whole = originalFleet();
    for (const unit of whole.units) unit.document = plain(unit.document);
    const good = sealed(whole as unknown as Json) as unknown as FleetOfPlans;
    const made = await page(good);
    expect(made.result).toMatchObject({ code: 0, stderr: '', diagnostics: [] });
    expect(textOf(made.page)).toContain(`Digest ${good.digest}`);
    expect(textOf(made.page)).toContain('its digests match the plans in it');
    const forge = (change: (forged: FleetOfPlans) => void) => {
      const forged = structuredClone(good);
      change(forged);
      return isRefused(forged);
    };
    await forge(({ units }) => {
      for (const unit of units) unit.document = { ...unit.document, changes: [] };
    });
    await forge(({ units }) => {
      for (const unit of units) Object.assign(unit, { digest: '0'.repeat(64) });
    });
    await forge(({ units }) => units.splice(1));
    // Another plan, whole in itself.
    await forge(({ units }) => {
      for (const unit of units) unit.document = plain({ ...unit.document, changes: [], operations: [] });
    });
    const lacking = structuredClone(good);
    for (const unit of lacking.units) Object.assign(unit, { document: null });
    const other = await page(lacking);
    expect(other.result.stderr).toContain('NOT VERIFIED: ');
    expect(other.page).not.toContain(good.digest?.slice(0, 12));
  });

  it.each(FORMATS.filter((format) => !['tradeform.plan/1', 'tradeform.fleet/1'].includes(format)))(
    '%s has no checksum, and its page says so',
    async (format) => {
      const made = await page(documents.get(format));
      expect(made.result).toMatchObject({ code: 0, stderr: '' });
      expect(textOf(made.page)).toContain('not verified: it has no checksum');
    },
  );
});

it('a saved plan holds values of the environment, and its page does not', async () => {
  const saved = project.read('saved.plan');
  expect(saved).toContain(SECRET);
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
