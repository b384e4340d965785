import { byKey } from '../model/by-key.ts';
import { compareDecimals, signedDifference } from '../model/decimal.ts';
import type { Change, Observation, Plan, RuleChange } from '../model/generated/plan.ts';
import { sideText } from '../plan/rules/diagnostics.ts';
import { baseName, settledText } from './base-text.ts';
import { placeText } from './differences.ts';
import { clip } from './layout.ts';
import { section } from './sections.ts';
import { visible } from './untrusted.ts';
import { quoted } from './value-text.ts';
import type { Row, Section } from './view.ts';
import { CLASS_TITLES, HELD, heldReason } from './words.ts';

/** The sections of a plan besides its changes. */

const RULE_SIGNS = { loosened: '!', changed: '~', tightened: '·' } as const;
const MOST_ENTRIES = 8;
const LONGEST_LIST = 400;
/** The maximum of rules in text. The document has all of them. */
const MOST_RULES = 100;

/** How the rules in the project file differ from those at the base. This is the first section. */
export function rulesSection({ base, rules_changed: changes = [] }: Plan): readonly Section[] {
  const loosened = changes.filter(({ effect }) => effect === 'loosened').length;
  const rows = changes.map((change) => ({
    sign: RULE_SIGNS[change.effect],
    ...(change.effect === 'loosened' ? { tone: 'warn' as const } : {}),
    names: [change.rule],
    beside: ` ${change.effect}`,
    text: ruleSides(change),
    places: change.location === undefined ? [] : [placeText(change.location)],
  }));
  return section(rows, {
    title: `Rules changed${base === undefined ? '' : ` since ${baseName(base)}`}`,
    ...(loosened === 0 ? {} : { aside: `, ${loosened} loosened` }),
    most: MOST_RULES,
    tone: 'error',
    unit: ['changed rule', 'changed rules'],
  });
}

/** The two sides of a rule, limited to a few lines. For a list, the added and removed entries. */
function ruleSides({ before, after, added, removed }: RuleChange): string {
  if (added === undefined && removed === undefined) return `${sideText(before)} → ${sideText(after)}`;
  const some = (entries: readonly string[]) => {
    const more = entries.length - MOST_ENTRIES;
    const first = sideText(entries.slice(0, MOST_ENTRIES).join(', '), LONGEST_LIST);
    return more > 0 ? `${first} and ${more} more` : first;
  };
  return [
    ...(removed === undefined ? [] : [`removed ${some(removed)}`]),
    ...(added === undefined ? [] : [`added ${some(added)}`]),
  ].join('; ');
}

export function blockedSection(changes: readonly Change[]): readonly Section[] {
  const rows = changes.flatMap(({ address, blocked, provenance }): Row[] => {
    if (blocked === null) return [];
    const missing = blocked.ids.filter((id) => !blocked.text.includes(id));
    return [
      {
        sign: '!',
        tone: 'error',
        names: [address],
        text: `${blocked.text}${missing.length === 0 ? '' : ` (${missing.join(', ')})`}${soBefore(provenance)}`,
      },
    ];
  });
  return section(rows, {
    title: 'Blocked',
    aside: ': nothing is done to these',
    tone: 'error',
    weight: 78,
    unit: ['blocked address', 'blocked addresses'],
  });
}

function soBefore(provenance: Change['provenance']): string {
  return provenance === 'before' ? ' (Already so before this change.)' : '';
}

/** Tasks that are held for the same reason share a row. */
export function heldSection(changes: readonly Change[]): readonly Section[] {
  const held = changes.filter((change) => change.held);
  const reasons = byKey(held, (change) => `${heldReason(change)}${soBefore(change.provenance)}`);
  const rows = [...reasons].map(([text, same]): Row => {
    return { sign: '=', tone: 'warn', names: same.map(({ address }) => address), text, size: same.length };
  });
  return section(rows, {
    title: 'Held',
    aside: HELD,
    tone: 'warn',
    ways: waysToStart(held),
    weight: 75,
    unit: ['held task', 'held tasks'],
  });
}

/** What the switch stopped is started together again; anything else is asked for by name. */
function waysToStart(held: readonly Change[]): string[] {
  const others = 'a new `spec.rearm` value, `tradeform resume ADDRESS`, or `--resume-stopped ADDRESS`.';
  return held.some(({ reason }) => reason === 'switched-off')
    ? [
        'To start what `tradeform pause` switched off: `tradeform resume --all`.',
        `To start single tasks: ${others}`,
      ]
    : [`To start them: ${others}`];
}

