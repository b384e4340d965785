import { SwitchOff } from '../../src/core/act/switch-off.ts';
import { parseRemark } from '../../src/core/model/marker.ts';
import type { LiveTask } from '../../src/core/model/resource.ts';
import { answeredResource } from '../../src/core/service/resources/resource.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import { showTask } from '../../src/sandbox/resources.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { quotaUsed } from '../../src/sandbox/state.ts';
import { answerWith, wallet } from '../support/builders.ts';
import type { ActionKind } from './kinds.ts';
import type { Ledger } from './ledger.ts';
import { markOf, PROJECT } from './marks.ts';

export type Deed = Exclude<ActionKind, `runner-${string}` | 'rotate' | 'day'>;

/** What a deed needs; false comes back where it is not possible on that task. */
interface Scene {
  readonly sandbox: Sandbox;
  readonly ledger: Ledger;
  readonly newId: () => string;
  readonly pick: number;
}

type Act = (task: StoredTask, scene: Scene) => boolean;

/** What people do in the web application, each upon one task; the operator's switch; and the first trade of `buy_once`. */
export const DEEDS: Readonly<Record<Deed, Act>> = {
  // Pausing a paused task makes a version: somebody pressed the button and wants it to stay so.
  pause: (task, { sandbox, ledger }) => {
    ledger.pausing = task.id;
    sandbox.editStored(task.id, { is_active: false });
    ledger.pausing = undefined;
    return true;
  },
  resume: (task, { sandbox }) => {
    if (task.is_active || 'since_dropped' in task.config) return false;
    sandbox.editStored(task.id, { is_active: true });
    return true;
  },
  note: (task, { sandbox }) => {
    const at = task.remark.indexOf('[git:');
    const marker = at < 0 ? '' : task.remark.slice(at);
    const note = task.remark.startsWith('By hand') ? 'By hand too' : 'By hand';
    sandbox.editStored(task.id, { remark: `${note} ${marker}`.trim().slice(0, 64) });
    return true;
  },
  damage: (task, { sandbox }) => {
    if (parseRemark(task.remark).type !== 'marked') return false;
    sandbox.editStored(task.id, { remark: task.remark.replace(/\]$/, ' x]') });
    return true;
  },
  strip: (task, { sandbox }) => {
    const remark = parseRemark(task.remark);
    if (remark.type !== 'marked') return false;
    sandbox.editStored(task.id, { remark: remark.note });
    return true;
  },
  config: (task, { sandbox }) => {
    const merge =
      task.collection === 'copy-trade' ? { min_trade_amount: '0.07' } : { dev_min_amount: '0.07' };
    sandbox.editStored(task.id, { merge });
    return true;
  },
  label: (task, { sandbox }) => {
    const labels = [...sandbox.state.labels.keys()].filter((id) => id !== task.risk_label_id);
    const label = task.risk_label_id === null ? labels[0] : null;
    if (label === undefined) return false;
    sandbox.editStored(task.id, { risk_label_id: label });
    return true;
  },
  delete: (task, { sandbox }) => {
    sandbox.apply([{ type: 'task-removed', id: task.id }]);
    return true;
  },
  clone: (task, { sandbox, newId, pick }) => {
    const account = sandbox.state.accounts.get(task.account);
    if (account === undefined || quotaUsed(sandbox.state, account) >= account.quota_max) return false;
    const target = task.collection === 'copy-trade' ? freeTarget(sandbox) : task.target_wallet;
    if (target === undefined) return false;
    const now = sandbox.now();
    const record = {
      ...task,
      id: newId(),
      target_wallet: target,
      is_active: false,
      version: 1,
      created_at: now,
      updated_at: now,
    };
    sandbox.apply([{ type: 'task', record }]);
    // Some clone in order to start afresh, and delete the original.
    if (pick % 2 === 1) sandbox.apply([{ type: 'task-removed', id: task.id }]);
    return true;
  },
  switch: (task, { sandbox }) => {
    const stored = () => sandbox.state.tasks.get(task.id) ?? task;
    const answer = () => answerWith(showTask(stored(), sandbox.choices));
    const shown = answeredResource(task.collection, answer()) as LiveTask;
    const off = new SwitchOff(shown, { project: PROJECT, stoppedTasks: 'hold' });
    for (let acted = false; ; acted = true) {
      const step = off.next();
      // Without a marker it is none of its business.
      if ('end' in step || markOf(stored().remark) === undefined) return acted;
      const remark = step.send.body?.remark;
      sandbox.editStored(task.id, typeof remark === 'string' ? { remark } : { is_active: false });
      off.answered(answer());
    }
  },
  fire: (task, { sandbox }) => task.is_active && sandbox.fire(task.id).deactivated,
};

function freeTarget(sandbox: Sandbox): string | undefined {
  const taken = new Set([...sandbox.state.tasks.values()].map(({ target_wallet }) => target_wallet));
  return [5, 4, 3, 2, 1, 0].map(wallet).find((target) => !taken.has(target));
}
