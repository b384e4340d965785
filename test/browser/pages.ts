import { fleetKind } from '../../src/core/documents/fleet.ts';
import { planPage } from '../../src/core/documents/plan.ts';
import { reportPage } from '../../src/core/documents/report.ts';
import { FLEET_FORMAT, type FleetReport } from '../../src/core/model/generated/fleet-report.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { View } from '../../src/core/render/view.ts';
import { planWith, reportWith } from '../render/hostile-plan.ts';
import { change, emptyPlan, field, richPlan } from '../render/rich-plan.ts';

const HOSTILE = `</script></style><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>"'\u202e\njavascript:alert(1)`;

function step(verb: string, at_ms: number, status: 'done' | 'failed' = 'done') {
  return { id: `a#${verb}`, verb, status, at_ms, took_ms: 100 };
}

function applied(): View {
  const report = reportWith('sniper/alpha');
  const operations = [
    step('mark', 100),
    step('pause', 200),
    step('patch', 900, 'failed'),
    step('resume', 1500),
  ];
  return reportPage(
    { ...report, changes: report.changes.map((result) => ({ ...result, operations })) },
    richPlan(),
  );
}

async function fleet(): Promise<View> {
  const stakes = { before: '1', after: '2', starts: 1, stops: 0, changes: 2 };
  const unit = (name: string, document: Plan) => ({
    ...{
      name,
      folder: '.',
      environment: null,
      base_url: 'https://service.invalid/v1',
      tags: [],
      wave: 1,
      account: 'whales',
    },
    ...{ result: 'differs', exit_code: 2, stakes, document, diagnostics: [] },
  });
  const summary = {
    units: 2,
    ok: 0,
    differs: 2,
    refused: 0,
    failed: 0,
    invalid: 0,
    interrupted: 0,
    not_run: 0,
  };
  const report = {
    ...{
      format: FLEET_FORMAT,
      tool: { name: 'tradeform', version: '0.1.0' },
      created_at: '2026-11-21T08:00:00Z',
    },
    ...{
      command: 'plan',
      fleet: 'desk',
      file: 'fleet.yaml',
      exit_code: 2,
      chosen: ['north', 'south'],
      summary,
      stakes,
    },
    units: [unit('north', richPlan()), unit('south', planWith('plain'))],
  } as unknown as FleetReport;
  return (fleetKind.page ?? fleetKind.view)(report, {});
}

function many(): View {
  const changes = Array.from({ length: 5_000 }, (_, at) =>
    change(`sniper/t${at}`, {
      operations: [`t${at}#1`],
      fields: [field('config.buy_amount', '1', `1.${at + 1}`)],
      exposure: { before: '1', after: `1.${at + 1}` },
    }),
  );
  const plan = emptyPlan();
  return planPage({ ...plan, changes, exposure: { ...plan.exposure, left_out: [] } });
}

/** A page of each kind. */
export const PAGES: Readonly<Record<string, () => View | Promise<View>>> = {
  plan: () => planPage(richPlan()),
  refused: () =>
    planPage({
      ...richPlan(),
      diagnostics: [
        ...richPlan().diagnostics,
        { severity: 'error', code: 'guardrail-max-exposure', message: 'Too much.' },
      ],
    }),
  apply: applied,
  fleet,
  hostile: () => planPage(planWith(HOSTILE)),
  many,
};
