import type { Io } from '../../core/command/io.ts';
import type { CommonOptions } from '../../core/command/options.ts';
import { CommandFailure } from '../../core/diagnostics/diagnostic.ts';
import { formatPath, mapLeaves } from '../../core/manifest/spans.ts';
import { bareName, collectionOf, NAME_PATTERN } from '../../core/model/address.ts';
import type { ChangeResult, SwitchedTask } from '../../core/model/generated/report.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { type Collection, kindOf } from '../../core/model/kind.ts';
import { remarkOf } from '../../core/model/marker.ts';
import { writtenParts } from '../../core/model/parts.ts';
import { SECRET } from '../../core/model/secret.ts';
import { yamlOf } from '../export/place.ts';
import { droppedNotes } from '../export/pure/manifests.ts';
import { type Exported, exported, literally, slug } from '../export/pure/names.ts';
import { writableConfig } from '../export/pure/writable.ts';
import { type FolderOptions, findRun } from './journal.ts';

interface RestoreOptions extends CommonOptions, FolderOptions {
  /** The run that deleted, replaced, changed or paused it. */
  readonly at: string;
}

/**
 * `tradeform log restore ADDRESS --at RUN`: prints the manifest of a resource as it was before a run did something to it.
 * `validate` refuses what is hidden in it. Sends nothing, and writes no file.
 */
export async function runLogRestore(address: string, options: RestoreOptions, io: Io): Promise<number> {
  const { run, report } = await findRun(options.at, options, io);
  const collection = collectionOf(address);
  const changes: readonly (ChangeResult | SwitchedTask)[] = report.changes;
  const found = changes.filter((one) => [one.address, `${one.kind}/${one.id}`].includes(address));
  if (found.length === 0 || collection === undefined) throw nothing(`${run} did nothing to ${address}`);
  const [change, other] = found.filter(({ former }) => former !== null);
  if (change?.former == null) throw nothing(`${run} did not delete, replace, change or pause ${address}`);
  if (other !== undefined)
    throw nothing(`${run} did this to ${change.kind}/${change.id} and ${other.kind}/${other.id}: name one`);
  const made = manifestOf(collection, bareName(change.address ?? address), change.former as JsonObject);
  const from = `, of commit ${report.record.commit}: git has what the journal hides`;
  const before = `As it was before ${run}${report.record.commit === null ? '' : from}.`;
  io.stdout(yamlOf([{ ...made, notes: [before, ...made.notes] }]));
  return 0;
}

function nothing(message: string): CommandFailure {
  return CommandFailure.of(3, 'invalid-option', message, '`tradeform log show RUN` lists what a run did.');
}

/** Every value is as it was stored, also one that a manifest cannot express: `validate` refuses it. */
function manifestOf(collection: Collection, called: string, former: JsonObject): Exported {
  const name = NAME_PATTERN.test(called) ? called : slug(called) || collection;
  const { spec: stored, notes } = storedSpec(collection, name, former);
  const hidden: string[] = [];
  const spec = mapLeaves(literally(stored), [], (value, path) => {
    if (typeof value !== 'string' || !value.includes(SECRET)) return value;
    const field = formatPath(path);
    hidden.push(field);
    // Not a valid reference, so that a remark is refused as well.
    return value.replaceAll(SECRET, () => `\${${SECRET} ${field}}`);
  }) as JsonObject;
  const told = hidden.length === 0 ? [] : [HIDDEN, ...hidden.map((field) => `  ${field}`)];
  return exported(kindOf(collection).manifestKind, `${collection}/${name}`, {
    spec,
    notes: [...told, ...notes],
  });
}

const HIDDEN =
  'These fields are hidden, because they may have come from the environment. Write each of them:';

function storedSpec(collection: Collection, name: string, former: JsonObject) {
  const kind = kindOf(collection);
  const named = former.name === name ? {} : { name: former.name ?? null };
  const { sort_order = 0 } = former;
  if (kind.family === 'label')
    return { spec: { ...named, ...(sort_order === 0 ? {} : { sort_order }) }, notes: [] };
  const stored = isObject(former.config) ? former.config : {};
  const { config: written, dropped, unsayable } = writableConfig(kind, stored);
  const odd = unsayable.map((path) => path.split('.')[1] ?? '');
  const config = { ...written, ...Object.fromEntries(odd.map((field) => [field, stored[field] ?? null])) };
  const notes = droppedNotes(dropped);
  if (kind.family === 'template') return { spec: { ...named, config }, notes };
  const { remark, is_active } = former;
  const { risk_label_id: label, label: shown } = former;
  const note = remarkOf({ remark: String(remark ?? '') }).note.trim();
  const spec: JsonObject = {
    state: is_active === true ? 'active' : 'paused',
    ...(note === '' ? {} : { remark: note }),
    ...writtenParts(former, kind.collection),
    config,
  };
  const labelled = `It had the label ${shown === undefined ? `with the id ${label}` : JSON.stringify(shown)}, which is left out here.`;
  const starts = is_active === true ? ['`state: active`: to apply this starts it.'] : [];
  return { spec, notes: [...starts, ...(label == null ? [] : [labelled]), ...notes] };
}
