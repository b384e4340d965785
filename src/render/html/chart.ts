import { secondsText } from '../paused-times.ts';
import { type Html, html } from './escape.ts';
import type { TimelineStep } from './model.ts';

const WIDE = 1_000;
const timed = (steps: readonly TimelineStep[]) =>
  steps.flatMap(({ at, took, ...step }) =>
    at === undefined || took === undefined ? [] : [{ ...step, at, took }],
  );

/** When each request was under way, on the time scale of the run, and when the task did not trade. */
export function chartHtml(steps: readonly TimelineStep[], span: number): Html | undefined {
  const drawn = timed(steps);
  if (drawn.length === 0 || span <= 0) return undefined;
  const rect = (kind: string, y: number, from: number, to: number) => {
    const x = Math.min(WIDE - 4, (WIDE * from) / span);
    return html`<rect class="${kind}" x="${x.toFixed(0)}" y="${y}" width="${Math.max(4, (WIDE * (to - from)) / span).toFixed(0)}" height="5"/>`;
  };
  const done = drawn.filter(({ failed }) => !failed);
  // A task that is only stopped stays paused.
  const stop = steps.some(({ resumes }) => resumes) ? done.find(({ pauses }) => pauses) : undefined;
  const start = done.find(({ resumes }) => resumes);
  return html`<svg class="chart" viewBox="0 0 ${WIDE} 10" preserveAspectRatio="none" aria-hidden="true">${
    stop === undefined
      ? undefined
      : rect('paused', 5, stop.at + stop.took, start === undefined ? span : start.at + start.took)
  }${drawn.map(({ at, took, bad }) => rect(bad ? 'bad' : 'step', 0, at, at + took))}</svg>`;
}

/** The requests of a task as a table. */
export function stepsHtml(steps: readonly TimelineStep[]): Html | undefined {
  if (steps.length === 0) return undefined;
  const ends = timed(steps);
  return html`<table class="steps"><thead><tr><th scope="col">Request</th><th scope="col">Sent after</th><th scope="col">Waited before</th><th scope="col">Answer after</th><th scope="col">Result</th></tr></thead><tbody>${steps.map(
    ({ words, result, bad, at, took }) => {
      const former = at === undefined ? undefined : ends.findLast((step) => step.at < at);
      const waited = at === undefined ? undefined : at - (former === undefined ? 0 : former.at + former.took);
      const time = (ms: number | undefined) => (ms === undefined ? '' : secondsText(Math.max(0, ms)));
      return html`<tr><th scope="row">${words}</th><td>${time(at)}</td><td>${time(waited)}</td><td>${time(took)}</td><td class="${bad ? 'bad' : ''}">${result}</td></tr>`;
    },
  )}</tbody></table>`;
}
