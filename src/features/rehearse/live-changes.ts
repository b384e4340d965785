import { idempotencyKey } from '../../apply/idempotency.ts';
import type { Plan } from '../../model/generated/plan.ts';
import { ownMarkerOf } from '../../model/marker.ts';
import type { LiveState } from '../../model/resource.ts';
import type { Change } from '../../sandbox/records.ts';

const ACCOUNT = 'rehearsed';
/** The token of a rehearsal, unknown to any service. It has the scopes and the expiry of the real token. */
export const REHEARSAL_TOKEN = 'svc_live_00000000.rehearsal';
/** A token without an expiry, for reading the result. */
export const READING_TOKEN = 'svc_live_00000001.rehearsal';

/** The changes that load the live view into the embedded service, with ids, versions, times and scopes. */
export function liveChanges(
  { account, tasks, templates, labels }: LiveState,
  now: number,
): readonly Change[] {
  const at = (text: string) => {
    const time = Date.parse(text);
    return Number.isNaN(time) ? now : time;
  };
  const token = (text: string, expires_at: number | null): Change => {
    const [id = '', secret = ''] = text.slice('svc_live_'.length).split('.');
    const { scopes } = account;
    return {
      type: 'token',
      record: { id, account: ACCOUNT, secret, version: 1, scopes, expires_at, ip_allowlist: null },
    };
  };
  return [
    {
      type: 'account',
      record: {
        id: ACCOUNT,
        login_username: account.login_username,
        family_role: 'none',
        quota_max: account.quota.max,
        // Tasks of kinds that the token cannot read, and of other accounts in a family.
        quota_elsewhere: Math.max(0, account.quota.used - tasks.length),
      },
    },
    token(REHEARSAL_TOKEN, account.expires_at === null ? null : at(account.expires_at)),
    token(READING_TOKEN, null),
    ...labels.map(
      (label): Change => ({
        type: 'label',
        record: {
          id: label.id,
          account: ACCOUNT,
          name: label.name,
          sort_order: label.sort_order ?? 0,
          created_at: now,
          updated_at: now,
        },
      }),
    ),
    ...templates.map(
      (template): Change => ({
        type: 'template',
        record: {
          ...template,
          account: ACCOUNT,
          created_at: at(template.created_at),
          updated_at: at(template.updated_at),
        },
      }),
    ),
    ...tasks.map(
      (task): Change => ({
        type: 'task',
        record: {
          ...task,
          account: ACCOUNT,
          template_id: null,
          created_at: at(task.created_at),
          updated_at: at(task.updated_at),
        },
      }),
    ),
  ];
}

/**
 * The keys with which owned tasks were created. The service remembers them for 24 hours, so a replaced task needs another key. The
 * counter in a key is unknown, and the first one is assumed.
 */
export function usedKeys(
  { tasks }: LiveState,
  plan: Pick<Plan, 'project' | 'previous_project'>,
): readonly Change[] {
  const project = plan.previous_project ?? plan.project;
  return tasks.flatMap((task): readonly Change[] => {
    const { id, collection, created_at } = task;
    const marker = ownMarkerOf(task, { project: plan.project, previousProject: project });
    const at = Date.parse(created_at);
    if (marker === undefined || Number.isNaN(at)) return [];
    const key = `${ACCOUNT} ${idempotencyKey(project, `${collection}/${marker.name}`, 0)}`;
    return [{ type: 'replay', record: { key, fingerprint: '', at, answer: null, resource: id } }];
  });
}
