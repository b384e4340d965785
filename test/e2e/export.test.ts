import { expect, test } from 'vitest';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { Change, Plan } from '../../src/core/model/generated/plan.ts';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import { parseRemark } from '../../src/core/model/marker.ts';
import { isRefused } from '../../src/core/plan/plan.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import fc from '../properties.ts';
import { seedTask, sniperConfig } from '../support/builders.ts';
import { drawChoices } from '../support/choices.ts';
import { exported, type Files, NEW_PROJECT, stateOf } from '../support/exporting.ts';
import { runs } from '../support/sample.ts';
import { createWorld, type World } from '../support/world.ts';
import { anyAccount } from './arbitrary-account.ts';

const RUNS = Number(process.env.EXPORT_RUNS ?? runs(40));
/** Fixed, so that a red run is somebody's change; other accounts: EXPORT_SEED=$RANDOM. */
const SEED = Number(process.env.EXPORT_SEED ?? 1);
const TIMEOUT = 120_000 + RUNS * 1_000;

/** What the interface does not show, in one of its ways. */
const choices = fc.array(fc.nat(1_000), { minLength: 120, maxLength: 120 }).map((numbers) => {
  let at = 0;
  return drawChoices((count) => (numbers[at++] ?? 0) % count);
});

function forAny(check: (account: SeedAccount, chosen: Partial<Choices>) => Promise<void>): Promise<void> {
  return fc.assert(fc.asyncProperty(anyAccount(), choices, check), { numRuns: RUNS, seed: SEED });
}

function running(world: World): ReadonlyMap<string, boolean> {
  return new Map([...world.sandbox.state.tasks.values()].map(({ id, is_active }) => [id, is_active]));
}

function isMark({ fields, starts_trading, stops_trading }: Change): boolean {
  return fields.every(({ legacy }) => legacy === true) && !starts_trading && !stops_trading;
}

/** Everything but places, which differ between files. */
function bare({ tasks, templates, labels }: DesiredState) {
  return [...tasks, ...templates, ...labels].map(({ origin, ...rest }) => rest);
}

function errorsOf({ diagnostics }: Plan): readonly string[] {
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
}

test(
  'any account: the export validates, the next plan adopts and does nothing else, and then there is nothing to do',
  async () => {
    const seen = { adopted: 0, leftOut: 0, held: 0, altered: 0, tasks: 0 };
    await forAny(async (account, chosen) => {
      const world = createWorld(account, chosen);
      const live = await world.read();
      const { after, leftOut, foretold, documents } = await exported(live);
      const before = running(world);
      const state = await stateOf(after);
      const plan = await world.plan(state);
      // Where nothing of ours can be exported, all of it would be deleted: refused until somebody says that it is meant.
      if (isRefused(plan)) {
        expect(errorsOf(plan)).toEqual(['all-owned-gone']);
        return;
      }
      seen.tasks += live.tasks.length;
      seen.leftOut += leftOut.length;

      // What is no adoption was foretold, by name.
      const told = new Set([...foretold.others, ...foretold.marks].map(({ address }) => address));
      const altered = new Map(documents.map((one) => [one.address, one.altered]));
      for (const change of plan.changes) {
        const { address, actions, held, blocked, fields } = change;
        if (blocked !== null) {
          expect(foretold.blocked.map((one) => one.address)).toContain(address);
          const ours = live.tasks.filter(({ id }) => blocked.ids.includes(id));
          expect(ours.map(({ remark }) => parseRemark(remark).type)).toEqual(ours.map(() => 'marked'));
          expect(ours).not.toEqual([]);
        } else if (actions.includes('adopt')) {
          seen.adopted += 1;
          expect(change).toMatchObject({ starts_trading: false, stops_trading: false });
          const more = fields.filter(({ legacy }) => legacy !== true).map(({ path }) => path);
          seen.altered += more.length;
          expect(altered.get(address)).toEqual(expect.arrayContaining(more));
          expect(more.filter((path) => path !== 'remark')).toEqual([]);
        } else if (held) seen.held += 1;
        else expect(told, `${address} ${actions.join(' ')}`).toContain(address);
      }
      // A replacement that was interrupted is all that is ever finished; what is ours and cannot be written is lost.
      const lost = foretold.others.filter(({ reason }) => reason === 'not-in-manifests');
      expect(leftOut.map(({ address }) => address)).toEqual(
        expect.arrayContaining(lost.map(({ address }) => address)),
      );
      for (const change of foretold.others)
        expect(['replacement-in-progress', 'not-in-manifests']).toContain(change.reason);
      if (lost.length > 0) return;
      for (const change of foretold.marks) expect(isMark(change)).toBe(true);
      const pairs = new Set(foretold.others.flatMap(({ id, replaces_id }) => [id, replaces_id]));

      const report = await world.apply(plan);
      const failed = report.changes.filter(({ status }) => !['done', 'held', 'blocked'].includes(status));
      // Some services validate all of a legacy snapshot when only the remark is written: such a task stays as it is.
      expect(failed.filter(({ error }) => error?.code !== 'validation_error')).toEqual([]);
      for (const [id, active] of running(world)) if (!pairs.has(id)) expect(active).toBe(before.get(id));
      const second = await world.plan(state);
      const stuck = new Set(failed.map(({ address }) => address));
      const open = second.operations.filter(({ address }) => !stuck.has(address));
      expect(open.map(({ id, verb }) => `${id} ${verb}`)).toEqual([]);
    });
    expect(seen.adopted).toBeGreaterThan(seen.tasks / 4);
    expect(seen.leftOut).toBeGreaterThan(0);
    expect(seen.held).toBeGreaterThan(0);
    expect(seen.altered).toBeGreaterThan(0);
  },
  TIMEOUT,
);

