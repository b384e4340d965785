import type { Io } from '../../command/io.ts';
import { chooseNamed } from '../../command/meant.ts';
import type { CommonOptions } from '../../command/options.ts';
import { presentAnswer } from '../../command/output/present.ts';
import { projectAt } from '../../command/project-at-revision.ts';
import type { CompiledProject } from '../../command/read-project.ts';
import { compareStates, type StateDifference } from '../../desired/difference.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import { viewText } from '../../render/text-layout.ts';
import { section, type View } from '../../render/view.ts';

/** How the desired state of the working tree differs from that of another revision, offline. */
export async function renderDifference(
  options: CommonOptions & { readonly diff: string; readonly detailedExitcode?: boolean },
  addresses: readonly string[],
  { state, settings, diagnostics }: CompiledProject,
  io: Io,
): Promise<number> {
  const { revision, project: base } = await projectAt(options.diff, settings, io);
  const errors = base.diagnostics.filter(({ severity }) => severity === 'error');
  if (base.state === undefined) throw new CommandFailure(3, errors, base.sources);
  const known = [base.state, state].flatMap(({ tasks, templates, labels }) => [
    ...tasks,
    ...templates,
    ...labels,
  ]);
  const chosen = chooseNamed(addresses, known, `in the manifests or at ${revision.name}`);
  const difference = within(compareStates(base.state, state), addresses.length === 0 ? undefined : chosen);
  const differs = difference.resources.length > 0 || difference.settings.length > 0;
  const exitCode = differs && options.detailedExitcode === true ? 2 : 0;
  const { project, environment } = settings;
  const { name, commit } = revision;
  const at = commit.startsWith(name) ? name : `${name} (${commit.slice(0, 7)})`;
  const document = {
    ...{ command: 'render', exitCode, diagnostics },
    project,
    environment,
    base: { revision: name, commit },
    ...difference,
    unchanged: difference.unchanged.length,
  };
  return presentAnswer(
    document,
    (shown, medium) => viewText(differenceView(shown, at), { ...medium, verbose: true }),
    options,
    io,
  );
}

/** The differences at the chosen addresses. Settings have no address. */
function within(
  { settings, resources, unchanged }: StateDifference,
  chosen: ((address: string) => boolean) | undefined,
): StateDifference {
  if (chosen === undefined) return { settings, resources, unchanged };
  return {
    settings: [],
    resources: resources.filter(
      ({ address, previous_address: previous }) =>
        chosen(address) || (previous !== undefined && chosen(previous)),
    ),
    unchanged: unchanged.filter((address) => chosen(address)),
  };
}

const SIGNS = {
  created: ['Created', '+', 'add'],
  changed: ['Changed', '~', 'change'],
  removed: ['Removed', '-', 'remove'],
} as const;

/** The differences between two desired states by address, and a summary line. `base`: `main (52949f7)`. */
function differenceView(
  { settings, resources, unchanged }: Omit<StateDifference, 'unchanged'> & { readonly unchanged: number },
  base: string,
): View {
  const parts = (['created', 'changed', 'removed'] as const).flatMap((wanted) => {
    const [title, sign, tone] = SIGNS[wanted];
    const rows = resources
      .filter(({ action }) => action === wanted)
      .map(({ address, previous_address: previous, fields }) => ({
        sign,
        tone,
        names: [address],
        text: previous === undefined ? '' : `renamed from ${previous}`,
        fields,
      }));
    return section(rows, { title, tone });
  });
  const project = { sign: '~', tone: 'change', names: ['project'], text: '', fields: settings } as const;
  const said = parts.map(({ title, rows }) => `${rows.length} ${title.toLowerCase()}`);
  const counts = said.length === 0 && settings.length === 0 ? ['no differences'] : said;
  return {
    command: 'render',
    bare: true,
    subject: { project: null, environment: null },
    parts: [
      ...section(settings.length === 0 ? [] : [project], { title: 'Settings', tone: 'change' }),
      ...parts,
    ],
    verdict: `Compared with ${base}: ${[...counts, `${unchanged} unchanged`].join(', ')}`,
    tone: 'title',
  };
}
