import { describe, expect, test } from 'vitest';
import {
  decideLabel,
  decideRollback,
  decideTask,
  decideTemplate,
  type Situation,
} from '../../src/core/act/decide.ts';
import type { LiveLabel, LiveTask, LiveTemplate } from '../../src/core/model/resource.ts';
import { liveTask, sniperConfig } from '../support/builders.ts';

const CONFIG = sniperConfig({ buy_amount: '0.75' });
const mark = (armed: string) => `Note [git:core/a${armed}]`;

/** A running task at version 5, settled: what a config change begins with. */
const running = liveTask(1, { remark: mark('@0'), version: 5 });
/** The same after mark and pause of this run: paused at version 7 with `@7`. */
const paused = liveTask(1, { remark: mark('@7'), version: 7, is_active: false });
/** The same after the patch: `@8` at version 8. */
const armed = liveTask(1, { remark: mark('@8'), version: 8, is_active: false, config: CONFIG });

const MARK: Situation = {
  verb: 'mark',
  refused: false,
  before: running,
  body: { remark: mark('@7') },
  read: running,
  starts: true,
  ownMark: undefined,
  buyOnce: false,
  goneOver: 0,
};
const marked = liveTask(1, { remark: mark('@7'), version: 6 });
const PAUSE: Situation = { ...MARK, verb: 'pause', before: marked, body: null, read: marked, ownMark: 7 };
const PATCH: Situation = {
  ...MARK,
  verb: 'patch',
  before: paused,
  body: { remark: mark('@8'), config: CONFIG },
  read: paused,
  ownMark: 7,
};
const RESUME: Situation = { ...MARK, verb: 'resume', before: armed, body: null, read: armed, ownMark: 8 };
const DELETE: Situation = {
  ...MARK,
  verb: 'delete',
  before: paused,
  body: null,
  read: paused,
  starts: false,
};
const PLAIN: Situation = {
  ...MARK,
  verb: 'patch',
  body: { remark: `New ${mark('@0').slice(5)}` },
  starts: false,
};

type Row = readonly [name: string, over: Partial<Situation>, read: Partial<LiveTask>, decision: string];

function table(base: Situation, rows: readonly Row[]) {
  test.each(rows)('%s', (_name, over, read, decision) => {
    const situation = { ...base, ...over };
    expect(decideTask({ ...situation, read: { ...situation.before, ...read } })).toBe(decision);
  });
}

const LEGACY = { ...sniperConfig(), gone: true };

describe('mark before the pause', () => {
  table(MARK, [
    ['unchanged: again', {}, {}, 'retry'],
    ['ours arrived', {}, { version: 6, remark: mark('@7') }, 'done'],
    [
      'the same bytes after a refusal are another runner’s',
      { refused: true },
      { version: 6, remark: mark('@7') },
      'moved',
    ],
    ['ours, then a note', {}, { version: 7, remark: `Other ${mark('@7').slice(5)}` }, 'rebase'],
    [
      'ours, then one that shows nothing: its number is spent',
      {},
      { version: 7, remark: mark('@7') },
      'rebase',
    ],
    [
      'a note before ours was refused',
      { refused: true },
      { version: 6, remark: `Other ${mark('@0').slice(5)}` },
      'rebase',
    ],
    ['a label', { refused: true }, { version: 6, risk_label_id: 'x' }, 'rebase'],
    [
      'many harmless writes: nothing is paused yet',
      { refused: true },
      { version: 9, risk_label_id: 'x' },
      'rebase',
    ],
    ['stopped by somebody', {}, { version: 6, is_active: false }, 'moved'],
    [
      'ours, then stopped: looks like our own pause',
      {},
      { version: 7, remark: mark('@7'), is_active: false },
      'moved',
    ],
    ['the marker moved', {}, { version: 6, remark: mark('@!') }, 'moved'],
    ['the marker is gone', {}, { version: 6, remark: 'Note' }, 'moved'],
    ['the config moved', {}, { version: 8, config: CONFIG }, 'moved'],
    ['older than what is known', {}, { version: 4 }, 'stale'],
  ]);
});

