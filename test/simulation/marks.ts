import type { Armed } from '../../src/core/model/armed.ts';
import { parseRemark } from '../../src/core/model/marker.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';

export const PROJECT = 'core';
/** What it was called before, where a scene says so. */
const FORMER = 'was';

export interface Mark {
  readonly name: string;
  readonly armed: Armed;
  readonly rearm: string | undefined;
  readonly replaces: string | undefined;
}

const MARKS = new Map<string, Mark | null>();

/** The marker of this project in a stored remark. */
export function markOf(remark: string): Mark | undefined {
  let mark = MARKS.get(remark);
  if (mark === undefined) {
    const parsed = parseRemark(remark);
    const ours = parsed.type === 'marked' && [PROJECT, FORMER].includes(parsed.marker.project);
    mark = ours
      ? {
          name: parsed.marker.name,
          armed: parsed.marker.armed,
          rearm: parsed.marker.rearm,
          replaces: parsed.marker.replaces,
        }
      : null;
    if (MARKS.size > 20_000) MARKS.clear();
    MARKS.set(remark, mark);
  }
  return mark ?? undefined;
}

/** The marker names the project as it was called before. */
export function isFormer({ remark }: StoredTask): boolean {
  return remark.includes(`[git:${FORMER}/`);
}

export function addressOf({ collection, remark }: StoredTask): string | undefined {
  const mark = markOf(remark);
  return mark === undefined ? undefined : `${collection}/${mark.name}`;
}

/** True where the mark announces a step of ours that is still to come. */
export function isPending({ remark, version, is_active }: StoredTask): boolean {
  const armed = markOf(remark)?.armed;
  return typeof armed === 'number' && armed > 0 && (is_active ? armed > version : armed >= version);
}

export const FIELDS = ['note', 'label', 'config'] as const;

/** What a person may edit of a task, as text. */
export function fieldsOf({
  remark,
  risk_label_id,
  config,
}: Pick<StoredTask, 'remark' | 'risk_label_id' | 'config'>): Readonly<
  Record<(typeof FIELDS)[number], string>
> {
  return {
    note: parseRemark(remark).note.trim(),
    label: String(risk_label_id),
    config: JSON.stringify(config),
  };
}

/** A note or a label alone. */
export function isLight(before: StoredTask, after: StoredTask): boolean {
  const marks = [markOf(before.remark), markOf(after.remark)];
  const same = JSON.stringify(marks[0]) === JSON.stringify(marks[1]) && marks[0] !== undefined;
  const visible = before.remark !== after.remark || before.risk_label_id !== after.risk_label_id;
  const config = JSON.stringify(before.config) === JSON.stringify(after.config);
  return same && visible && config && before.is_active === after.is_active;
}
