import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { ApplyReport, ChangeResult } from '../../src/core/model/generated/report.ts';
import { RECORD } from '../support/record.ts';
import { change, emptyPlan, field } from './rich-plan.ts';

/** A plan that carries the text wherever text of others can stand, names and files included. */
export function planWith(text: string): Plan {
  const plan = emptyPlan();
  const origin = { file: text, line: 1, column: 1 };
  const fields = [
    field('remark', text, `${text}2`, { origin }),
    field(`config.${text}`, [text], [text, `${text}3`]),
    field('config.long', `${text}\n${text}`, `${text}\nother`),
    field('config.some', undefined, { [text]: text }, { provenance: 'before' }),
    field('config.gone', text, undefined, { legacy: true }),
  ];
  const worked = (address: string, parts: Parameters<typeof change>[1] = {}) =>
    change(address, { operations: [`${text}#1`], fields, ...parts });
  return {
    ...plan,
    environment: text,
    service: { ...plan.service, login_username: text },
    selection: { targets: [text], excludes: [text] },
    exposure: {
      ...plan.exposure,
      after: '5',
      labels: [{ label: text, before: '1', after: '1', running_before: 1, running_after: 1 }],
      left_out: [{ reason: 'secret', count: 1, text }],
    },
    base: {
      revision: text,
      commit: text,
      digest: '3'.repeat(64),
      settled: [
        { address: text, actions: ['update'] },
        { address: 'sniper/part', actions: [], fields: [text] },
      ],
    },
    changes: [
      worked(text, { provenance: 'both' }),
      worked(`${text}-alone`, { previous_address: text, provenance: 'before' }),
      worked(`sniper/${text}`, { starts_trading: true, exposure: { before: '0', after: '1' } }),
      worked(`${text}-two`, { action: 'create', actions: ['create'], reason: 'not-on-service' }),
      worked(`${text}-gone`, { action: 'delete', actions: ['delete'], stops_trading: true }),
      worked(`${text}-new`, { action: 'replace', actions: ['replace'] }),
      ...['a', 'b', 'c', 'd'].map((name) =>
        worked(`${text}/${name}`, { name: text, fields: [field(text, text, `${text}!`)] }),
      ),
      change('sniper/three', { blocked: { text, ids: [`${text}4`] }, provenance: 'before' }),
      change(`${text}-held`, { held: true, reason: 'stopped-outside' }),
    ],
    operations: [
      {
        id: `${text}#1`,
        address: text,
        subject: text,
        verb: 'patch',
        body: null,
        needs: [`${text}#9`],
      },
    ],
    observations: (['unmanaged', 'foreign', 'damaged', 'conflict', 'kept'] as const).map((kind) => ({
      class: kind,
      kind: 'sniper',
      id: text,
      remark: text,
      running: true,
      text,
    })),
    overrides: [{ guardrail: `policy/${text}`, digest: text, findings: 1 }],
    diagnostics: (['error', 'warning', 'info'] as const).map((severity) => ({
      severity,
      code: text,
      message: `About ${text}. ${text}`,
      hint: text,
      address: 'sniper/else',
      location: origin,
    })),
  };
}

/** A report with every status, and the text in every place. */
export function reportWith(text: string): ApplyReport {
  const result = (status: ChangeResult['status']): ChangeResult => ({
    address: text,
    kind: 'sniper',
    id: text,
    actions: ['update', text],
    status,
    ...(status === 'done' ? { held: true as const } : {}),
    text,
    ...(status === 'failed'
      ? { error: { code: text, status: 400, message: text, fields: [{ path: text, reason: text }] } }
      : {}),
    fields: [{ path: text, before: text, after: text, sensitive: false }],
    operations: [
      { id: `${text}#1`, verb: 'pause', status: 'done' },
      { id: `${text}#2`, verb: 'patch', status: 'failed' },
    ],
    request_ids: [text, `${text}2`],
    paused_ms: null,
    former: null,
  });
  return {
    format: 'tradeform.report/2',
    record: {
      ...RECORD,
      options: [text],
      author: text,
      by: { name: text, claimed_by: 'github' },
      why: { subjects: [text], run: text, reason: text },
    },
    tool: { name: 'tradeform', version: '0.1.0' },
    project: 'core',
    environment: text,
    service: { base_url: text, token_prefix: text, login_username: text },
    started_at: '2026-11-21T08:00:00Z',
    finished_at: '2026-11-21T08:00:02Z',
    digest: '1'.repeat(64),
    outcome: 'incomplete',
    overrides: [{ guardrail: text, digest: text, findings: 2 }],
    summary: { done: 1, failed: 1, skipped: 1, unknown: 1, blocked: 1, held: 1 },
    left_paused: [{ address: text, id: text, text }],
    still_high: [{ address: text, id: text, text: `${text}.` }],
    changes: (['done', 'failed', 'skipped', 'unknown', 'blocked', 'held'] as const).map(result),
    diagnostics: [{ severity: 'warning', code: text, message: text, hint: text }],
  };
}
