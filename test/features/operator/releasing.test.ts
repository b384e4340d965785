import { beforeEach, describe, expect, it } from 'vitest';
import { Requests } from '../../../src/core/act/requests.ts';
import { releaseTask } from '../../../src/core/act/switch-on.ts';
import type { SwitchReport } from '../../../src/core/model/generated/report.ts';
import type { SeedTask } from '../../../src/core/model/generated/sandbox.ts';
import { cells } from '../../../src/core/render/layout.ts';
import { ID, TASK } from '../../act/scenarios.ts';
import { type Blow, createStage } from '../../act/stage.ts';
import { seedTask, sniperConfig, uuid, wallet } from '../../support/builders.ts';
import type { Result } from '../in-memory.ts';
import { openProject, type ProjectRun } from '../project-run.ts';
import { expectSchema, operate } from './operate.ts';

function task(index: number, remark: string, over: Partial<SeedTask> = {}): SeedTask {
  return seedTask(index, { remark, config: sniperConfig({ buy_amount: `0.${index}` }), version: 1, ...over });
}

const TASKS: readonly SeedTask[] = [
  task(1, 'Note [git:core/one@0]'),
  task(2, '[git:core/two@5]', { is_active: false }),
  task(3, 'A [git:core/twin@0]'),
  task(4, 'B [git:core/twin@0]'),
  task(5, 'Mine alone'),
  task(6, 'Theirs [git:desk/one@0]'),
  task(7, 'Broken [git:core/seven@x] tail', { target_wallet: wallet(2) }),
];

let project: ProjectRun;
beforeEach(async () => {
  project = await openProject({ seed: { accounts: [{ login_username: 'whales', tasks: TASKS }] } });
});

const YES = { autoApprove: true };

function remarks(): readonly string[] {
  return TASKS.map(({ id = '' }) => project.sandbox.state.tasks.get(id)?.remark ?? '(gone)');
}

const BEFORE = TASKS.map(({ remark }) => remark ?? '');

function changed(over: Readonly<Record<number, string>>): readonly string[] {
  return BEFORE.map((remark, index) => over[index + 1] ?? remark);
}

/** Of a command that could not go on. */
function said({ diagnostics }: Result): string {
  return diagnostics.map(({ message, hint }) => `${message} ${hint ?? ''}`).join('\n');
}

const writes = () => project.written();

describe('release', () => {
  it('removes the marker, and touches nothing else', async () => {
    const before = project.sandbox.state.tasks.get(uuid(1));
    const { code, stdout } = await operate(project).release([uuid(1), uuid(2)], YES);
    expect(code).toBe(0);
    expect(remarks()).toEqual(changed({ 1: 'Note', 2: '' }));
    expect(writes()).toEqual(['PATCH', 'PATCH']);
    const { is_active, config, risk_label_id } = project.sandbox.state.tasks.get(uuid(1)) ?? {};
    expect({ is_active, config, risk_label_id }).toEqual({
      is_active: before?.is_active,
      config: before?.config,
      risk_label_id: before?.risk_label_id,
    });
    expect(stdout).toContain('Released (2)');
    expect(stdout).toContain('"Note [git:core/one@0]" → "Note"');
    expect(stdout).toMatch(/no longer managed from git\. 1\s+task\s+keeps\s+running\./);
    for (const line of stdout.split('\n')) expect(cells(line), line).toBeLessThanOrEqual(80);
  });

  it('asks for a yes, and shows the remarks before; without a terminal it is refused', async () => {
    const asked: string[] = [];
    const answering = (answer: string) => ({
      stdinIsTTY: true,
      stderrIsTTY: true,
      ask: (question: string) => {
        asked.push(question);
        return Promise.resolve(answer);
      },
    });
    const no = await operate(project, { io: answering('y') }).release([uuid(1)]);
    expect(no.code).toBe(4);
    expect(no.stderr).toContain('Would lose the marker (1)');
    expect(no.stderr).toContain('"Note [git:core/one@0]" → "Note"');
    const nobody = await operate(project).release([uuid(1)]);
    expect(nobody).toMatchObject({ code: 4, diagnostics: [{ code: 'not-approved' }] });
    expect(writes()).toEqual([]);
    const yes = await operate(project, { io: answering('yes') }).release([uuid(1)]);
    expect(yes.code).toBe(0);
    expect(asked).toHaveLength(2);
    expect(remarks()).toEqual(changed({ 1: 'Note' }));
  });

  it('--dry-run sends nothing', async () => {
    const { code, stdout } = await operate(project).release([uuid(1)], { dryRun: true });
    expect(code).toBe(0);
    expect(stdout).toContain('1 task would lose the marker. Nothing was sent.');
    expect(writes()).toEqual([]);
  });

  it('-o json prints a document of its schema', async () => {
    const { code, stdout } = await operate(project).release([uuid(1)], { ...YES, output: 'json' });
    const report = expectSchema('report', stdout) as unknown as SwitchReport;
    expect(code).toBe(0);
    expect(report).toMatchObject({
      record: { command: 'release', exposure: { before: '0.1025', after: '0.1025' } },
      outcome: 'done',
      project: 'core',
      summary: { done: 1, planned: 0, failed: 0 },
      changes: [
        {
          address: 'sniper/one',
          id: uuid(1),
          remark: 'Note',
          actions: ['release'],
          fields: [{ path: 'remark', before: 'Note [git:core/one@0]', after: 'Note' }],
          status: 'done',
          running: true,
        },
      ],
    });
  });

  it('one of two owners of an address, in capitals', async () => {
    expect((await operate(project).release([uuid(4).toUpperCase()], YES)).code).toBe(0);
    expect(remarks()).toEqual(changed({ 4: 'B' }));
  });

  it('a damaged marker by id: the text before it is kept', async () => {
    expect((await operate(project).release([uuid(7)], YES)).code).toBe(0);
    expect(remarks()).toEqual(changed({ 7: 'Broken' }));
  });

  it.each([
    ['another project’s', [uuid(6)], 4, '--project-name desk'],
    ['an unmanaged one', [uuid(1), uuid(5)], 4, 'has no marker'],
    ['no id of a task', [uuid(99)], 3, 'is the id of no task'],
    ['an address', ['sniper/one'], 3, 'a Removal with release: true releases'],
    ['a pattern', ['*'], 3, 'is not the id of a task'],
    ['nothing', [], 3, 'no task is named'],
  ])('%s: nothing is sent', async (_what, ids, code, says) => {
    const result = await operate(project).release(ids, YES);
    expect(result.code).toBe(code);
    expect(said(result)).toContain(says);
    expect(writes()).toEqual([]);
  });

  it('works with broken manifests, and with a broken project file and --project-name', async () => {
    project.write('manifests/broken.yaml', 'kind: [');
    const broken = await operate(project).release([uuid(1)], YES);
    expect(broken.code).toBe(0);
    expect(broken.stderr).toContain('the manifests cannot be read');
    project.write('tradeform.yaml', 'kind: [');
    expect((await operate(project).release([uuid(2)], { ...YES, projectName: 'core' })).code).toBe(0);
    expect(remarks()).toEqual(changed({ 1: 'Note', 2: '' }));
  });
});