test(
  'exporting again changes no byte before the apply, and after it drops the ids of adopted tasks',
  async () => {
    let dropped = 0;
    await forAny(async (account) => {
      const world = createWorld(account);
      const first = await exported(await world.read());
      const again = async (files: Files) => (await exported(await world.read(), files)).files;
      expect(Object.fromEntries(await again(first.after))).toEqual({});
      const plan = await world.plan(await stateOf(first.after));
      if (first.foretold.others.length > 0) return;
      await world.apply(plan);
      const changed = await again(first.after);
      for (const [file, text] of changed) {
        expect(text).toBe((first.after.get(file) ?? '').replace(/^ {2}id: .*\n/gm, ''));
        dropped += 1;
      }
      const bareOfIds = new Map([...first.after, ...changed]);
      expect(Object.fromEntries(await again(bareOfIds))).toEqual({});
      const next = await world.plan(await stateOf(bareOfIds));
      const known = await world.plan(await stateOf(first.after));
      expect(next.operations).toEqual(known.operations);
    });
    expect(dropped).toBeGreaterThan(0);
  },
  TIMEOUT,
);

test(
  'presets and groups change no desired state',
  async () => {
    let shorter = 0;
    await forAny(async (account) => {
      const live = await createWorld(account).read();
      const plain = await exported(live);
      const factored = await exported(live, NEW_PROJECT, {
        presets: true,
        placement: { folder: 'manifests', grouped: true },
      });
      expect(bare(await stateOf(factored.after))).toEqual(bare(await stateOf(plain.after)));
      if (factored.documents.length > plain.documents.length) shorter += 1;
    });
    expect(shorter).toBeGreaterThan(0);
  },
  TIMEOUT,
);

/** Comments at the end of some lines and above others, as people write them. */
function commented(
  files: Files,
  every: number,
): { readonly files: Files; readonly comments: readonly string[] } {
  const comments: string[] = [];
  const comment = () => {
    comments.push(`# by hand ${comments.length}`);
    return comments.at(-1) ?? '';
  };
  let at = 0;
  const texts = [...files].map(([file, text]): [string, string] => {
    const lines = text.split('\n').flatMap((line) => {
      at += 1;
      if (line === '' || line.startsWith('#') || at % every !== 0) return [line];
      const indent = /^ */.exec(line)?.[0] ?? '';
      return at % 2 === 0 ? [`${line} ${comment()}`] : [`${indent}${comment()}`, line];
    });
    return [file, lines.join('\n')];
  });
  return { files: new Map(texts), comments };
}

/** The same tasks with what others have in them: edited in the web application. */
function edited(account: SeedAccount, others: SeedAccount): SeedAccount {
  const tasks = (account.tasks ?? []).map((task, index) => {
    const same = (others.tasks ?? []).filter(({ kind }) => kind === task.kind);
    const other = same[index % Math.max(1, same.length)];
    if (other === undefined) return task;
    const { label: _label, ...rest } = task;
    const { config, label, linked_wallets: linked } = other;
    return {
      ...rest,
      config,
      ...(label === undefined ? {} : { label }),
      ...(linked === undefined ? {} : { linked_wallets: linked }),
    };
  });
  return { ...account, tasks };
}

test(
  'existing manifests are changed to match the live state: comments stay, and nothing else is left to plan',
  async () => {
    let updates = 0;
    await fc.assert(
      fc.asyncProperty(
        anyAccount(3),
        anyAccount(3),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        async (account, others, every, presets) => {
          const first = await exported(await createWorld(account).read(), NEW_PROJECT, { presets });
          const { files, comments } = commented(first.after, every);
          const world = createWorld(edited(account, others));
          const second = await exported(await world.read(), files);
          const text = [...second.after.values()].join('\n');
          updates += second.updated.length;
          expect(comments.filter((comment) => !new RegExp(`${comment}$`, 'm').test(text))).toEqual([]);
          const told = new Set([...second.leftOut, ...second.foretold.blocked].map(({ address }) => address));
          const plan = await world.plan(await stateOf(second.after));
          const more = plan.changes.filter(
            ({ address, actions, fields, reason }) =>
              !told.has(address) &&
              reason !== 'replacement-in-progress' &&
              fields.some(
                ({ path, legacy }) => legacy !== true && !(actions.includes('adopt') && path === 'remark'),
              ),
          );
          expect(more.map(({ address, actions, fields }) => ({ address, actions, fields }))).toEqual([]);
          const third = await exported(await world.read(), second.after);
          expect(Object.fromEntries(third.files)).toEqual({});
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
    expect(updates).toBeGreaterThan(0);
  },
  TIMEOUT,
);

test('a field that a task loses but its preset has is removed by null, for this task alone', async () => {
  const task = (index: number, over: JsonObject) =>
    seedTask(index, { remark: `Task ${index}`, config: sniperConfig(over) });
  const account = (last: JsonObject) => ({
    tasks: [task(1, { bundle_amount: '0.1' }), task(2, { bundle_amount: '0.1' }), task(3, last)],
  });
  const first = await exported(await createWorld(account({ bundle_amount: '0.1' })).read(), NEW_PROJECT, {
    presets: true,
  });
  expect(first.after.get('manifests/presets.yaml')).toContain('bundle_amount: "0.1"');
  const world = createWorld(account({}));
  const second = await exported(await world.read(), first.after);
  expect([...second.files.keys()]).toEqual(['manifests/sniper/task-3.yaml']);
  expect(second.after.get('manifests/sniper/task-3.yaml')).toContain('bundle_amount: null');
  const plan = await world.plan(await stateOf(second.after));
  expect(plan.changes.flatMap(({ fields }) => fields)).toEqual([]);
});