describe('pause', () => {
  table(PAUSE, [
    ['unchanged: again', {}, {}, 'retry'],
    ['paused at exactly the own mark: ours (known gap 1)', {}, { version: 7, is_active: false }, 'done'],
    ['paused after a refusal: somebody else', { refused: true }, { version: 7, is_active: false }, 'stopped'],
    ['paused past the own mark', {}, { version: 8, is_active: false }, 'stopped'],
    ['paused at the same version', {}, { is_active: false }, 'stopped'],
    [
      'paused with another note',
      {},
      { version: 7, is_active: false, remark: mark('@7').slice(2) },
      'stopped',
    ],
    ['paused with another config', {}, { version: 7, is_active: false, config: CONFIG }, 'stopped'],
    ['buy_once: held', { buyOnce: true }, { version: 7, is_active: false }, 'stopped'],
    ['no mark to know it by: held', { ownMark: undefined }, { version: 7, is_active: false }, 'stopped'],
    [
      'still running after a note: the mark is renewed',
      {},
      { version: 7, remark: mark('@7').slice(2) },
      'renew-mark',
    ],
    ['still running after a label and more', {}, { version: 9, risk_label_id: 'x' }, 'renew-mark'],
    [
      'running without a mark: simply again on the new version',
      { ownMark: undefined },
      { version: 7 },
      'rebase',
    ],
    ['buy_once and written to: not paused blindly', { buyOnce: true }, { version: 7 }, 'moved'],
    ['the marker moved', {}, { version: 7, remark: mark('@0') }, 'moved'],
    ['the config moved', {}, { version: 9, config: CONFIG }, 'moved'],
    [
      'nothing starts afterwards: paused by anybody will do',
      { starts: false, refused: true },
      { version: 9, is_active: false },
      'done',
    ],
    [
      'nothing starts, buy_once fired: will do',
      { starts: false, buyOnce: true },
      { is_active: false },
      'done',
    ],
    [
      'nothing starts, the marker moved',
      { starts: false },
      { version: 7, is_active: false, remark: mark('@!') },
      'moved',
    ],
    ['nothing starts, still running', { starts: false }, { version: 8, config: CONFIG }, 'rebase'],
  ]);
});

describe('patch before a start', () => {
  table(PATCH, [
    ['unchanged: again', {}, {}, 'retry'],
    ['ours arrived', {}, { ...armed }, 'done'],
    [
      'ours, with amounts in another spelling',
      {},
      { ...armed, config: sniperConfig({ buy_amount: '0.750' }) },
      'done',
    ],
    ['the same after a refusal is another runner’s', { refused: true }, { ...armed }, 'moved'],
    ['one note', {}, { version: 8, remark: mark('@7').slice(2) }, 'rebase'],
    ['one label', { refused: true }, { version: 8, risk_label_id: 'x' }, 'rebase'],
    ['ours, then one note', {}, { ...armed, version: 9, remark: mark('@8').slice(2) }, 'rebase'],
    [
      'two writes, the last a note: may hide a start and a stop',
      {},
      { version: 9, remark: mark('@7').slice(2) },
      'moved',
    ],
    ['one write that shows nothing: may be a pause', {}, { version: 8 }, 'moved'],
    ['ours, then one that shows nothing', {}, { ...armed, version: 9 }, 'moved'],
    ['ours, then two', {}, { ...armed, version: 10, remark: mark('@8').slice(2) }, 'moved'],
    ['a second note', { goneOver: 1 }, { version: 8, remark: mark('@7').slice(2) }, 'moved'],
    ['a note, buy_once', { buyOnce: true }, { version: 8, remark: mark('@7').slice(2) }, 'moved'],
    ['started by somebody', {}, { version: 8, is_active: true }, 'moved'],
    ['started without a new version', {}, { is_active: true }, 'moved'],
    ['the marker moved', {}, { version: 8, remark: mark('@!') }, 'moved'],
    ['the config moved', {}, { version: 8, config: LEGACY }, 'moved'],
    ['linked wallets moved', {}, { version: 8, linked_wallets: ['x'], risk_label_id: 'x' }, 'moved'],
    ['older than what is known', {}, { version: 6 }, 'stale'],
  ]);
});