describe('a task that a manifest still describes', () => {
  const manifest = (note: string) =>
    JSON.stringify({
      apiVersion: 'tradeform/v1',
      kind: 'SniperTask',
      metadata: { name: 'one' },
      spec: {
        state: 'active',
        remark: note,
        target_wallet: wallet(1),
        config: sniperConfig({ buy_amount: '0.1' }),
      },
    });

  it.each([
    ['Note', 'adopt'],
    ['Other', 'blocked'],
  ])('with the note %s: it says what the next plan may do, and so it does: %s', async (note, then) => {
    project.write('manifests/one.yaml', manifest(note));
    const { code, stderr } = await operate(project).release([uuid(1)], YES);
    expect(code).toBe(0);
    const text = stderr.replaceAll(/\s+/g, ' ');
    expect(text).toContain('adopts the task again, is blocked there, or');
    expect(text).toContain('a Removal with release: true in the commit that removes its manifest');
    const { stdout } = await project.plan();
    expect(stdout).toMatch(then === 'adopt' ? /~ sniper\/one .*its marker was lost/ : /! sniper\/one/);
  });

  it('a clone: it suggests no Removal, which would name the task that stays', async () => {
    project.write(
      'manifests/one.yaml',
      manifest('A').replace('"one"', '"twin"').replace(wallet(1), wallet(3)),
    );
    const { code, stderr } = await operate(project).release([uuid(4)], YES);
    expect(code).toBe(0);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('continues with the other task that carries its marker');
    expect(stderr).not.toContain('Removal');
  });
});

describe('releasing one task', () => {
  const BLOWS: readonly Blow[] = ['lost-before', 'lost-after', 'crash-before', 'crash-after'];

  it.each(['Note [git:core/a@0]', '[git:core/a]', 'Note [git:core/a@x]'])(
    '%s: whatever befalls a request, it is as it was or released',
    async (remark) => {
      for (const blow of BLOWS) {
        for (let at = 0; at < 3; at += 1) {
          const stage = createStage({ tasks: [{ ...TASK, remark }] });
          const [found] = (await stage.read()).tasks;
          if (found === undefined) throw new Error('no task');
          const bare = remark.startsWith('Note') ? 'Note' : '';
          const end = await stage.run(
            ({ api, clock }) =>
              releaseTask(found, bare, new Requests(api, clock, new AbortController().signal)),
            (index) => (index === at ? blow : undefined),
          );
          const stored = stage.task(ID);
          if (end === 'crashed') expect([remark, bare]).toContain(stored?.remark);
          else expect(end, `${blow} at ${at}`).toMatchObject({ type: 'done', resource: { remark: bare } });
          if (end !== 'crashed') expect(stored?.remark).toBe(bare);
          expect(stored).toMatchObject({ is_active: true, config: TASK.config });
          expect(stage.requests.every(({ method }) => method === 'GET' || method === 'PATCH')).toBe(true);
        }
      }
    },
  );
});
