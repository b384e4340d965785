import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { byKey } from '../../model/by-key.ts';
import type { DriftReport } from '../../model/generated/drift.ts';
import type { FleetReport, FleetUnit } from '../../model/generated/fleet-report.ts';
import type { Plan } from '../../model/generated/plan.ts';
import type { Rehearsal } from '../../model/generated/rehearsal.ts';
import type { ApplyReport } from '../../model/generated/report.ts';
import type { StatusReport, StatusRow } from '../../model/generated/status.ts';
import type { SwitchReport } from '../../model/generated/switch.ts';
import { targetOf } from '../../model/kind.ts';
import { bareNote, remarkOf } from '../../model/marker.ts';
import { diagnosticsView } from '../../render/diagnostics-view.ts';
import type { Page } from '../../render/html/model.ts';
import { planPage } from '../../render/html/plan-page.ts';
import { reportPage } from '../../render/html/report-page.ts';
import { count } from '../../render/layout.ts';
import { secondsText } from '../../render/paused-times.ts';
import type { ResultDocument } from '../../render/result.ts';
import { noteSections, section } from '../../render/sections.ts';
import type { Tone } from '../../render/style.ts';
import type { Row } from '../../render/view.ts';
import { driftView } from '../drift/view.ts';
import {
  besideOf,
  isNotable,
  RESULT_TONES,
  reasonText,
  resultsText,
  sumsText,
  unitPlaceText,
  unitStakesText,
} from '../fleet/words.ts';
import { rehearsalView } from '../rehearse/view.ts';
import { nameOfRow, stakeOfRow } from '../status/rows.ts';
import { switchView } from '../switch/view.ts';

/** Documents by their `format`. */
interface Documents {
  readonly 'tradeform.plan/1': Plan;
  readonly 'tradeform.report/1': ApplyReport;
  readonly 'tradeform.drift/1': DriftReport;
  readonly 'tradeform.status/1': StatusReport;
  readonly 'tradeform.switch/1': SwitchReport;
  readonly 'tradeform.rehearsal/1': Rehearsal;
  readonly 'tradeform.fleet/1': FleetReport;
  readonly 'tradeform.result/1': ResultDocument;
}

/** The page of each kind of document. */
export const PAGES: { readonly [Format in keyof Documents]: (document: Documents[Format]) => Page } = {
  'tradeform.plan/1': planPage,
  'tradeform.report/1': (report) => reportPage(report),
  'tradeform.drift/1': driftPage,
  'tradeform.status/1': statusPage,
  'tradeform.switch/1': (report) => ({ view: switchView(report), at: report.finished_at }),
  'tradeform.rehearsal/1': (rehearsal) => rehearsalPage(rehearsal),
  'tradeform.fleet/1': fleetPage,
  'tradeform.result/1': ({ command, diagnostics }) => ({
    view: diagnosticsView(command, diagnostics, UNKNOWN),
  }),
};

/** The subject of a document that does not name its project. */
const UNKNOWN = { project: null, environment: null } as const;

export type PagedFormat = keyof Documents;

export function isPaged(format: unknown): format is PagedFormat {
  return typeof format === 'string' && Object.hasOwn(PAGES, format);
}

export function driftPage(report: DriftReport): Page {
  return { view: driftView(report), at: report.created_at };
}

const STATES: Readonly<Record<StatusRow['state'], readonly [title: string, tone: Tone]>> = {
  blocked: ['Blocked', 'error'],
  'left-alone': ['Not of this project', 'warn'],
  pending: ['Pending', 'warn'],
  held: ['Held', 'warn'],
  differs: ['To be changed', 'change'],
  kept: ['Kept', 'dim'],
  ok: ['As git wants it', 'dim'],
};

export function statusPage(report: StatusReport): Page {
  const { summary, exposure, tasks, created_at: at } = report;
  const states = byKey(tasks, ({ state }) => state);
  const left = summary.tasks - tasks.length;
  const strays = summary.unmanaged_running;
  return {
    view: {
      command: 'status',
      subject: report,
      verdict: `${count(summary.tasks, 'task')}: ${summary.running} running, ${summary.paused} paused, ${summary.missing} missing`,
      tone: 'title',
      money: `${exposure} SOL at stake`,
      facts: strays === 0 ? [] : [`${strays} unmanaged running`],
      notes: [
        ...(report.complete ? [] : ['The view of the service is not complete.']),
        ...(left > 0 ? [`${left} not shown: they do not pass the filter.`] : []),
      ],
      parts: [
        ...noteSections(report.diagnostics as unknown as Plan['diagnostics']),
        ...(Object.keys(STATES) as StatusRow['state'][]).flatMap((state) =>
          section((states.get(state) ?? []).map(statusRow), {
            title: STATES[state][0],
            tone: STATES[state][1],
          }),
        ),
      ],
    },
    at,
    about: new Map(
      tasks.map((row) => [
        nameOfRow(row),
        { action: row.live, ...(row.label === null ? {} : { label: row.label }) },
      ]),
    ),
  };
}

