import type { DesiredTask } from '../../desired/state.ts';
import { byKey } from '../../model/by-key.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { Copy } from '../../model/generated/plan.ts';
import { given } from '../../model/given.ts';
import type { TaskKind } from '../../model/kind.ts';
import { markerOf } from '../../model/marker.ts';
import type { Bystander } from '../identity/task-match.ts';
import { exposureOf, isSecretStake } from '../stakes/exposure.ts';
import { compareTask, type LabelBook, wantedOf } from './compare-task.ts';

/** Of a task whose marker others carry as well, what tells whether it is the right one, and the same in words. */
export type Copies = ReadonlyMap<string, { readonly copy: Copy; readonly text: string }>;

/** By id. `secrets`: further paths of values that are never shown, by id. */
export function copiesOf(
  kind: TaskKind,
  bystanders: readonly Bystander[],
  wanted: readonly DesiredTask[],
  { labels, secrets }: { labels: LabelBook; secrets: ReadonlyMap<string, readonly string[]> | undefined },
): Copies {
  const contested = bystanders.filter((bystander) => bystander.class === 'conflict');
  const groups = byKey(contested, ({ task }) => markerOf(task)?.name ?? '');
  return new Map(
    [...groups].flatMap(([name, group]) => {
      const desired = wanted.find((task) => task.name === name || task.previousName === name);
      return group.map((one) => {
        const { id, config, is_active, created_at, updated_at } = one.task;
        const hidden = [...(desired?.secrets ?? []), ...(secrets?.get(id) ?? [])];
        const stake = isSecretStake(kind.config, config, hidden) ? null : exposureOf(kind.config, config);
        const differs = desired === undefined ? null : differingPaths(kind, one, desired, labels);
        const command = releaseCommand(one, group);
        const at = { id, running: is_active, created_at, updated_at };
        const copy = { ...at, stake, differs, ...given({ command }) };
        return [id, { copy, text: copyText(copy, group.length === 1) }] as const;
      });
    }),
  );
}

const MOST_PATHS = 5;

function copyText({ stake, differs, command, ...at }: Copy, isAlone: boolean): string {
  const sol = stake === null ? 'a stake that is not shown' : `${stake} SOL at stake`;
  const paths = (differs ?? []).slice(0, MOST_PATHS).join(', ');
  const more = (differs ?? []).length > MOST_PATHS ? ', …' : '';
  const known = paths === '' ? 'is as git wants it' : `differs from git in ${paths}${more}`;
  const said = isAlone
    ? ` metadata.id names another task: \`${command}\` releases this one.`
    : ` It is likely the original, because it was created first. To keep it, release the others: \`${command}\`.`;
  return [
    `${at.running ? `runs with ${sol}` : 'is off'}, ${differs === null ? 'no manifest names it' : known}, `,
    `created ${at.created_at}, written last ${at.updated_at}.${command === undefined ? '' : said}`,
  ].join('');
}

/** What differs from git. */
function differingPaths(
  kind: TaskKind,
  { task }: Bystander,
  desired: DesiredTask,
  labels: LabelBook,
): string[] {
  const { fields } = compareTask(kind, desired, wantedOf(desired, task, labels), task, labels);
  const target = desired.target_wallet === task.target_wallet ? [] : ['target_wallet'];
  return [...target, ...fields.map(({ path }) => path)];
}

/** Releases a task that `metadata.id` does not name or, of the task that was created first, the others. */
function releaseCommand(one: Bystander, group: readonly Bystander[]): string | undefined {
  if (group.length === 1) return `tradeform release --id ${one.task.id}`;
  const [first, second] = group.toSorted((a, b) => compareTexts(a.task.created_at, b.task.created_at));
  if (one !== first || first.task.created_at === second?.task.created_at) return undefined;
  const ids = group.flatMap(({ task: { id } }) => (id === one.task.id ? [] : [`--id ${id}`]));
  return `tradeform release ${ids.join(' ')}`;
}
