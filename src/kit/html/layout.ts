import { createHash } from 'node:crypto';
import { compareDecimals, isDecimal } from '../../core/model/decimal.ts';
import type { Field } from '../../core/model/generated/plan.ts';
import { count } from '../../core/model/named.ts';
import { differenceOf, fieldWords, placeText, walletLines } from '../../core/render/differences.ts';
import { HTML_MARK, type Html, html } from '../../core/render/escape.ts';
import type { Tone } from '../../core/render/layout.ts';
import { ABSENT } from '../../core/render/value-text.ts';
import {
  type About,
  briefFields,
  type ChangeRow,
  type ChangeTable,
  itemsIn,
  type Row,
  requestLines,
  type Section,
  secondsText,
  subjectText,
  type TimelineStep,
  type UnitView,
  type View,
} from '../../core/render/view.ts';
import script from './script.js?raw';
import style from './style.css?raw';

/**
 * One file that loads nothing and runs only its own script. The content is readable without the script, which filters, sorts
 * and opens.
 */
export function pageText(view: View): string {
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; base-uri 'none'; form-action 'none'`;
  const title = `tradeform ${view.command} · ${subjectText(view.subject, String)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${HTML_MARK}
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${html`<title>${title}</title>`}
<style>${style}</style>
</head>
<body>
${pageBody(view)}
<script>${script}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** The filters of rows, and their names for the reader of the page. script.js has the same names. */
interface Facets {
  readonly action?: string;
  readonly kind?: string;
  readonly label?: string | readonly string[];
  readonly provenance?: string;
  readonly account?: string;
}

function pageBody(view: View): Html {
  const { command, heading = '', subject, verdict, tone, money, facts = [], notes = [] } = view;
  const { headline: what = `${heading} ${subjectText(subject, String)}`.trim() } = view;
  const place = view.headline === undefined ? '' : ` · ${subjectText(subject, String)}`;
  const { at, units = [], span = 0, footer = [], source = [] } = view;
  const parted = verdict.split(/ · | (?=It asks for:)|(?<=It asks for:) /);
  const said = [...footer, ...source, ...(at === undefined ? [] : [`Made at ${at}`])];
  return html`<header class="top tone-${tone}">
<p class="what">tradeform ${command}${place}</p>
<h1>${what}</h1>
<ul class="verdict">${parted.map((part) => html`<li class="${chipOf(part)}">${part}</li>`)}</ul>
${money === undefined ? undefined : moneyHtml(money)}
${factsHtml(facts)}
${notes.map((note) => html`<p class="note">${prose(note)}</p>`)}
</header>
<main>
<form id="filters" role="search" hidden></form>
${span > 0 ? html`<p class="legend">Bars from left to right: the ${secondsText(span)} of the whole run. <b class="step">a request</b> <b class="paused">without trading</b></p>` : undefined}
${partsHtml(view, 2, {})}
${units.filter(({ quiet }) => !quiet).map(unitHtml)}
</main>
<footer>${paragraphs(said)}</footer>`;
}

/** Counts on one line. A fact with a title (`Planned: …`) has a line of its own. */
function factsHtml(facts: readonly string[]): readonly Html[] {
  const isLine = (fact: string) => /^[A-Z][a-z ]+: /.test(fact);
  const short = facts.filter((fact) => !isLine(fact)).join(' · ');
  return [short, ...facts.filter(isLine)].filter((line) => line !== '').map((line) => html`<p>${line}</p>`);
}

/** `2 to start`, `1 to delete (running)`: recognized by words that tradeform wrote. */
function chipOf(text: string): string {
  if (text.startsWith('0 ')) return 'plain';
  if (/refused|not |fail|unknown|interrupted|error|invalid|left|blocked$/i.test(text)) return 'error';
  if (/^\d+ (?:to )?(?:stop|delete)|^pauses/i.test(text)) return 'stop';
  if (/^\d+ (?:to )?start/i.test(text)) return 'start';
  return /^\d+ (?:to )?change/i.test(text) ? 'change' : 'plain';
}

function moneyHtml(money: string): Html {
  const [, before, after, rest] = /^([\d.]+) → ([\d.]+)( .*)$/.exec(money) ?? [];
  if (before === undefined || after === undefined) return html`<p class="money">${money}</p>`;
  return html`<p class="money ${trendOf(before, after)}">${before} → <b>${after}</b>${rest}</p>`;
}

/** Empty if one of the values is hidden or missing. */
function trendOf(before: string, after: string): string {
  if (!isDecimal(before) || !isDecimal(after)) return '';
  return ['down', 'same', 'up'][compareDecimals(after, before) + 1] ?? '';
}

/** What no filter hides: problems and warnings. `link`: kept only under filters that came with the link to the page. */
const KEPT = { always: html` data-kept="always"`, link: html` data-kept="link"` } as const;

function unitHtml({ name, place, view }: UnitView): Html {
  const { verdict, money, facts = [], notes = [], tone } = view;
  const head = [verdict, ...(money === undefined ? [] : [money]), ...facts];
  const isKept = tone === 'error' || tone === 'warn' || notes.length > 0;
  return html`<section class="unit"${isKept ? KEPT.always : undefined}><h2>${name} <small>${place}</small></h2>
<p class="tone-${tone}">${head.join(' · ')}</p>${notes.map((note) => html`<p class="note">${prose(note)}</p>`)}
${partsHtml(view, 3, { account: name })}</section>`;
}

function partsHtml(view: View, level: 2 | 3, facets: Facets): Html[] {
  return view.parts.map((part) =>
    'changes' in part ? tableHtml(part, view, level, facets) : sectionHtml(part, view, level, facets),
  );
}

function headline(level: 2 | 3, text: string, aside = ''): Html {
  return level === 2
    ? html`<h2>${text}<small>${aside}</small></h2>`
    : html`<h3>${text}<small>${aside}</small></h3>`;
}

function tableHtml({ title, changes, former }: ChangeTable, view: View, level: 2 | 3, facets: Facets): Html {
  const many = changes.reduce((sum, { details }) => sum + details.subjects.length, 0);
  const provenance = title === '' ? {} : { provenance: title };
  return html`<section class="part${former ? ' former' : ''}">${headline(level, title === '' ? 'Changes' : title, ` (${many}), the most dangerous first; SOL at stake to the right`)}
${rowsHtml(changes.map((change) => changeHtml(change, view, { ...facets, ...provenance })))}</section>`;
}

function sectionHtml(section: Section, view: View, level: 2 | 3, facets: Facets): Html {
  const { title, aside = '', tone, rows, ways = [], shown } = section;
  const { number = itemsIn(rows) } = section;
  const list = html`${ways.map((text) => html`<p class="ways">${prose(text)}</p>`)}${rowsHtml(rows.map((row) => rowHtml(row, section, view, facets)))}`;
  const text = ` (${number})${aside}`;
  return shown === 'collapsed'
    ? html`<details class="part tone-${tone}"><summary>${headline(level, title, text)}</summary>${list}</details>`
    : html`<section class="part tone-${tone}">${headline(level, title, text)}${list}</section>`;
}

/** A browser lays a list out when it becomes visible, and a long list takes long. script.js has the same number. */
const CHUNK = 200;

function rowsHtml(rows: readonly Html[]): Html {
  const lists = Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, at) =>
    rows.slice(at * CHUNK, (at + 1) * CHUNK),
  );
  return html`<div class="rows">${lists.map((list) => html`<ul>${list}</ul>`)}</div>`;
}

