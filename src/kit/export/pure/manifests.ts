import type { DesiredTask } from '../../../core/desired/state.ts';
import { addressProblem } from '../../../core/manifest/addresses.ts';
import { firstInvisible } from '../../../core/manifest/invisible.ts';
import { given } from '../../../core/model/given.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import { kindOf, LABEL_KIND, type TaskKind } from '../../../core/model/kind.ts';
import { differingParts, partsIn, partsOfKind, writtenParts } from '../../../core/model/parts.ts';
import type { LiveLabel, LiveTask, LiveTemplate } from '../../../core/model/resource.ts';
import { type Exported, exported, fittingNote, literally, storedValue } from './names.ts';
import { writableConfig } from './writable.ts';

export interface ExportedTask {
  readonly kind: TaskKind;
  readonly task: LiveTask;
  readonly name: string;
  /** The remark without its marker. */
  readonly note: string;
  readonly rearm: string | undefined;
  readonly state: DesiredTask['state'];
  /** The manifest has `metadata.id`, because only the id identifies the task for certain. */
  readonly withId: boolean;
  /** Notes about the task besides its fields. */
  readonly remarks: readonly string[];
}

export interface ManifestContext {
  readonly project: string;
  /** `metadata.name` of the label with this id. Undefined if the label cannot have a manifest. */
  readonly label: (id: string) => string | undefined;
}

/** The manifest of a live task, or one sentence that says why there cannot be one. */
export function taskManifest(source: ExportedTask, context: ManifestContext): Exported | string {
  const { kind, task, name, rearm, state } = source;
  const problem = addressProblem(task.target_wallet);
  if (problem !== undefined)
    return `its target wallet is not a chain address (${problem.message}), and a target cannot be changed`;
  const { config, dropped, unsayable } = writableConfig(kind, task.config);
  const { note, notes: noteNotes } = noteOf(source, context.project);
  const parts = sayableParts(source);
  const lost = differingParts(task, parts, partsOfKind(kind.collection));
  const label = task.risk_label_id === null ? null : context.label(task.risk_label_id);
  const ignored = [...unsayable, ...lost.map(({ name }) => name), ...(label === undefined ? ['label'] : [])];
  return exported(kind.manifestKind, `${kind.collection}/${name}`, {
    id: task.id,
    metadata: source.withId ? { id: task.id } : {},
    spec: literally({
      state,
      ...given({ rearm, remark: note || undefined, label: label ?? undefined }),
      ...writtenParts(parts, kind.collection),
      config,
      ...(ignored.length === 0 ? {} : { lifecycle: { ignore_changes: ignored } }),
    }),
    notes: [
      ...source.remarks,
      ...noteNotes,
      ...droppedNotes(dropped),
      ...(ignored.length === 0 ? [] : [IGNORED, ...ignored.map((path) => `  ${path}`)]),
    ],
    altered: [...(noteNotes.length > 0 ? ['remark'] : []), ...ignored],
  });
}

const IGNORED =
  'These fields have a form that the service does not document, and may refuse. ignore_changes keeps the stored values; the values below are placeholders:';

/** Legacy fields, in comments: the next change of the config removes them. */
export function droppedNotes(
  dropped: readonly { readonly path: string; readonly value: Parameters<typeof storedValue>[0] }[],
): readonly string[] {
  if (dropped.length === 0) return [];
  return [
    'Left out: fields that the service does not document, and may refuse. The next change of the config removes them:',
    ...dropped.map(({ path, value }) => `  config.${path}: ${storedValue(value)}`),
  ];
}

function noteOf({ note, name, rearm }: ExportedTask, project: string): { note: string; notes: string[] } {
  const plain = sayable(note).replaceAll('[git:', '(git:');
  const fitting = fittingNote(plain, project, name, rearm);
  const notes: string[] = [];
  if (plain !== note.trim()) {
    notes.push(
      'The stored remark contains characters that a manifest must not contain:',
      `  ${storedValue(note)}`,
    );
  } else if (fitting !== plain) {
    notes.push('The stored remark leaves no room for the marker:', `  ${storedValue(note)}`);
  }
  return { note: fitting, notes };
}

/** The plain parts without what no manifest can say: an address of another form, or one of too many. */
function sayableParts({ kind, task }: ExportedTask): JsonObject {
  const parts = Object.entries(partsIn(task, kind.collection)).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value];
    const sayable = value.filter((item) => addressProblem(item) === undefined);
    return [name, [...new Set(sayable)].slice(0, MOST_ITEMS)];
  });
  return Object.fromEntries(parts);
}

const MOST_ITEMS = 20;

/** The text without invisible characters, which a manifest must not have in names or remarks. */
function sayable(text: string): string {
  let kept = text;
  for (let found = firstInvisible(kept); found !== undefined; found = firstInvisible(kept)) {
    kept = kept.replaceAll(found.character, '');
  }
  return kept.trim();
}

/** The manifest of a live label, or why there cannot be one: labels and templates are identified only by their name. */
export function labelManifest(label: LiveLabel, name: string): Exported | string {
  const shown = label.name.trim();
  const problem = nameProblem(shown, 32);
  if (problem !== undefined) return problem;
  const order = label.sort_order ?? 0;
  const spec = { ...(shown === name ? {} : { name: shown }), ...(order === 0 ? {} : { sort_order: order }) };
  return exported(LABEL_KIND.manifestKind, `label/${name}`, { id: label.id, spec: literally(spec) });
}

export function templateManifest(template: LiveTemplate, name: string): Exported | string {
  const kind = kindOf(template.collection);
  const shown = template.name.trim();
  const problem = nameProblem(shown, 64);
  if (problem !== undefined) return problem;
  const { config, dropped, unsayable } = writableConfig(kind, template.config);
  if (unsayable.length > 0)
    return `its ${unsayable.join(', ')} has a form that the service does not document. The service may refuse it, and a template cannot keep it with ignore_changes`;
  const spec = { ...(shown === name ? {} : { name: shown }), config };
  return exported(kind.manifestKind, `${template.collection}/${name}`, {
    id: template.id,
    spec: literally(spec),
    notes: droppedNotes(dropped),
  });
}

function nameProblem(shown: string, longest: number): string | undefined {
  if (shown === '' || shown.length > longest) return 'a manifest cannot express its name';
  return firstInvisible(shown) === undefined
    ? undefined
    : 'its name contains invisible characters, which manifests must not contain';
}