describe('patch that starts nothing', () => {
  const wanted = { remark: `New ${mark('@0').slice(5)}` };
  table(PLAIN, [
    ['unchanged: again', {}, {}, 'retry'],
    ['ours arrived', {}, { version: 6, ...wanted }, 'done'],
    ['already so, by whomever', { refused: true }, { version: 9, ...wanted }, 'done'],
    ['already so at the same version: nothing was to change', {}, { ...wanted }, 'done'],
    ['another note', { refused: true }, { version: 6, remark: mark('@0').slice(2) }, 'rebase'],
    [
      'config moved, and the patch leaves it alone',
      { refused: true },
      { version: 6, config: CONFIG },
      'rebase',
    ],
    [
      'config moved, and the patch writes it',
      { body: { config: LEGACY } },
      { version: 6, config: CONFIG },
      'moved',
    ],
    [
      'config moved, and the patch writes the linked wallets',
      { body: { linked_wallets: ['x'] } },
      { version: 6, config: CONFIG },
      'moved',
    ],
    [
      'ours, then a note',
      { body: { remark: mark('@!') } },
      { version: 7, remark: mark('@!').slice(2) },
      'rebase',
    ],
    [
      'a refusal, and its marker is there: another runner’s',
      { refused: true, body: { remark: mark('@!') } },
      { version: 7, remark: mark('@!').slice(2) },
      'moved',
    ],
    ['stopped by somebody', {}, { version: 6, is_active: false }, 'moved'],
    ['the marker moved', {}, { version: 6, remark: mark('@5') }, 'moved'],
  ]);
});

describe('resume', () => {
  table(RESUME, [
    ['unchanged: again, on the same version', {}, {}, 'retry'],
    ['it runs', {}, { version: 9, is_active: true }, 'done'],
    ['it runs, by somebody else', { refused: true }, { version: 9, is_active: true }, 'done'],
    [
      'it runs, and a note was written',
      {},
      { version: 10, is_active: true, remark: mark('@8').slice(2) },
      'done',
    ],
    ['it runs under another marker', {}, { version: 10, is_active: true, remark: mark('@!') }, 'moved'],
    ['paused, one note since', {}, { version: 9, remark: mark('@8').slice(2) }, 'renew-mark'],
    ['paused, one label since', { refused: true }, { version: 9, risk_label_id: 'x' }, 'renew-mark'],
    ['paused, a second note', { goneOver: 1 }, { version: 9, remark: mark('@8').slice(2) }, 'moved'],
    ['paused, two versions: it may have run', {}, { version: 10, remark: mark('@8').slice(2) }, 'moved'],
    ['paused, nothing to see', {}, { version: 9 }, 'moved'],
    ['buy_once: it may have fired', { buyOnce: true }, { version: 9, remark: mark('@8').slice(2) }, 'moved'],
    ['the marker moved', {}, { version: 9, remark: mark('@!') }, 'moved'],
    ['the config moved', {}, { version: 9, config: sniperConfig() }, 'moved'],
  ]);
});

describe('delete', () => {
  table(DELETE, [
    ['unchanged: again', {}, {}, 'retry'],
    ['a note', {}, { version: 8, remark: mark('@7').slice(2) }, 'rebase'],
    ['many writes that show nothing', {}, { version: 12 }, 'rebase'],
    ['started by somebody', {}, { version: 8, is_active: true }, 'moved'],
    ['started without a new version', {}, { is_active: true }, 'moved'],
    ['the marker moved', {}, { version: 8, remark: 'Mine now' }, 'moved'],
    ['a start follows: any write', { starts: true }, { version: 8 }, 'moved'],
  ]);
});

test('no reading makes a run start a task at a version that it only read', () => {
  const remarks = [mark('@0'), mark('@8'), mark('@9'), mark('@8').slice(2), 'Note'];
  const switches = [true, false];
  const readings = [8, 9, 10, 11].flatMap((version) =>
    remarks.flatMap((remark) =>
      switches.flatMap((is_active) =>
        [CONFIG, sniperConfig()].map((config) => ({ ...armed, version, remark, is_active, config })),
      ),
    ),
  );
  for (const read of readings) {
    for (const refused of switches) {
      for (const buyOnce of switches) {
        const decision = decideTask({ ...RESUME, refused, buyOnce, read });
        expect(decision).not.toBe('rebase');
        if (decision === 'retry') expect(read.version).toBe(armed.version);
        if (!read.is_active && read.version > 9) expect(decision).toBe('moved');
      }
    }
  }
});