const KIND = /^(sniper|copy-trade|transfer-snipe|sniper-template|copy-trade-template|label)(?:[/,]|$)/;

function changeHtml(change: ChangeRow, view: View, inherited: Facets): Html {
  const { sign, tone, action, name, members, remark, warnings, stake = '', place, details } = change;
  const { subjects, why, fields, requests } = details;
  const known = subjects.flatMap((subject) => view.about?.get(subject.name) ?? []);
  const labels = [...new Set(known.flatMap(({ label }) => label ?? []))].sort();
  const where = members.length > 0 && place !== undefined ? `${placeText(place)} ` : '';
  return item({
    sign,
    tone,
    kept: warnings.length > 0 ? 'link' : undefined,
    word: action,
    who: html`<b>${name}</b>${remark === '' ? undefined : html` <i>${remark}</i>`}${
      members.length === 0
        ? undefined
        : html` <span class="members">${members.slice(0, change.weighty ? members.length : MOST_MEMBERS).join(', ')}${
            change.weighty || members.length <= MOST_MEMBERS
              ? ''
              : ` and ${members.length - MOST_MEMBERS} more`
          }</span>`
    }`,
    what: html`${where}${change.what}${warnings.map((warning) => html` <strong class="warning">! ${warning}</strong>`)}${change.wallets.map((wallet) => html`<code>${wallet}</code>`)}`,
    value: stakeHtml(stake),
    facets: {
      ...inherited,
      action,
      ...kindOf(subjects[0]?.name ?? ''),
      ...(labels.length === 0 ? {} : { label: labels }),
    },
    opened: html`${paragraphs(why)}${fields.map(({ title, fields: some }) => html`${title === undefined ? undefined : html`<p class="sub">${title}</p>`}${fieldsHtml(some)}`)}${
      requests === '' ? undefined : html`<p class="requests">Requests: ${requests}</p>`
    }${
      members.length === 0
        ? undefined
        : html`<p class="sub">All ${members.length}</p><ul class="names">${subjects.map(({ name: address, running, fields: own }) => html`<li><code>${address}</code> ${running ? 'running' : 'not running'} <span>${own.map((field) => differenceOf(field).place).find((place) => place !== '')}</span></li>`)}</ul>`
    }`,
  });
}

