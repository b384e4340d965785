import { Requests } from '../../src/core/act/requests.ts';
import { markSettled } from '../../src/core/act/switch-on.ts';
import type { Io } from '../../src/core/command/io.ts';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { OperatorContext } from '../../src/core/features/switch/context.ts';
import { resumeChoices } from '../../src/core/features/switch/pure/resume-choice.ts';
import { endFreeze, readThaw } from '../../src/core/features/switch/thaw.ts';
import { formatArmed } from '../../src/core/model/armed.ts';
import { switchFreeze } from '../../src/core/model/freeze.ts';
import { TASK_KINDS } from '../../src/core/model/kind.ts';
import { armedOf } from '../../src/core/model/marker.ts';
import { knownTask } from '../../src/core/plan/identity/known-task.ts';
import { isBlockedByFreeze } from '../../src/core/plan/stakes/frozen.ts';
import { SILENT } from '../../src/core/ports/output.ts';
import { surveyTasks } from '../../src/core/service/view/survey.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import { type Blow, createStage, type Meddler, type Stage } from '../act/stage.ts';
import { pauseAll } from '../features/operator/switching.ts';
import { desiredState, desiredTask, seedTask, sniperConfig, uuid, wallet } from '../support/builders.ts';
import { EVERYTHING } from '../support/everything.ts';
import { fixedLimiter } from '../support/fixed-limiter.ts';
import { type Dice, dice } from './random.ts';

/**
 * Random walks of people, applies and the operator's switch over one address, and what the switch promises (DESIGN 3): after
 * a completed pause no apply starts the task; `resume --all` starts what the switch stopped and never what a person or
 * `buy_once` stopped; afterwards the world is as if the switch had not been there; nothing starts after a freeze was
 * seen, or five seconds after it came; a pause that ended frozen within a resume has the last word. The ledger below judges every start
 * by who stopped the task last, and knows nothing of marks but what the named gaps rest on.
 */

type Actor = 'person' | 'apply' | 'pause' | 'resume' | 'fire';
type Stop = 'person' | 'fire' | 'switch' | undefined;

/** What a walk had in it: a walk that shows nothing proves nothing. */
export interface Walked {
  readonly problems: readonly string[];
  readonly lines: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
}

const BLOWS: readonly Blow[] = ['lost-before', 'lost-after', 'crash-before', 'crash-after'];
const MOST_STEPS = 10;
const SWITCH_FREEZE = switchFreeze('core');
/** A label that a person sets. */
const BY_HAND = 'freeze by hand';

export async function walk(seed: number): Promise<Walked> {
  const one = new Walk(seed);
  await one.run();
  return one;
}

class Walk implements Walked {
  readonly problems: string[] = [];
  readonly lines: string[] = [];
  readonly counts = new Map<string, number>();
  private readonly dice: Dice;
  private readonly stage: Stage;
  private readonly manual: boolean;
  private desired: {
    once: boolean;
    stoppedTasks: 'hold' | 'resume';
    target: number;
    note: string;
    amount: string;
  };
  private readonly runs = new Map<string, boolean>();
  private readonly marks = new Map<string, string>();
  /** The form that stood where `resume` has asked for a start. */
  private asked: string | undefined;
  private actor: Actor = 'person';
  /** Who stopped the task last, as far as nobody has started it since. */
  private stop: Stop;
  /** Who was at work last: a pause that ended frozen, or a resume. */
  private last: 'resume' | 'frozen pause' | undefined;
  /** A completed pause is in force. */
  private on = false;
  /** Why a start that follows would be a known gap. */
  private gap: string | undefined;
  /** A person has started what carries `@!`, and no apply or resume has come by. */
  private unseenStart = false;
  /** The operation at hand was struck, or somebody came in between. */
  private disturbed = false;
  private depth = 0;
  /** By label: since when the account is frozen, and the place in the log from which a reading shows that to the operation at hand. */
  private readonly frozen = new Map<string, { readonly at: number; from: number }>();
  /** The plan at hand creates active, starts or raises. */
  private blockable = false;

  constructor(seed: number) {
    this.dice = dice(seed);
    const once = this.dice.below(4) === 0;
    this.manual = this.dice.below(6) === 0;
    this.desired = {
      once,
      stoppedTasks: this.dice.pick(['hold', 'resume'] as const),
      target: 1,
      note: 'Note',
      amount: '0.1',
    };
    const armed = this.manual ? '' : this.dice.pick(['@0', '@4', '@5', '@6']);
    this.stage = createStage(
      {
        tasks: [seedTask(1, { remark: `Note [git:core/alpha${armed}]`, config: this.config() })],
      },
      // What hides that a task has fired is a gap of its own.
      { pause_paused: 'invalid_request' },
    );
    this.note(`seed ${seed} ${JSON.stringify(this.desired)} ${armed} ${this.manual ? 'manual' : ''}`);
    this.observe();
  }