describe('templates', () => {
  const before: LiveTemplate = {
    collection: 'sniper-template',
    id: 'x',
    name: 'base',
    version: 3,
    created_at: '',
    updated_at: '',
    config: sniperConfig(),
  };
  const rows: readonly [string, 'patch' | 'delete', Partial<LiveTemplate>, string][] = [
    ['unchanged', 'patch', {}, 'retry'],
    ['as wanted', 'patch', { version: 4, config: CONFIG }, 'done'],
    ['renamed by somebody', 'patch', { version: 4, name: 'other' }, 'moved'],
    [
      'renamed by somebody, and the config as wanted',
      'patch',
      { version: 4, name: 'other', config: CONFIG },
      'moved',
    ],
    ['a version more', 'patch', { version: 4 }, 'rebase'],
    ['changed by somebody', 'patch', { version: 4, config: LEGACY }, 'moved'],
    ['unchanged', 'delete', {}, 'retry'],
    ['a version more', 'delete', { version: 5 }, 'rebase'],
    ['changed by somebody', 'delete', { version: 4, config: CONFIG }, 'moved'],
    ['older', 'delete', { version: 2 }, 'stale'],
  ];
  test.each(rows)('%s (%s)', (_name, verb, read, decision) => {
    const body = verb === 'patch' ? { config: CONFIG } : null;
    expect(decideTemplate({ before, body, read: { ...before, ...read } })).toBe(decision);
  });

  test.each<[string, Partial<LiveTemplate>, string]>([
    ['both as wanted', { name: 'new', config: CONFIG }, 'done'],
    ['only the name as wanted', { name: 'new' }, 'rebase'],
    ['only the config as wanted', { config: CONFIG }, 'rebase'],
    ['the name as wanted, the config somebody else’s', { name: 'new', config: LEGACY }, 'moved'],
  ])('a rename with a config: %s', (_name, read, decision) => {
    const body = { name: 'new', config: CONFIG };
    expect(decideTemplate({ before, body, read: { ...before, version: 5, ...read } })).toBe(decision);
  });
});

/** The mark of a pause, `@7` at version 6, is taken back to `@0`. */
describe('the rollback of a mark', () => {
  const body = { remark: mark('@0') };
  test.each<[string, Partial<LiveTask>, string]>([
    ['unchanged', {}, 'retry'],
    ['as written', { version: 7, ...body }, 'done'],
    ['as written, and stopped since', { version: 8, is_active: false, ...body }, 'done'],
    ['a note more', { version: 7, remark: `Other ${mark('@7').slice(5)}` }, 'rebase'],
    ['stopped by somebody, the mark still there', { version: 7, is_active: false }, 'rebase'],
    ['another mark', { version: 7, remark: mark('@9') }, 'done'],
    ['two writes more: the mark is spent', { version: 8 }, 'done'],
  ])('%s', (_name, read, decision) => {
    const reading = { before: marked, body, refused: false, read: { ...marked, ...read } };
    expect(decideRollback(reading)).toBe(decision);
  });
});

describe('labels', () => {
  const before: LiveLabel = { collection: 'label', id: 'x', name: 'high', sort_order: 1 };
  test.each<[string, boolean, Partial<LiveLabel>, string]>([
    ['unchanged', true, {}, 'retry'],
    ['as wanted', true, { sort_order: 2 }, 'done'],
    ['as wanted before anything was sent', false, { sort_order: 2 }, 'done'],
    ['an order that is not shown', true, { sort_order: null }, 'done'],
    ['an order that is not shown, before anything was sent', false, { sort_order: null }, 'retry'],
    ['another order', true, { sort_order: 9 }, 'moved'],
    ['another name', true, { name: 'theirs' }, 'moved'],
  ])('%s (sent: %s)', (_name, sent, read, decision) => {
    const reading = { before, body: { name: 'high', sort_order: 2 }, read: { ...before, ...read } };
    expect(decideLabel(reading, sent)).toBe(decision);
    // Of a deletion only the plan's own form counts.
    const deletion = decideLabel({ ...reading, body: null }, sent);
    expect(deletion).toBe(read.name === undefined && (read.sort_order ?? 1) === 1 ? 'retry' : 'moved');
  });
});