const MOST_MEMBERS = 8;

function rowHtml(row: Row, section: Section, view: View, inherited: Facets): Html {
  const { sign = '', code, names, beside = '', text, value = '', places = [], next = [], fields = [] } = row;
  const known = names.flatMap((name) => view.about?.get(name) ?? []);
  const one: About = (names.length === 1 ? known[0] : undefined) ?? {};
  const { steps = [], why = [], fields: planned = [], action = '' } = one;
  const label = known.map((each) => each.label ?? '').find((each) => each !== '');
  const differing = fields.length > 0 ? fields : planned;
  const below = (row.below ?? []).map((line) => html`<span class="below">${prose(line)}</span>`);
  // For completed operations, request ids are shown only on request.
  const isQuiet = section.shown === 'quiet';
  const asked = requestLines(row);
  const brief = briefFields(row);
  const isOpened =
    differing.length + steps.length + why.length + asked.length > 0 || (isQuiet && below.length > 0);
  const called = beside.trim().replace(/^\((.*)\)$/, '$1');
  return item({
    sign,
    tone: row.tone ?? section.tone,
    kept: isProblem(row, section) ? 'always' : undefined,
    word: code?.[1] ?? action,
    who: html`<b>${names.join(', ')}</b>${called === '' || called === action ? undefined : html` <i>${called}</i>`}`,
    what: html`${prose(text)}${brief.length === 0 ? undefined : html`<span class="brief">${fieldWords(brief)}</span>`}${places.length === 0 ? undefined : html`<code>${places.join(', ')}</code>`}${walletLines(fields).map((wallet) => html`<code>${wallet}</code>`)}${
      isQuiet ? undefined : below
    }${next.map((line) => html`<span class="next">→ ${prose(line)}</span>`)}${chartHtml(steps, view.span ?? 0)}`,
    value: stakeHtml(value),
    facets: {
      ...inherited,
      ...(code === undefined ? { action: action || section.title } : {}),
      ...kindOf(names[0] ?? '', beside),
      ...(label === undefined ? {} : { label }),
    },
    opened: isOpened
      ? html`${paragraphs(why)}${fieldsHtml(differing)}${stepsHtml(steps)}${isQuiet ? below : undefined}${paragraphs(asked)}`
      : undefined,
  });
}

