import { type Armed, isSwitchForm } from '../model/armed.ts';
import type { Action, Change, Left, Observation } from '../model/generated/plan.ts';
import { neverNamedText } from '../plan/identity/never-named.ts';
import type { Moved } from '../plan/review/approval.ts';
import type { Tone } from './layout.ts';
import { valueText } from './value-text.ts';

/** Plain words for what a plan does and why, the same in text and Markdown. */

/** The two provenances of a change. */
export const THIS_CHANGE = 'This change';
export const BEFORE = 'Already pending or drifted';

/** Why a task is off that git wants running. A plan does not know whether it has buy_once. */
const OFF = {
  off: 'Off since `tradeform pause`, until `tradeform resume`.',
  'kept-off':
    'Something else stopped it. `tradeform pause` keeps it off, until `tradeform resume` with its name.',
  stopped: 'It ran, and a person, buy_once, a failed apply or another program stopped it.',
  fired: 'It ran, and stopped. It has buy_once: most likely it bought, and stopped itself.',
  person: 'It ran, and a person, a failed apply or another program stopped it.',
};

export function offText(armed: Armed, buyOnce: boolean): string {
  return OFF[isSwitchForm(armed) ? armed : buyOnce ? 'fired' : 'person'];
}

export const REASONS: Readonly<Record<Change['reason'], string>> = {
  unchanged: 'Nothing differs.',
  'not-on-service': 'The manifests have it, the service does not.',
  // The action and the fields say all of it.
  differs: '',
  'target-changed': 'The target wallet changed; the service cannot change it, so a new task takes over.',
  'replacement-in-progress':
    'An earlier apply began to replace this task; this plan completes the replacement.',
  'not-in-manifests': 'It belongs to this project, and no manifest names it.',
  'never-named': neverNamedText(),
  'start-asked': 'The manifest wants it active.',
  rearmed: 'The manifest has a new rearm value, which asks for one more start.',
  interrupted: 'An earlier apply was interrupted before it started the task; this plan starts it.',
  'resume-asked': 'A start was asked for with --resume-stopped.',
  'stopped-tasks-resume': 'It is stopped, and the project file says stopped_tasks: resume.',
  'git-wants-paused': 'The manifest wants it paused, and it runs.',
  'stopped-outside': OFF.stopped,
  'switched-off': OFF.off,
  'kept-off': OFF['kept-off'],
  'mark-out-of-date': 'Bookkeeping: a note in its remark changes, trading does not.',
  'marker-lost': 'Its marker is gone from the remark; target, config and note show that it is this task.',
  'target-held': 'An unmanaged task holds this target wallet, which only one task can have.',
  'id-given': 'The manifest names it by metadata.id.',
  renamed: 'The manifest names its former name.',
  'project-renamed': 'The project was renamed.',
  released: 'A Removal releases it: its marker is removed, and the task stays as it is.',
  removal: 'A Removal names it.',
  'taken-over': 'It is taken over from another project. Remove its manifest there.',
  conflict: 'More than one task carries this name.',
  uncertain: 'Something on the service may already be this task.',
  damaged: 'The marker in the remark is damaged.',
  foreign: 'It belongs to another project.',
  'no-room': 'There is no room for it on the service.',
  'in-use': 'Tasks still use it.',
  'id-not-found': 'The id that the manifest names is not on the service.',
  'incomplete-view': 'The live view could not be proven complete.',
  'not-visible': 'The token cannot read this kind.',
  legacy: 'The stored config is one that the service no longer accepts.',
};

export function heldReason({ reason, blocked }: Pick<Change, 'reason' | 'blocked'>): string {
  // The reason for the block is shown elsewhere.
  return REASONS[blocked === null ? reason : 'stopped-outside'];
}

