import type { JsonObject } from '../model/json.ts';
import { isLabel, type LiveLabel, type LiveTemplate } from '../model/resource.ts';
import { movedConfig, sameLabel } from './compare.ts';
import { decideLabel, decideTemplate, type Reading } from './decide.ts';
import {
  echoed,
  type Failure,
  failed,
  type ReportedError,
  refusal,
  reportedError,
  type StepOutcome,
} from './outcome.ts';
import type { Requests } from './requests.ts';
import { write } from './write.ts';

/** Patches or deletes a template, with `If-Match` like a task, but without a switch. */
export function runTemplateStep(
  verb: 'patch' | 'delete',
  former: LiveTemplate,
  body: JsonObject | null,
  requests: Requests,
): Promise<StepOutcome<LiveTemplate>> {
  let known = former;
  return write<LiveTemplate>(
    {
      verb,
      doing: verb === 'patch' ? 'The patch' : 'The deletion',
      known: () => known,
      render: () => body,
      judge: (answered) => {
        if (answered === undefined || answered.version <= known.version) return undefined;
        const fields = templateEcho(answered, body ?? {});
        return fields.length === 0 ? { type: 'done', resource: answered } : echoed(answered, fields);
      },
      decide: (reading) => decideTemplate(verb, reading),
      rebase: ({ read }) => {
        known = read;
      },
      moved: ({ before, read }) => changed(before.name === read.name ? 'config' : 'name', 'template'),
    },
    requests,
  );
}

/** The sent template fields that were returned with another value. */
export function templateEcho(answered: LiveTemplate, body: JsonObject): readonly string[] {
  const fields: string[] = [];
  if (body.name !== undefined && body.name !== answered.name) fields.push('name');
  if (body.config !== undefined) {
    fields.push(...movedConfig({ ...answered, config: body.config as JsonObject }, answered));
  }
  return fields;
}

/**
 * Patches (`body`) or deletes (null) a label. Labels have no version: the label is read right before each request, and
 * must be as the plan found it or as the plan wants it (interface, "Labels"; DESIGN 7).
 */
export async function runLabelStep(
  former: LiveLabel,
  body: JsonObject | null,
  requests: Requests,
): Promise<StepOutcome<LiveLabel>> {
  const look = await requests.look('label', former.id);
  if (look.type === 'unreadable') return failed(refusal('Reading the label', look.outcome));
  if (look.type === 'gone') {
    if (body !== null) return failed(labelDeleted(reportedError(look.outcome)));
    return { type: 'done', resource: undefined, how: 'already' };
  }
  if (!isLabel(look.resource)) throw new Error('a label was expected');
  const reading = { before: former, body, refused: false, read: look.resource };
  const decision = decideLabel(reading, false);
  if (decision === 'done') return { type: 'done', resource: look.resource, how: 'already' };
  if (decision === 'moved') return failed(changedLabel(reading));
  // It is not documented whether a patch needs both fields, so the unchanged one is sent too.
  const { name, sort_order: order } = former;
  const complete = { name, ...(order === null ? {} : { sort_order: order }), ...body };
  return write<LiveLabel>(
    {
      verb: body === null ? 'delete' : 'patch',
      doing: body === null ? 'The deletion of the label' : 'The patch of the label',
      known: () => former,
      render: () => (body === null ? null : complete),
      judge: (answered) =>
        answered !== undefined && sameLabel(answered, { ...former, ...body })
          ? { type: 'done', resource: answered }
          : undefined,
      decide: (reading) => decideLabel(reading, true),
      rebase: () => undefined,
      moved: changedLabel,
      gone: (outcome) => labelDeleted(reportedError(outcome)),
    },
    requests,
  );
}

function labelDeleted(error: ReportedError): Failure {
  return { kind: 'gone', text: 'Somebody deleted the label in the meantime.', error };
}

function changedLabel({ before, read }: Pick<Reading<LiveLabel>, 'before' | 'read'>): Failure {
  return changed(before.name === read.name ? 'sort_order' : 'name', 'label');
}

function changed(field: string, what: string): Failure {
  return { kind: 'moved', text: `Somebody changed the ${field} of the ${what} in the meantime; plan again.` };
}
