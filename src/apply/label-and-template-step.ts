import type { JsonObject } from '../model/json.ts';
import { LABEL_KIND } from '../model/kind.ts';
import { isLabel, type LiveLabel, type LiveTemplate } from '../model/resource.ts';
import { answeredResource } from '../service/resources/resource.ts';
import { movedConfig } from './compare.ts';
import { decideTemplate } from './decide.ts';
import { type Failure, refusal, reportedError, unreadable } from './failure.ts';
import { backoff, type Wire } from './requests.ts';
import { carryOut, type StepEnd } from './write.ts';

/** Patches or deletes a template: guarded as tasks are, without a switch. */
export function runTemplateStep(
  verb: 'patch' | 'delete',
  before: LiveTemplate,
  body: JsonObject | null,
  wire: Wire,
): Promise<StepEnd<LiveTemplate>> {
  let known = before;
  return carryOut<LiveTemplate>(
    {
      verb,
      doing: verb === 'patch' ? 'The patch' : 'The deletion',
      known: () => known,
      render: () => body,
      judge: (answered) => {
        if (answered === undefined || answered.version <= known.version) return { type: 'ambiguous' };
        const fields = templateEcho(answered, body ?? {});
        return fields.length === 0
          ? { type: 'done', resource: answered }
          : { type: 'echo', resource: answered, fields };
      },
      decide: (_refused, sent, read) => decideTemplate(verb, known, sent, read),
      goOn: (read) => {
        known = read;
      },
    },
    wire,
  );
}

/** The sent fields of a template that came back with another value. */
export function templateEcho(answered: LiveTemplate, body: JsonObject): readonly string[] {
  const fields: string[] = [];
  if (body.name !== undefined && body.name !== answered.name) fields.push('name');
  if (body.config !== undefined) {
    fields.push(...movedConfig({ ...answered, config: body.config as JsonObject }, answered));
  }
  return fields;
}

export type LabelEnd =
  | { readonly type: 'done'; readonly resource: LiveLabel | undefined; readonly already: boolean }
  | { readonly type: 'failed'; readonly failure: Failure };

const MOST_SENDINGS = 5;

/**
 * Patches (`body`) or deletes (null) a label. Labels have no version: it is read right before every sending, and must be
 * as the plan found it or as the plan wants it (interface, "Labels"; DESIGN 7).
 */
export async function runLabelStep(
  former: LiveLabel,
  body: JsonObject | null,
  wire: Wire,
): Promise<LabelEnd> {
  const doing = body === null ? 'The deletion of the label' : 'The patch of the label';
  for (let sent = 0; ; sent += 1) {
    const standing = await standingOf(former, body, wire, sent > 0);
    if (standing.type === 'done') return { ...standing, already: sent === 0 };
    if (standing.type === 'failed') return standing;
    if (sent === MOST_SENDINGS) {
      const text = `${doing} was sent ${MOST_SENDINGS} times and not carried out.`;
      return { type: 'failed', failure: { kind: 'refused', text } };
    }
    if (sent > 0) await wire.sleep(backoff(sent));
    const end = await sendLabel(former, body, doing, wire);
    if (end !== undefined) return end;
  }
}

/** One sending; undefined where the label has to be read to know. */
async function sendLabel(
  former: LiveLabel,
  body: JsonObject | null,
  doing: string,
  wire: Wire,
): Promise<LabelEnd | undefined> {
  const path = `${LABEL_KIND.path}/${former.id}`;
  const outcome = await wire.write(
    body === null ? { method: 'DELETE', path } : { method: 'PATCH', path, body: complete(former, body) },
  );
  switch (outcome.type) {
    case 'ok': {
      if (body === null) return { type: 'done', resource: undefined, already: false };
      const answered = answeredResource('label', outcome);
      const stored =
        answered !== undefined && isLabel(answered) && sameLabel(answered, { ...former, ...body });
      return stored ? { type: 'done', resource: answered, already: false } : undefined;
    }
    case 'error': {
      if (outcome.code === 'not_found') return undefined;
      const failed = { type: 'failed', failure: refusal(doing, outcome) } as const;
      // A throttled sending before this one may have been carried out.
      const standing = outcome.repeated
        ? await standingOf(former, body, wire, true)
        : { type: 'send' as const };
      if (standing.type === 'send') return failed;
      return standing.type === 'done' ? { ...standing, already: false } : standing;
    }
    case 'unsent':
      return { type: 'failed', failure: refusal(doing, outcome) };
    case 'lost':
      return undefined;
  }
}

/** Whether a patch needs both fields is not shown: what stays is sent along. */
function complete({ name, sort_order }: LiveLabel, body: JsonObject): JsonObject {
  return { name, ...(sort_order === null ? {} : { sort_order }), ...body };
}

async function standingOf(
  former: LiveLabel,
  body: JsonObject | null,
  wire: Wire,
  sent: boolean,
): Promise<LabelStanding> {
  const look = await wire.look('label', former.id);
  if (look.type === 'unreadable') {
    const failure = sent
      ? unreadable('the write', look.outcome)
      : refusal('The reading of the label', look.outcome);
    return { type: 'failed', failure };
  }
  if (look.type === 'gone') {
    if (body === null) return { type: 'done', resource: undefined };
    const error = reportedError(look.outcome);
    return {
      type: 'failed',
      failure: { kind: 'gone', text: 'Somebody deleted the label meanwhile.', error },
    };
  }
  if (!isLabel(look.resource)) throw new Error('a label was expected');
  return judgeLabel(former, body, look.resource, sent);
}

type LabelStanding =
  | { readonly type: 'send' }
  | { readonly type: 'done'; readonly resource: LiveLabel | undefined }
  | { readonly type: 'failed'; readonly failure: Failure };

function judgeLabel(
  former: LiveLabel,
  body: JsonObject | null,
  read: LiveLabel,
  sent: boolean,
): LabelStanding {
  const shown = sent || read.sort_order !== null;
  if (body !== null && shown && sameLabel(read, { ...former, ...body }))
    return { type: 'done', resource: read };
  if (sameLabel(read, former)) return { type: 'send' };
  const moved = read.name === former.name ? 'sort_order' : 'name';
  const text = `Somebody changed the ${moved} of the label meanwhile; plan again.`;
  return { type: 'failed', failure: { kind: 'moved', text } };
}

/** An order that the service does not answer is taken for the wanted one. */
function sameLabel(read: LiveLabel, wanted: LiveLabel): boolean {
  return (
    read.name === wanted.name &&
    (read.sort_order === null || wanted.sort_order === null || read.sort_order === wanted.sort_order)
  );
}
