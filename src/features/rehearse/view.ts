import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Plan } from '../../model/generated/plan.ts';
import type { Rehearsal } from '../../model/generated/rehearsal.ts';
import { targetOf } from '../../model/kind.ts';
import { count } from '../../render/layout.ts';
import { secondsText, withoutTrading } from '../../render/paused-times.ts';
import { planView } from '../../render/plan-view.ts';
import { section } from '../../render/sections.ts';
import type { View } from '../../render/view.ts';

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
