import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { byKey } from '../model/by-key.ts';
import type { Plan } from '../model/generated/plan.ts';
import type { Rehearsal } from '../model/generated/rehearsal.ts';
import { targetOf } from '../model/kind.ts';
import { count } from '../render/layout.ts';
import { secondsText, section, type View, withoutTrading } from '../render/view.ts';
import type { DocumentKind } from './document.ts';
import { planView } from './plan-view.ts';

/** A rehearsal for people: the requests in order, pauses, failures, and the verdict. */
export function rehearsalView(rehearsal: Rehearsal, plan?: Plan): View {
  const { ok, requests, duration_ms, latency_ms, concurrency, running_after, paused } = rehearsal;
  const planned = plan === undefined ? undefined : planView(plan);
  const writes = requests.filter(({ method }) => method !== 'GET').length;
  const size = `${count(requests.length, 'request')}, ${writes} of them writes, ${secondsText(duration_ms)} at ${latency_ms} ms an answer and ${concurrency} at once; ${count(running_after, 'task')} running at the end`;
  const said = ok
    ? 'The rehearsal went through, and a second plan is empty'
    : 'The rehearsal did not go through';
  return {
    command: 'rehearse',
    ...(planned === undefined
      ? { end: 'bare', subject: { project: null, environment: null } }
      : { end: 'titled', heading: 'Rehearsal of', subject: planned.subject, money: planned.money }),
    facts: planned === undefined ? [] : [planned.verdict],
    verdict: `${said}: ${size}.`,
    tone: ok ? 'title' : 'error',
    parts: [
      ...section(
        requests.map(({ at_ms, method, path, status, address }) => ({
          names: [secondsText(at_ms)],
          value: [method.padEnd(6), address ?? path, address && targetOf(path)?.verb, status]
            .filter((word) => word !== undefined)
            .join(' '),
          text: '',
        })),
        { title: 'Requests', tone: 'title' },
      ),
      ...withoutTrading(paused),
      ...section(
        troubles(rehearsal).map(({ address, text, sign }) => ({
          sign,
          tone: 'error',
          names: [address],
          text,
        })),
        { title: 'Would not go through', tone: 'error' },
      ),
    ],
  };
}

/** Why a rehearsal failed, one reason each. */
export function rehearsalFailures(rehearsal: Rehearsal): readonly Diagnostic[] {
  return troubles(rehearsal)
    .filter(({ blocked }) => !blocked)
    .map(({ address, text }) => ({
      severity: 'error',
      code: 'rehearsal-failed',
      address,
      message: `${address}: ${text}`,
      hint: 'Nothing was changed. `tradeform rehearse` shows every request; remove --rehearse to apply anyway.',
    }));
}

function troubles({ failures, left_paused, second_plan }: Rehearsal) {
  const failed = failures.map(({ address, status, text }) => ({
    ...{ sign: '✗', address, text: `${status}: ${text}` },
    blocked: status === 'blocked',
  }));
  // A failed change is planned again anyway.
  const rest = failed.some(({ blocked }) => !blocked) ? [] : (second_plan ?? []);
  return [
    ...left_paused.map(({ address, text }) => ({
      ...{ sign: '■', address, text: `would be left paused: ${text}` },
      blocked: false,
    })),
    ...failed,
    ...rest.map(({ address, actions }) => ({
      ...{ sign: '~', address, text: `would still be in the plan afterwards: ${actions.join(', ')}` },
      blocked: false,
    })),
  ];
}

/** With the requests by purpose instead of in their order, and their times. */
function rehearsalPage(rehearsal: Rehearsal, plan?: Plan): View {
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
    ...view,
    parts: [
      ...view.parts.filter(({ title }) => title !== 'Requests'),
      ...section(rows, { title: 'Requests', tone: 'title', number: requests.length }),
    ],
    about: new Map([...chains].map(([address, chain]) => [address, { steps: steps(chain) }])),
    span,
  };
}

export const rehearsalKind: DocumentKind<Rehearsal> = {
  view: (rehearsal, { plan }) => rehearsalView(rehearsal, plan),
  page: (rehearsal, { plan }) => rehearsalPage(rehearsal, plan),
};
