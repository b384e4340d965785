import type { JsonObject } from '../model/json.ts';
import { isBuyOnce, type LiveTask } from '../model/resource.ts';
import { movedConfig, movedFields, patched, sameWallets } from './compare.ts';
import { decideTask, type Reading, type TaskVerb } from './decide.ts';
import { echoed, type Failed, type Failure, type StepOutcome } from './outcome.ts';
import { armingBody, type Owner } from './render-body.ts';
import type { Requests } from './requests.ts';
import type { TrackedTask } from './tracked-task.ts';
import { write } from './write.ts';

export interface TaskStep {
  readonly verb: TaskVerb;
  readonly task: TrackedTask;
  /** The body for the version that it is sent on, with symbols filled in. */
  readonly render: (known: LiveTask) => JsonObject | null;
  readonly starts: boolean;
  readonly buyOnce: boolean;
  readonly owner: Owner;
  /** The body that writes the mark again before a pause; undefined if the task has no mark. */
  readonly mark?: (known: LiveTask) => JsonObject | null;
  /** The step that this one prepares: messages about changes by others name that step. */
  readonly prepares?: TaskVerb;
}

const DOING: Readonly<Record<TaskVerb, string>> = {
  mark: 'The mark before the pause',
  pause: 'The pause',
  patch: 'The patch',
  resume: 'The start',
  delete: 'The deletion',
};

/** Runs one operation on a task, and keeps the known state of the task up to date. */
export async function runTaskStep(step: TaskStep, requests: Requests): Promise<StepOutcome<LiveTask>> {
  const { verb, task, starts, buyOnce } = step;
  if (verb === 'resume' && task.startable !== task.known.version) {
    const failed = await renewMark(step, requests);
    if (failed !== undefined) return failed;
  }
  const renew = verb === 'resume' ? renewMark : verb === 'pause' ? renewAnnouncement : undefined;
  const outcome = await write<LiveTask>(
    {
      verb,
      doing: DOING[verb],
      known: () => task.known,
      render: step.render,
      judge: (answered, body) => judge(step, answered, body),
      decide: (reading) => {
        const { ownMark, goneOver } = task;
        return decideTask({ ...reading, verb, starts, ownMark, buyOnce, goneOver });
      },
      rebase: (reading) => task.rebase(reading, starts),
      moved: (reading, stopped) =>
        stopped ? stoppedBy(reading) : movedBefore(step.prepares ?? verb, reading),
      ...(renew === undefined ? {} : { renewMark: () => renew(step, requests) }),
    },
    requests,
  );
  if (outcome.type === 'failed' && outcome.reading !== undefined) task.movedBy(outcome.reading);
  else if (outcome.resource !== undefined) task.written(verb, outcome.resource);
  else if (outcome.type === 'done') task.deleted();
  return outcome.type === 'failed' ? { ...outcome, task } : outcome;
}

/** Writes the pending mark again with a patch, so that the start relies on a version that this run made. */
async function renewMark(step: TaskStep, requests: Requests): Promise<Failed<LiveTask> | undefined> {
  const render = (known: LiveTask) => armingBody(known, step.owner);
  const outcome = await runTaskStep(
    { ...step, verb: 'patch', prepares: step.verb, render, starts: true },
    requests,
  );
  return outcome.type === 'failed' ? outcome : undefined;
}

/** Writes the mark that announces a pause again, before that pause. */
async function renewAnnouncement(step: TaskStep, requests: Requests): Promise<Failed<LiveTask> | undefined> {
  if (step.mark === undefined) return undefined;
  const outcome = await runTaskStep(
    { ...step, verb: 'mark', prepares: step.verb, render: step.mark },
    requests,
  );
  return outcome.type === 'failed' ? outcome : undefined;
}

/**
 * What an answer must show (DESIGN 3 and 5): the same task, a higher version, `is_active` as requested, the fields as
 * sent.
 */
function judge(
  { verb, task, buyOnce }: TaskStep,
  answered: LiveTask | undefined,
  body: JsonObject | null,
): StepOutcome<LiveTask> | undefined {
  const { known } = task;
  if (answered === undefined || answered.version <= known.version) return undefined;
  const done: StepOutcome<LiveTask> = { type: 'done', resource: answered };
  switch (verb) {
    case 'pause':
      return answered.is_active ? undefined : done;
    case 'resume':
      if (answered.is_active) return done;
      return buyOnce ? { ...done, text: 'It was started and stopped itself at once (buy_once).' } : undefined;
    default: {
      if (answered.is_active !== known.is_active) return undefined;
      const fields = echoDifferences(patched(known, body ?? {}), answered, body ?? {});
      return fields.length === 0 ? done : echoed(answered, fields);
    }
  }
}

/** The sent fields that were returned with another value. */
export function echoDifferences(wanted: LiveTask, answered: LiveTask, body: JsonObject): readonly string[] {
  const fields: string[] = [];
  if (body.remark !== undefined && answered.remark !== wanted.remark) fields.push('remark');
  if (body.risk_label_id !== undefined && answered.risk_label_id !== wanted.risk_label_id)
    fields.push('label');
  const wallets = body.linked_wallets !== undefined;
  if (wallets && !sameWallets(wanted.linked_wallets, answered.linked_wallets)) fields.push('linked_wallets');
  if (body.config !== undefined) fields.push(...movedConfig(wanted, answered));
  return fields;
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
  { before, read }: Pick<Reading<LiveTask>, 'before' | 'read'>,
): Failure {
  const fields = movedFields(before, read);
  const what =
    fields.length === 0
      ? `it went from version ${before.version} to ${read.version} without a visible change, which may hide a start and a stop`
      : `${fields.join(', ')} ${fields.length === 1 && fields[0]?.startsWith('it was') ? '' : 'changed'}`.trim();
  return { kind: 'moved', text: `Somebody else changed the task before ${NOUN[verb]}: ${what}.` };
}

/**
 * The failure for another apply: a pending mark that this run did not write distinguishes another apply from a person.
 */
export function anotherApplyBefore(verb: TaskVerb): Failure {
  return {
    kind: 'moved',
    text: `Another apply is working on the task, and wrote to it before ${NOUN[verb]}.`,
  };
}

/** The failure for a stopped task. `refused`: it was certainly not this run's pause that took effect. */
export function stoppedBy({ before, refused }: Pick<Reading<LiveTask>, 'before' | 'refused'>): Failure {
  const fired = isBuyOnce(before.config) ? ', or it stopped itself after its first trade (buy_once)' : '';
  const who = refused
    ? `Somebody stopped the task in the meantime${fired}`
    : `The answer to the pause does not show whether this run or somebody else stopped the task${fired}`;
  return { kind: 'stopped', text: `${who}: it stays paused.` };
}
