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
      const [first, second] = group.toSorted((a, b) => compareTexts(a.task.created_at, b.task.created_at));
      const original = first?.task.created_at === second?.task.created_at ? undefined : first;
      const ids = group.flatMap((one) => (one === original ? [] : [`--id ${one.task.id}`]));
      return group.map((one): [string, string] => {
        const { task, remark } = one;
        const hidden = [...(desired?.secrets ?? []), ...(secrets?.get(task.id) ?? [])];
        const sol = isSecretStake(kind.config, task.config, hidden)
          ? 'a stake that is not shown'
          : `${exposureOf(kind.config, task.config)} SOL per trigger`;
        const live = { task, note: remark.note };
        const differs =
          desired && compareTask(kind, desired, wantedOf(desired, live, labels), live, labels).fields;
        const target =
          desired === undefined || desired.target_wallet === task.target_wallet ? [] : ['target_wallet'];
        const paths = [...target, ...(differs ?? []).map(({ path }) => path)];
        const git =
          desired === undefined
            ? 'no manifest names it'
            : paths.length === 0
              ? 'is as git wants it'
              : `differs from git in ${paths.slice(0, MOST_PATHS).join(', ')}${paths.length > MOST_PATHS ? ', …' : ''}`;
        const likely =
          group.length === 1
            ? ` metadata.id names another task: \`tradeform release --id ${task.id}\` releases this one.`
            : one === original
              ? ` It was created first, and is likely the original: \`tradeform release ${ids.join(' ')}\` releases the others.`
              : '';
        return [
          task.id,
          `created ${task.created_at}, written last ${task.updated_at}, ${task.is_active ? `runs with ${sol}` : 'does not run'}, ${git}.${likely}`,
        ];
      });
    }),
  );
}

const MOST_PATHS = 5;