function isProblem({ code, tone }: Row, section: Section): boolean {
  if (code !== undefined) return code[0] !== 'note';
  return section.tone === 'error' || tone === 'error' || tone === 'warn' || tone === 'stop';
}

/** Commands in a sentence are in backticks. */
function prose(text: string): Html {
  const parts = text.split('`');
  if (parts.length % 2 === 0) return html`${text}`;
  return html`${parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<kbd>${part}</kbd>`))}`;
}

function kindOf(...texts: readonly string[]): Facets {
  const kind = texts.map((text) => KIND.exec(text.trim())?.[1]).find((found) => found !== undefined);
  return kind === undefined ? {} : { kind };
}

interface PageItem {
  readonly sign: string;
  readonly tone: Tone;
  readonly kept: keyof typeof KEPT | undefined;
  readonly word: string;
  readonly who: Html;
  readonly what: Html;
  readonly value: Html | undefined;
  readonly facets: Facets;
  readonly opened: Html | undefined;
}

function item({ sign, tone, kept, word, who, what, value, facets, opened }: PageItem): Html {
  const keeping = kept === undefined ? undefined : KEPT[kept];
  const data = Object.entries(facets).map(([name, values]: [string, string | readonly string[]]) => {
    const [first = '', ...more] = [values].flat();
    return html` data-${name}="${first}${more.map((text) => html`\n${text}`)}"`;
  });
  const line = html`<span class="sign">${sign} ${word}</span><span class="who">${who}</span><span class="does">${what}</span><span class="sol">${value}</span>`;
  return opened === undefined
    ? html`<li class="row tone-${tone}"${keeping}${data}><div class="line">${line}</div></li>\n`
    : html`<li class="row tone-${tone}"${keeping}${data}><details><summary class="line">${line}</summary><div class="opened">${opened}</div></details></li>\n`;
}

function stakeHtml(text: string): Html | undefined {
  if (text === '') return undefined;
  const [before = '', after] = text.split(' → ');
  return after === undefined
    ? html`${text}`
    : html`${before} → <b class="${trendOf(before, after)}">${after}</b>`;
}

function paragraphs(lines: readonly string[]): Html[] {
  return lines.map((line) => html`<p>${prose(line)}</p>`);
}

/** Values before and after side by side, with the line in git. */
function fieldsHtml(fields: readonly Field[]): Html | undefined {
  return fields.length === 0 ? undefined : html`<div class="fields">${fields.map(fieldHtml)}</div>`;
}

function fieldHtml(field: Field): Html {
  const { path, before, after, note, place, list } = differenceOf(field);
  const side = (sign: '-' | '+', text: string | undefined) => {
    if (list === undefined) return text === undefined ? html`<i>${ABSENT}</i>` : html`${text}`;
    return html`${list.lines.map((line) => {
      if (line.sign === 'same') return html`<i>${count(line.count, list.unit)} alike</i>`;
      return line.sign === sign ? html`<span>${line.text}</span>` : html``;
    })}`;
  };
  return html`<p><b>${path}${note === '' ? undefined : html` <i>${note}</i>`}</b><del>${side('-', before)}</del><ins>${side('+', after)}</ins><span>${place}</span></p>`;
}

const WIDE = 1_000;
const timed = (steps: readonly TimelineStep[]) =>
  steps.flatMap(({ at, took, ...step }) =>
    at === undefined || took === undefined ? [] : [{ ...step, at, took }],
  );

/** When each request was under way, on the time scale of the run, and when the task did not trade. */
function chartHtml(steps: readonly TimelineStep[], span: number): Html | undefined {
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
function stepsHtml(steps: readonly TimelineStep[]): Html | undefined {
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
