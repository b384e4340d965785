import { pendingMark } from '../model/armed.ts';
import type { JsonObject } from '../model/json.ts';
import { isBuyOnce, type LiveTask } from '../model/resource.ts';
import type { Outcome } from '../ports/api.ts';
import { CarefulWrite } from './careful-write.ts';
import { movedFields, patched } from './compare.ts';
import { type Decision, decideTask, type Reading, type TaskVerb } from './decide.ts';
import { echoed, type Failure, readingOf, type StepOutcome } from './outcome.ts';
import { markBody, type Owner } from './render-body.ts';
import type { Look } from './requests.ts';
import type { TrackedTask } from './tracked-task.ts';
import type { Next } from './write.ts';

interface TaskAim {
  readonly verb: TaskVerb;
  readonly task: TrackedTask;
  /** The body for the version that it is sent on, with symbols filled in; absent for verbs without a body. */
  readonly render?: (known: LiveTask) => JsonObject;
  readonly starts: boolean;
  readonly buyOnce: boolean;
  readonly owner: Owner;
  /** The fields of a reading that the plan is about to write, and that somebody changed since it was made. */
  readonly edited?: (read: LiveTask) => readonly string[];
  /** The body that writes the mark again before a pause; undefined if the task has no mark. */
  readonly mark?: ((known: LiveTask) => JsonObject) | undefined;
}

const DOING: Readonly<Record<TaskVerb, string>> = {
  mark: 'Writing its remark',
  pause: 'The pause',
  patch: 'The change',
  resume: 'The start',
  delete: 'The deletion',
};

/**
 * One step of a task; keeps what is known of the task up to date. Where the mark that the step rests on is out of date, it is
 * written again first.
 */
export class TaskStep extends CarefulWrite<LiveTask> {
  readonly task: TrackedTask;
  /** The step that this one prepares: messages about changes by others name that step. */
  private readonly prepares: TaskVerb;
  private renewal: TaskStep | undefined;

  constructor(
    private readonly aim: TaskAim,
    prepares = aim.verb,
  ) {
    super(aim.verb, DOING[aim.verb]);
    this.task = aim.task;
    this.prepares = prepares;
  }

  override next(): Next<StepOutcome<LiveTask>> {
    const { verb, aim, task } = this;
    const arming = (known: LiveTask) => markBody(known, aim.owner, pendingMark('patch', known.version));
    // A start relies on a version that this run made, never on one that was only read.
    if (verb === 'resume' && task.startable !== task.known.version)
      this.renewal ??= new TaskStep({ ...aim, verb: 'patch', render: arming }, verb);
    const step = this.renewal?.next();
    if (step !== undefined && !('end' in step && step.end.type === 'done')) return step;
    this.renewal = undefined;
    return super.next();
  }

  override answered(outcome: Outcome): LiveTask | undefined {
    return this.renewal === undefined ? super.answered(outcome) : this.renewal.answered(outcome);
  }

  override read(look: Look, outcome: Outcome): number | undefined {
    return this.renewal === undefined ? super.read(look, outcome) : this.renewal.read(look, outcome);
  }

  protected override get known(): LiveTask {
    return this.task.known;
  }

  protected override render(): JsonObject | null {
    return this.aim.render?.(this.known) ?? null;
  }

  /** What an answer must show (DESIGN 3 and 5): the same task, a higher version, `is_active` as requested, the fields as sent. */
  protected override shownBy(answered: LiveTask | undefined): StepOutcome<LiveTask> | undefined {
    const { verb, known } = this;
    const body = this.body ?? {};
    if (answered === undefined || answered.version <= known.version) return undefined;
    const done: StepOutcome<LiveTask> = { type: 'done', resource: answered };
    switch (verb) {
      case 'pause':
        return answered.is_active ? undefined : done;
      case 'resume':
        if (answered.is_active) return done;
        return this.aim.buyOnce
          ? { ...done, text: 'It was started and stopped itself at once (buy_once).' }
          : undefined;
      default: {
        if (answered.is_active !== known.is_active) return undefined;
        const fields = movedFields(patched(known, body), answered, body);
        return fields.length === 0 ? done : echoed(answered, fields);
      }
    }
  }

  protected override decide(reading: Reading<LiveTask>): Decision {
    const { verb, aim, task } = this;
    const { ownMark, goneOver } = task;
    const { starts, buyOnce } = aim;
    const decision = decideTask({ ...reading, verb, starts, ownMark, buyOnce, goneOver });
    const again = decision === 'rebase' || decision === 'renew-mark';
    return again && (aim.edited?.(reading.read) ?? []).length > 0 ? 'moved' : decision;
  }

  protected override rebase(reading: Reading<LiveTask>, decision: Decision): void {
    const { verb, aim } = this;
    this.task.rebase(reading, aim.starts);
    // Before a resume, `next` sees it by the version.
    if (decision === 'renew-mark' && verb === 'pause' && aim.mark !== undefined)
      this.renewal = new TaskStep({ ...aim, verb: 'mark', render: aim.mark }, verb);
  }

  protected override moved(reading: Reading<LiveTask>, stopped: boolean): Failure<LiveTask> {
    return stopped ? stoppedBy(reading) : movedBefore(this.prepares, reading);
  }

  protected override ended(end: StepOutcome<LiveTask>): StepOutcome<LiveTask> {
    const { verb, task } = this;
    if (end.type === 'done') {
      if (end.resource === undefined) task.deleted();
      else task.written(verb, end.resource);
      return end;
    }
    const reading = readingOf(end.failure);
    if (reading !== undefined) task.movedBy(reading);
    else if (end.failure.kind === 'echo') task.written(verb, end.failure.resource);
    else if (this.isStale) task.outdated = task.known;
    return end;
  }
}

const NOUN: Readonly<Record<TaskVerb, string>> = {
  mark: 'its mark',
  pause: 'its pause',
  patch: 'its patch',
  resume: 'its start',
  delete: 'its deletion',
};

/** The failure for a change by somebody else: names the fields that differ from what this run left or expected. */
export function movedBefore(
  verb: TaskVerb,
  reading: Reading<LiveTask>,
  fields = movedFields(reading.before, reading.read),
): Failure<LiveTask> {
  const { before, read } = reading;
  const what =
    fields.length === 0
      ? `it went from version ${before.version} to ${read.version} without a visible change, which may hide a start and a stop`
      : `${fields.join(', ')} ${fields.length === 1 && fields[0]?.startsWith('it was') ? '' : 'changed'}`.trim();
  return { kind: 'moved', text: `Somebody else changed the task before ${NOUN[verb]}: ${what}.`, reading };
}

/** The failure for another apply: a pending mark that this run did not write distinguishes another apply from a person. */
export function anotherApplyBefore(verb: TaskVerb, reading: Reading<LiveTask>): Failure<LiveTask> {
  const text = `Another apply is working on the task, and wrote to it before ${NOUN[verb]}.`;
  return { kind: 'moved', text, reading };
}

/** The failure for a stopped task. `refused`: it was certainly not this run's pause that took effect. */
export function stoppedBy(reading: Reading<LiveTask>): Failure<LiveTask> {
  const { before, refused } = reading;
  const fired = isBuyOnce(before.config) ? ', or it stopped itself after its first trade (buy_once)' : '';
  const who = refused
    ? `Somebody stopped the task in the meantime${fired}`
    : `The answer to the pause does not show whether this run or somebody else stopped the task${fired}`;
  return { kind: 'stopped', text: `${who}: it stays paused.`, reading };
}
