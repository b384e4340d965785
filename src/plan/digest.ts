import { createHash } from 'node:crypto';
import type { Plan } from '../model/generated/plan.ts';
import { canonicalJson, type Json } from '../model/json.ts';

/**
 * SHA-256 over what would be done and to what: project, service, addresses, ids, actions, fields, starts and stops. Not
 * over versions, marks, tokens, times, commits or the tool's version (DESIGN 6).
 */
export function planDigest(plan: Plan): string {
  const changes = plan.changes.map((change) => ({
    address: change.address,
    previous_address: change.previous_address,
    id: change.id,
    replaces_id: change.replaces_id,
    actions: change.actions,
    starts_trading: change.starts_trading,
    stops_trading: change.stops_trading,
    held: change.held,
    blocked: change.blocked !== null,
    fields: change.fields.map(({ path, before, after, legacy }) => ({
      path,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(legacy === undefined ? {} : { legacy }),
    })),
  }));
  return sha256({
    project: plan.project,
    base_url: plan.service.base_url,
    login_username: plan.service.login_username,
    changes,
  });
}

/** SHA-256 over the whole document with `integrity` empty. */
export function planIntegrity(plan: Plan): string {
  return sha256({ ...plan, integrity: '' });
}

function sha256(value: unknown): string {
  // The plan is JSON by its schema; generated types say `unknown` where any JSON may stand.
  return createHash('sha256')
    .update(canonicalJson(value as Json))
    .digest('hex');
}