  async run(): Promise<void> {
    for (let step = 0; step < MOST_STEPS && this.problems.length === 0; step += 1) {
      await this.step();
      this.observe();
      const [task, more] = this.owned();
      // A person's clone, or a deletion: not of this walk.
      if (task === undefined || more !== undefined) await this.apply(undefined);
    }
  }

  private config() {
    return sniperConfig({ buy_once: this.desired.once, buy_amount: this.desired.amount });
  }

  private state(): DesiredState {
    const { note, target, stoppedTasks } = this.desired;
    const task = desiredTask('alpha', {
      note,
      state: this.manual ? 'manual' : 'active',
      target_wallet: wallet(target),
      config: this.config(),
    });
    return desiredState([task], [], { stoppedTasks, settle: { update: 0, replace: 0 } });
  }

  private owned(): readonly StoredTask[] {
    return this.stage.owned('alpha');
  }

  private async step(): Promise<void> {
    const { dice: drawn } = this;
    switch (drawn.below(9)) {
      case 0:
      case 1:
        return this.pause(this.meddler());
      case 2:
      case 3:
        return this.resume(this.meddler());
      case 4:
      case 5:
        return this.apply(this.meddler());
      case 6:
        return this.git();
      default:
        return this.others();
    }
  }

  // --- who acts

  private git(): void {
    const { desired, dice: drawn } = this;
    const change = drawn.pick(['stopped', 'note', 'amount', 'target'] as const);
    if (change === 'stopped') desired.stoppedTasks = desired.stoppedTasks === 'hold' ? 'resume' : 'hold';
    if (change === 'note') desired.note = desired.note === 'Note' ? 'Other' : 'Note';
    if (change === 'amount') desired.amount = desired.amount === '0.1' ? '0.2' : '0.1';
    if (change === 'target') desired.target = desired.target === 1 ? 2 : 1;
    this.note(`git: ${change} ${JSON.stringify(desired)}`);
  }