/** `2026-11-21 09:00 UTC`. */
export function minuteOf(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Each action as a word, when it is done, in a sentence: `sniper/a would be created and start`, and as a sign. */
export const ACTIONS: Readonly<
  Record<Action, Readonly<Record<'word' | 'done' | 'would', string>> & { readonly sign: Sign }>
> = {
  none: { word: 'no change', done: '', would: 'stay as it is', sign: '~' },
  create: { word: 'create', done: 'created', would: 'be created', sign: '+' },
  update: { word: 'update', done: 'updated', would: 'be updated', sign: '~' },
  replace: { word: 'replace', done: 'replaced', would: 'be replaced', sign: '±' },
  delete: { word: 'delete', done: 'deleted', would: 'be deleted', sign: '✗' },
  adopt: { word: 'adopt', done: 'adopted', would: 'be adopted', sign: '~' },
  rename: { word: 'rename', done: 'renamed', would: 'be renamed', sign: '~' },
  start: { word: 'start', done: 'started', would: 'start', sign: '~' },
  stop: { word: 'stop', done: 'stopped', would: 'stop', sign: '~' },
  finish: { word: 'finish', done: 'finished', would: 'finish an interrupted start', sign: '~' },
  'take-over': { word: 'take over', done: 'taken over', would: 'be taken over', sign: '~' },
  release: { word: 'release', done: 'released', would: 'be released', sign: '~' },
};

/** The reason in two or three words, beside an address. Absent if the fields already say it. */
export const SHORT_REASONS: Readonly<Partial<Record<Change['reason'], string>>> = {
  'target-changed': 'new target',
  'replacement-in-progress': 'finishes a replacement',
  'not-in-manifests': 'its manifest was removed',
  'never-named': 'no manifest or commit names it',
  'start-asked': 'paused → active',
  rearmed: 'new rearm value',
  interrupted: 'finishes an interrupted start',
  'resume-asked': 'asked for with --resume-stopped',
  'stopped-tasks-resume': 'stopped, and stopped_tasks is resume',
  'git-wants-paused': 'active → paused',
  'mark-out-of-date': 'bookkeeping in its remark',
  'marker-lost': 'its marker was lost',
  'target-held': 'unmanaged, holds this target',
  'id-given': 'adopted',
  'project-renamed': 'the project was renamed',
  released: 'loses the marker, stays as it is',
  removal: 'named by a Removal',
  'taken-over': 'from another project',
};

/** Warnings about one change that are shown beside it. */
export const WARNINGS: Readonly<Record<string, string>> = {
  'may-buy-again': 'may buy again',
  'one-way-pause': 'one-way pause',
  'replacement-gap': 'deleted before the new one exists',
  'delete-running': 'open positions: effect unknown',
  'release-legacy': 'the marker may stay',
  'undoes-rollback': 'takes a rollback back',
};

type Sign = '+' | '~' | '±' | '✗' | '►' | '■' | '=' | '!';

export const TONES: Readonly<Record<Sign, Tone>> = {
  '+': 'add',
  '✗': 'stop',
  '±': 'change',
  '~': 'change',
  '►': 'start',
  '■': 'stop',
  '=': 'dim',
  '!': 'error',
};

/** One sign for each change: the first thing that a reader sees. */
export function signOf({ action, starts_trading: starts, stops_trading: stops }: Change): Sign {
  const { sign } = ACTIONS[action];
  if (sign === '✗' || sign === '±') return sign;
  return starts ? '►' : stops ? '■' : sign;
}

/** `create, start`. */
export function actionWords(change: Change): string {
  return actionsOf(change)
    .map((action) => ACTIONS[action].word)
    .join(', ');
}

function actionsOf({ action, actions }: Change): readonly Action[] {
  return actions.length === 0 ? [action] : actions;
}

/** `created, started`: what has been done after the whole change. A held task says that it is still held. */
export function doneWords(change: Change): string {
  const words = actionsOf(change).map((action) => ACTIONS[action].done);
  return [...words, ...(change.held ? ['still held'] : [])].filter((word) => word !== '').join(', ');
}

/** Whose a task is, or its class in drift, in the words of screens. */
export function ownerWord(owner: string): string {
  return owner === 'unmanaged' || owner === 'foreign' ? 'outside git' : owner;
}

/** What the plan leaves alone, in the order of the document. */
export const CLASS_TITLES: Readonly<Record<Observation['class'], string>> = {
  conflict: 'Ownership conflicts',
  damaged: 'Damaged markers',
  unmanaged: 'Outside git',
  foreign: 'Outside git: of other projects',
  kept: 'Kept',
};

/**
 * What changed since a plan was approved, as a sentence without its full stop. Invisible characters in names are not escaped yet.
 */
export function movedText({ address, approved, now, held, blocked, open }: Moved): string {
  if (open === null) return `${address} is not as approved, and this plan does nothing to it`;
  if (open !== undefined) return leftText(open);
  if (blocked !== undefined) return `${address} is blocked now: ${blocked.replace(/\.?(?:\n.*)*$/, '')}`;
  const was = new Set(approved.flatMap((does) => does.split('+')));
  const stays = held && !was.has('held') && approved.length > 0;
  const stops = now?.split('+').includes('stop') === true && !was.has('stop');
  if (stays && stops)
    return `${address} would now stop and stay paused, and not ${phrase(actionsIn([...was].join('+')))} as approved`;
  if (stays) {
    const still = now === undefined ? 'it would stay paused' : 'it would be changed and stay paused';
    return `${address} was paused: ${still}`;
  }
  const actions = actionsIn(now ?? '');
  const more = actions.filter((action) => !was.has(action));
  const all =
    actions.length > 0 && [...was].every((word) => word === 'held' || actions.includes(word as Action));
  if (more.length > 0 && all) return `${address} would now also ${phrase(more)}`;
  if (more.length === 0 && all)
    return `${address} would ${phrase(actions)} as approved, but the task or its new values differ from the review`;
  const missing = [...was].filter(
    (word): word is Action => Object.hasOwn(ACTIONS, word) && !actions.includes(word as Action),
  );
  return `${address} would now ${phrase(actions)}, and not ${phrase(missing)} as approved`;
}

/** What stays on the service, and why. */
export function leftText({ address, fields, text }: Left): string {
  const [first, ...more] = fields;
  const found = [
    ...(text === null ? [] : [text.replace(/\.$/, '')]),
    ...(first === undefined
      ? []
      : [
          `${first.path} ${sidesText(first)}: ${first.text}${more.length === 0 ? '' : ` (and ${more.length} more)`}`,
        ]),
  ];
  return `${address} stays as it is on the service: ${found.join('; ')}`;
}

function sidesText({ before, after, sensitive }: Left['fields'][number]): string {
  return sensitive ? '' : `is ${valueText(before)}, not ${valueText(after)}`;
}

/** What the current plan does there, where nothing is known of what was approved. */
export function currentText(moved: Moved): string {
  const actions = actionsIn(moved.now ?? '');
  const isTold = moved.blocked !== undefined || actions.length === 0;
  return isTold ? movedText(moved) : `${moved.address} would ${phrase(actions)}`;
}

/** `be created and start`. */
function phrase(actions: readonly Action[]): string {
  const words = actions.map((action) => ACTIONS[action].would);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function actionsIn(does: string): readonly Action[] {
  return does.split('+').filter((word): word is Action => Object.hasOwn(ACTIONS, word));
}
