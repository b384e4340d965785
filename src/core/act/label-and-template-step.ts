import type { JsonObject } from '../model/json.ts';
import { isLabel, type LiveLabel, type LiveTemplate } from '../model/resource.ts';
import type { Outcome } from '../ports/api.ts';
import { CarefulWrite } from './careful-write.ts';
import { movedConfig, sameLabel } from './compare.ts';
import { type Decision, decideLabel, decideTemplate, type Reading } from './decide.ts';
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

/** Patches (`body`) or deletes (null) a template, with `If-Match` like a task, but without a switch. */
export class TemplateStep extends CarefulWrite<LiveTemplate> {
  protected known: LiveTemplate;

  constructor(former: LiveTemplate, body: JsonObject | null) {
    super(body === null ? 'delete' : 'patch', body === null ? 'The deletion' : 'The patch', body);
    this.known = former;
  }

  protected override shownBy(answered: LiveTemplate | undefined): StepOutcome<LiveTemplate> | undefined {
    if (answered === undefined || answered.version <= this.known.version) return undefined;
    const fields = templateEcho(answered, this.body ?? {});
    return fields.length === 0 ? { type: 'done', resource: answered } : echoed(answered, fields);
  }

  protected override decide(reading: Reading<LiveTemplate>): Decision {
    return decideTemplate(reading);
  }

  protected override rebase({ read }: Reading<LiveTemplate>): void {
    this.known = read;
  }

  protected override moved({ before, read }: Reading<LiveTemplate>): Failure<never> {
    return changed(before.name === read.name ? 'config' : 'name', 'template');
  }
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
  return write(new LabelWrite(former, body), requests);
}

class LabelWrite extends CarefulWrite<LiveLabel> {
  protected readonly known: LiveLabel;

  constructor(former: LiveLabel, body: JsonObject | null) {
    const doing = `The ${body === null ? 'deletion' : 'change'} of the label`;
    const { name, sort_order: order } = former;
    // It is not documented whether a patch needs both fields, so the unchanged one is sent too.
    const complete = body && { name, ...(order === null ? {} : { sort_order: order }), ...body };
    super(body === null ? 'delete' : 'patch', doing, complete);
    this.known = former;
  }

  protected override shownBy(answered: LiveLabel | undefined): StepOutcome<LiveLabel> | undefined {
    const fits = answered !== undefined && sameLabel(answered, { ...this.known, ...this.body });
    return fits ? { type: 'done', resource: answered } : undefined;
  }

  protected override decide(reading: Reading<LiveLabel>): Decision {
    return decideLabel(reading, true);
  }

  protected override moved(reading: Reading<LiveLabel>): Failure<never> {
    return changedLabel(reading);
  }

  protected override gone(outcome: Outcome): Failure<never> {
    return labelDeleted(reportedError(outcome));
  }
}

function labelDeleted(error: ReportedError): Failure<never> {
  return { kind: 'gone', text: 'Somebody deleted the label in the meantime.', error };
}

function changedLabel({ before, read }: Pick<Reading<LiveLabel>, 'before' | 'read'>): Failure<never> {
  return changed(before.name === read.name ? 'sort_order' : 'name', 'label');
}

function changed(field: string, what: string): Failure<never> {
  return { kind: 'moved', text: `Somebody changed the ${field} of the ${what} in the meantime; plan again.` };
}