function statusRow(row: StatusRow): Row {
  const { kind, desired, live, text, since, owner, state } = row;
  const remark = bareNote(remarkOf(row));
  const wants = desired === 'none' ? owner : `wanted ${desired}`;
  return {
    sign: live === 'running' ? '►' : live === 'missing' ? '!' : '·',
    names: [nameOfRow(row)],
    beside: row.address === null ? `${kind}, ${remark}` : remark,
    text: [wants, ...(state === 'ok' || text === '' ? [] : [text])].join(': '),
    value: live === 'running' ? `${stakeOfRow(row) ?? 'hidden'} SOL` : '',
    below: since === null ? [] : [`last changed ${since.slice(0, 16).replace('T', ' ')} UTC`],
  };
}

export function rehearsalPage(rehearsal: Rehearsal, plan?: Plan): Page {
  const { requests, paused, duration_ms: span, latency_ms: took } = rehearsal;
  const view = rehearsalView(rehearsal, plan);
  const stops = new Map(paused.map(({ address, paused_ms }) => [address, paused_ms]));
  const chains = byKey(
    requests,
    ({ address, method }) => address ?? (method === 'GET' ? 'reading' : 'other'),
  );
  const rows = [...chains].map(([address, chain]) => {
    const ms = stops.get(address);
    const value = ms === undefined ? '' : `${secondsText(ms)} paused`;
    return { names: [address], text: count(chain.length, 'request'), value };
  });
  const steps = (chain: typeof requests) =>
    chain.map(({ at_ms: at, method, path, status }) => ({
      words: `${method} ${path}`,
      result: String(status),
      bad: status >= 400,
      failed: status >= 400,
      pauses: targetOf(path)?.verb === 'pause',
      resumes: targetOf(path)?.verb === 'resume',
      at,
      took,
    }));
  return {
    // By purpose instead of in their order.
    view: {
      ...view,
      parts: [
        ...view.parts.filter(({ title }) => title !== 'Requests'),
        ...section(rows, { title: 'Requests', tone: 'title', number: requests.length }),
      ],
    },
    about: new Map([...chains].map(([address, chain]) => [address, { steps: steps(chain) }])),
    span,
  };
}

export function fleetPage(report: FleetReport): Page {
  const { command, fleet, units, digest, created_at: at } = report;
  return {
    view: {
      command: `fleet ${command}`,
      subject: { project: fleet, environment: null },
      verdict: resultsText(report),
      tone: report.exit_code === 0 || report.exit_code === 2 ? 'title' : 'error',
      money: sumsText(report),
      parts: [
        ...noteSections(besideOf(report)),
        ...section(units.map(unitRow), { title: 'Accounts', tone: 'dim' }),
      ],
      footer: digest === undefined ? [] : [`Digest ${digest}`],
    },
    at,
    bars: [
      {
        title: 'SOL at stake by account',
        bars: units.flatMap(({ name, stakes }) =>
          stakes === null ? [] : [{ name, before: stakes.before, after: stakes.after }],
        ),
      },
    ],
    about: new Map(units.map(({ name, result }) => [name, { action: result }])),
    units: units
      .filter(isNotable)
      .map((unit) => ({ name: unit.name, place: unitPlaceText(unit), page: unitPage(unit, command) })),
  };
}

function unitRow(unit: FleetUnit): Row {
  const { stakes } = unit;
  return {
    tone: RESULT_TONES[unit.result],
    names: [unit.name],
    beside: unitPlaceText(unit),
    text: [reasonText(unit), stakes === null ? '' : unitStakesText(stakes)]
      .filter((text) => text !== '')
      .join('; '),
    value:
      stakes === null
        ? ''
        : stakes.before === stakes.after
          ? stakes.after
          : `${stakes.before} → ${stakes.after}`,
  };
}

function unitPage(unit: FleetUnit, command: string): Page {
  const { document } = unit;
  const format: unknown = document?.format;
  const said = unit.diagnostics as unknown as readonly Diagnostic[];
  if (!isPaged(format) || format === 'tradeform.fleet/1')
    return { view: diagnosticsView(command, said, UNKNOWN) };
  // The document matches its format: a command made it, or it was validated.
  const page = (PAGES[format] as (document: unknown) => Page)(document);
  return { ...page, view: { ...page.view, parts: [...noteSections(said), ...page.view.parts] } };
}
