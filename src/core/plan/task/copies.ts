import type { DesiredTask } from '../../desired/state.ts';
import { byKey } from '../../model/by-key.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { TaskKind } from '../../model/kind.ts';
import type { Bystander } from '../identity/task-match.ts';
import { exposureOf, isSecretStake } from '../stakes/exposure.ts';
import { compareTask, type LabelBook, wantedOf } from './compare-task.ts';

/**
 * Of tasks that carry one marker, what tells which of them is the right one, by id: when it was created and last written, whether it
 * runs and with what stake, and whether it is as git wants it. `secrets`: further paths of values that are never shown, by id.
 */
export function copiesText(
  kind: TaskKind,
  bystanders: readonly Bystander[],
  wanted: readonly DesiredTask[],
  { labels, secrets }: { labels: LabelBook; secrets: ReadonlyMap<string, readonly string[]> | undefined },
): ReadonlyMap<string, string> {
  const contested = bystanders.filter((bystander) => bystander.class === 'conflict');
  const groups = byKey(contested, ({ remark }) => (remark.type === 'marked' ? remark.marker.name : ''));
  return new Map(
    [...groups].flatMap(([name, group]) => {
      const desired = wanted.find((task) => task.name === name || task.previousName === name);
      return group.map((one): [string, string] => {
        const { task } = one;
        const hidden = [...(desired?.secrets ?? []), ...(secrets?.get(task.id) ?? [])];
        const sol = isSecretStake(kind.config, task.config, hidden)
          ? 'a stake that is not shown'
          : `${exposureOf(kind.config, task.config)} SOL at stake`;
        const runs = task.is_active ? `runs with ${sol}` : 'does not run';
        const git = gitText(kind, one, desired, labels);
        const dates = `created ${task.created_at}, written last ${task.updated_at}`;
        return [task.id, `${dates}, ${runs}, ${git}.${likelyText(one, group)}`];
      });
    }),
  );
}

const MOST_PATHS = 5;

/** Whether a task is as git wants it, or what differs. */
function gitText(
  kind: TaskKind,
  { task, remark: { note } }: Bystander,
  desired: DesiredTask | undefined,
  labels: LabelBook,
): string {
  if (desired === undefined) return 'no manifest names it';
  const live = { task, note };
  const { fields } = compareTask(kind, desired, wantedOf(desired, live, labels), live, labels);
  const target = desired.target_wallet === task.target_wallet ? [] : ['target_wallet'];
  const paths = [...target, ...fields.map(({ path }) => path)];
  if (paths.length === 0) return 'is as git wants it';
  return `differs from git in ${paths.slice(0, MOST_PATHS).join(', ')}${paths.length > MOST_PATHS ? ', …' : ''}`;
}

/** The command for the likelier task: the one that was created first. */
function likelyText(one: Bystander, group: readonly Bystander[]): string {
  if (group.length === 1)
    return ` metadata.id names another task: \`tradeform release --id ${one.task.id}\` releases this one.`;
  const [first, second] = group.toSorted((a, b) => compareTexts(a.task.created_at, b.task.created_at));
  if (one !== first || first.task.created_at === second?.task.created_at) return '';
  const ids = group.flatMap(({ task: { id } }) => (id === one.task.id ? [] : [`--id ${id}`]));
  return ` It was created first, and is likely the original: \`tradeform release ${ids.join(' ')}\` releases the others.`;
}