export function settledSection({ base }: Plan): readonly Section[] {
  const settled = base?.settled ?? [];
  const rows = settled.map((item): Row => {
    return { sign: '=', tone: 'dim', names: [item.address], text: settledText(item) };
  });
  return section(rows, {
    title: 'Settled by this change',
    tone: 'title',
    weight: 40,
    unit: ['settled address', 'settled addresses'],
    brief: settled.map(({ address }) => address),
    shown: 'collapsed',
  });
}

const LONGEST_REMARK = 24;
const SHORT_ID = 8;

/** What the project does not manage, running tasks first. */
export function observed({ observations, exposure }: Plan, kind: Observation['class']): readonly Section[] {
  const found = observations.filter((observation) => observation.class === kind);
  if (found.length === 0) return [];
  const running = found.filter((observation) => observation.running);
  const paused = found.filter((observation) => !observation.running);
  const strays = (kind === 'unmanaged' || kind === 'kept') && running.length > 0;
  const [said = '', ...others] = new Set(found.map(({ text }) => text));
  const one = others.length === 0;
  const counted = exposure.left_out.find(({ reason }) => reason === 'unmanaged');
  const sol = (kind === 'unmanaged' && counted?.count === running.length && counted.sol) || null;
  const runs = strays ? `, ${running.length} run${sol === null ? '' : `, ${sol} SOL per trigger`}` : '';
  return [
    {
      title: CLASS_TITLES[kind],
      aside: runs,
      tone: kind === 'conflict' ? 'error' : kind === 'foreign' || kind === 'kept' ? 'dim' : 'warn',
      rows: [...running, ...paused].map((item) => ({
        sign: item.running ? '►' : '·',
        names: [item.id],
        beside: ` ${item.kind}, ${item.remark === '' ? 'no remark' : quoted(item.remark)}, ${item.running ? 'running' : 'not running'}`,
        text: one ? '' : item.text,
      })),
      ...(one ? { ways: [said] } : {}),
      weight: kind === 'conflict' ? 77 : 30,
      unit: [`of “${CLASS_TITLES[kind]}”`, `of “${CLASS_TITLES[kind]}”`],
      ...(strays
        ? {
            brief: running.map(
              ({ id, remark }) =>
                `${id.slice(0, SHORT_ID)}${remark === '' ? '' : ` ${quoted(clip(visible(remark), LONGEST_REMARK))}`}`,
            ),
          }
        : {}),
      ...(kind === 'conflict'
        ? {}
        : { shown: strays || kind === 'damaged' ? ('collapsed' as const) : ('quiet' as const) }),
    },
  ];
}

const MOST_MOVERS = 5;

/** What changes the exposure, by task and by label, and what it leaves out. */
export function stakesSection({ exposure, changes }: Plan): readonly Section[] {
  const { labels, left_out: leftOut } = exposure;
  const size = ({ exposure: own }: Change) => signedDifference(own.before, own.after).replace(/^[+-]/, '');
  const movers = changes
    .filter(({ exposure: own }) => compareDecimals(own.before, own.after) !== 0)
    .sort((a, b) => compareDecimals(size(b), size(a)) || (a.address < b.address ? -1 : 1))
    .slice(0, MOST_MOVERS);
  if (movers.length === 0 && exposure.before === exposure.after) return [];
  const telling = labels.length > 1 || labels.some(({ label }) => label !== null);
  return [
    {
      title: 'At stake by label, and what the sum leaves out',
      tone: 'dim',
      rows: [
        ...movers.map(({ address, exposure: own }) => ({
          names: [address],
          text: signedDifference(own.before, own.after),
        })),
        ...(telling ? labels : []).map(
          ({ label, before, after, running_before: was, running_after: will }) => ({
            names: label === null ? [] : [label],
            text: `${label === null ? 'without a label: ' : ''}${before === after ? after : `${before} → ${after}`} SOL, ${was === will ? will : `${was} → ${will}`} running`,
          }),
        ),
        ...leftOut.map(({ text }) => ({ names: [], text })),
      ],
      weight: 58,
      unit: ['line about the exposure', 'lines about the exposure'],
      shown: 'quiet',
    },
  ];
}