  private others(): void {
    const task = this.owned().find(({ is_active }) => is_active) ?? this.owned()[0];
    if (task === undefined) return;
    this.observe();
    const armed = armedOf(task);
    const switched = armed === 'off';
    const deed = this.dice.pick(['pause', 'start', 'note', 'fire', 'freeze'] as const);
    const was = this.actor;
    // Known gap 1; with buy_once there is no such mark but one of the beginning.
    if (armed === task.version + 1 && (deed === 'pause' || deed === 'fire')) this.gap = 'stopped on our mark';
    if (deed === 'pause' && task.is_active) {
      this.actor = 'person';
      if (switched && this.unseenStart) this.gap = 'started and stopped again unseen';
      this.stage.sandbox.editStored(task.id, { is_active: false });
    } else if (deed === 'start' && !task.is_active) {
      this.actor = 'person';
      this.unseenStart = switched;
      this.stage.sandbox.editStored(task.id, { is_active: true });
    } else if (deed === 'note') {
      this.stage.sandbox.editStored(task.id, { remark: task.remark.replace(/^\S* ?\[/, 'By-hand [') });
      this.disturbed = true;
    } else if (deed === 'fire' && task.is_active && task.config.buy_once === true) {
      this.actor = 'fire';
      if (switched && this.unseenStart) this.gap = 'started and fired unseen';
      this.stage.sandbox.fire(task.id);
    } else if (deed === 'freeze') {
      this.label(BY_HAND, !this.frozen.has(BY_HAND));
    } else return;
    this.note(`${deed}: ${this.shown()}`);
    this.observe();
    this.actor = was;
  }

  /** The label of the switch as it now is. */
  private readLabels(): void {
    const { labels } = this.stage.sandbox.state;
    const there = [...labels.values()].some(({ name }) => name.startsWith('freeze pause'));
    if (!there) this.frozen.delete(SWITCH_FREEZE);
    else if (!this.frozen.has(SWITCH_FREEZE)) this.freezeFrom(SWITCH_FREEZE);
  }

  private freezeFrom(name: string): void {
    const { sandbox } = this.stage;
    this.frozen.set(name, { at: sandbox.now(), from: sandbox.log.length });
  }

  /** Sets a label, or takes it away. */
  private label(name: string, there: boolean): void {
    const { sandbox } = this.stage;
    const [account = ''] = sandbox.state.accounts.keys();
    const id = uuid(91);
    const at = sandbox.now();
    const record = { id, account, name, sort_order: 1, created_at: at, updated_at: at };
    if (there) this.freezeFrom(name);
    else this.frozen.delete(name);
    sandbox.apply([there ? { type: 'label', record } : { type: 'label-removed', id }]);
  }

  private async pause(meddler: Meddler): Promise<void> {
    await this.operation('pause', async () => {
      const freezes = this.dice.below(2) === 0;
      const file = this.dice.below(2) === 0;
      const stoppedTasks = file ? this.desired.stoppedTasks : undefined;
      this.note(`pause --all ${file ? '' : '(no project file)'} ${freezes ? '' : '--no-freeze'}`);
      const policy = { project: 'core', stoppedTasks };
      const end = await pauseAll(this.stage, { policy }, meddler, 300_000, freezes);
      this.observe();
      this.readLabels();
      if (end === 'crashed') return this.note('  killed');
      const off = this.owned().every(({ is_active }) => !is_active);
      const marked = this.owned().some((task) => armedOf(task) !== undefined);
      const unmarked = end.tasks.some(({ missing }) => missing !== undefined);
      this.on = off && marked && end.verified && !unmarked;
      if (this.on) this.count('pauses');
      if (!this.on || end.frozen?.code !== 'frozen') return;
      this.last = 'frozen pause';
      if (!this.frozen.has(SWITCH_FREEZE) && !this.frozen.has(BY_HAND)) this.problem('a pause ends unfrozen');
    });
  }

  private async resume(meddler: Meddler): Promise<void> {
    await this.operation('resume', async () => {
      this.note('resume --all');
      const stopped = this.stop;
      this.last = 'resume';
      const single = this.owned().length === 1;
      const { signal } = new AbortController();
      const io = { stop: { soft: signal, hard: signal } } as Io;
      const end = await this.stage.run(async ({ api, clock }) => {
        const context = { session: { api, clock }, project: { project: 'core' } } as OperatorContext;
        const freezes = await readThaw({ all: true }, context, io);
        const kinds = TASK_KINDS.map(({ collection }) => collection);
        const survey = await surveyTasks({
          api,
          progress: SILENT,
          limiter: fixedLimiter(1),
          kinds,
          activeOnly: false,
        });
        const known = survey.tasks.map((task) => knownTask(task, { project: 'core' }));
        const choices = resumeChoices(known, { selection: EVERYTHING, held: false, manifests: undefined });
        const thaw = await freezes(known, { starting: [] });
        let done = true;
        for (const { known, type } of choices) {
          const wire = new Requests(api, clock, signal);
          const { task, marker } = known;
          if (marker === undefined) continue;
          if (type === 'start') done = (await thaw.start(task, marker, wire)).type === 'done' && done;
          if (type === 'mark-settled') done = (await markSettled(task, marker, wire)).type === 'done' && done;
        }
        if (done) await endFreeze(thaw, context, io);
      }, meddler);
      this.observe();
      this.readLabels();
      if (this.last !== 'resume') {
        this.count('pauses within a resume');
        if (this.frozen.size === 0) this.problem('a resume ends the freeze of a pause that came during it');
        if (this.owned().some(({ is_active }) => is_active))
          this.problem('a resume starts a task after a pause that came during it');
      }
      if (end === 'crashed') return this.note('  killed');
      if (this.frozen.size > 0) return;
      // What came in the midst of it may not have been seen.
      if (!this.disturbed) this.unseenStart = false;
      if (!this.disturbed) this.on = false;
      const idle = this.owned().every(({ is_active }) => !is_active);
      if (stopped === 'switch' && idle && single && !this.disturbed && this.certain)
        this.problem('resume --all leaves off what the switch stopped');
    });
  }

  /** The pause that stopped the task was not disturbed: then what the switch stopped is certainly known. */
  private certain = false;

  private async apply(meddler: Meddler | undefined): Promise<void> {
    await this.operation('apply', async () => {
      this.note(`apply ${JSON.stringify(this.desired)}`);
      const plan = await this.stage.plan(this.state(), { allowEmpty: true });
      this.blockable = plan.changes.some(isBlockedByFreeze);
      if (this.blockable && this.frozen.size > 0) this.count('frozen');
      await this.stage.apply(plan, meddler);
      this.observe();
      if (!this.disturbed) this.unseenStart = false;
    });
  }

  /** One operation, and what befalls it. An operation within another one is not disturbed itself. */
  private async operation(actor: Actor, work: () => Promise<void>): Promise<void> {
    this.observe();
    const outer = { actor: this.actor, disturbed: this.disturbed };
    this.actor = actor;
    this.disturbed = false;
    this.depth += 1;
    this.readAnew();
    await work();
    this.readAnew();
    this.depth -= 1;
    this.observe();
    if (actor === 'pause' && this.disturbed) this.certain = false;
    this.note(`  ${actor}: ${this.shown()}`);
    this.actor = outer.actor;
    this.disturbed = outer.disturbed || this.depth > 0;
  }

  /** What another operation has read, this one has not. */
  private readAnew(): void {
    for (const freeze of this.frozen.values()) freeze.from = this.stage.sandbox.log.length;
  }

  private meddler(): Meddler {
    const { dice: drawn } = this;
    const quiet = this.depth > 0 || drawn.below(3) === 0;
    const at = quiet ? -1 : drawn.below(14);
    const what = drawn.pick(['blow', 'others', 'others', 'apply', 'pause'] as const);
    let blown = 0;
    return async (index, { method }) => {
      this.observe();
      if (index !== at) return undefined;
      this.disturbed = true;
      if (what === 'others') this.others();
      if (what === 'apply' && this.actor !== 'apply') await this.apply(undefined);
      if (what === 'pause' && (this.actor === 'apply' || this.actor === 'resume'))
        await this.pause(() => {
          this.observe();
          return undefined;
        });
      if (what !== 'blow' || blown > 0) return undefined;
      blown += 1;
      const blow = drawn.pick(BLOWS);
      this.note(`  ${blow} at ${index} ${method}`);
      return blow;
    };
  }

  // --- the ledger

  /** Takes in what has happened since it was called last: all of it was the present actor's. */
  private observe(): void {
    for (const task of this.owned()) {
      const { id, is_active, version } = task;
      const ran = this.runs.get(id);
      this.runs.set(id, is_active);
      const armed = formatArmed(armedOf(task));
      if (this.marks.get(id) !== armed && this.actor === 'resume')
        this.marked(armed, this.marks.get(id) ?? '', version);
      this.marks.set(id, armed);
      if (ran === undefined && !is_active) continue;
      if (ran !== true && is_active) this.started();
      if (ran === true && !is_active) this.stopped();
    }
  }

  /** `resume` asks for a start, which any apply may carry out; or takes that back; or lets go. */
  private marked(armed: string, before: string, version: number): void {
    if (armed === `@${version}`) {
      if (this.gap === undefined && (this.stop === 'person' || this.stop === 'fire'))
        this.problem(`resume --all asks for a start of what was stopped by ${this.stop}`);
      this.asked = before;
      this.stop = undefined;
      this.on = false;
    } else if (armed === this.asked && armed.startsWith('@!')) this.stop ??= 'switch';
    else this.on = false;
  }

  private started(): void {
    const { actor, stop, on, gap } = this;
    if (actor === 'resume') this.count('resumed');
    if (this.startsFrozen()) this.problem(`${actor} starts a task although it saw the freeze`);
    const excused = gap !== undefined;
    if (excused) this.count(`gap: ${gap}`);
    else if (actor === 'apply' && on)
      this.problem(`an apply starts a chosen task after a completed pause (${stop})`);
    else if (actor === 'resume' && (stop === 'person' || stop === 'fire'))
      this.problem(`resume --all starts what was stopped by ${stop}`);
    else if (actor === 'apply' && stop !== undefined && stop !== 'switch') this.judgeHeld(stop);
    this.stop = undefined;
    this.on = false;
    this.gap = undefined;
    if (actor !== 'person') this.unseenStart = false;
  }

  private startsFrozen(): boolean {
    const { actor, frozen, stage, blockable } = this;
    if (actor !== 'resume' && !(actor === 'apply' && blockable)) return false;
    const { log } = stage.sandbox;
    return [...frozen].some(([name, { at, from }]) => {
      if (actor === 'resume' && name === SWITCH_FREEZE) return false;
      const saw = log.slice(from).some(({ method, path }) => method === 'GET' && path.startsWith('/labels'));
      return saw || stage.sandbox.now() - at > 5_000;
    });
  }

  private judgeHeld(stop: Stop): void {
    if (this.desired.stoppedTasks === 'resume' && !this.desired.once) return;
    if (stop === 'person' || stop === 'fire') this.problem(`an apply starts what was stopped by ${stop}`);
  }

  private stopped(): void {
    // An apply pauses in order to start again; one that dies leaves a start that is pending.
    if (this.actor === 'apply') return;
    this.stop = this.actor === 'pause' ? 'switch' : this.actor === 'fire' ? 'fire' : 'person';
    if (this.actor === 'person') this.count('stopped by a person');
    if (this.actor === 'pause') this.gap = undefined;
    this.certain = this.actor === 'pause';
    this.on = false;
  }

  private shown(): string {
    return this.owned()
      .map(({ remark, version, is_active }) => `${remark} v${version} ${is_active ? 'runs' : 'off'}`)
      .join('; ');
  }

  private problem(text: string): void {
    this.problems.push(text);
    this.note(`PROBLEM: ${text}: ${this.shown()}`);
  }

  private note(text: string): void {
    this.lines.push(text);
  }

  private count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}
