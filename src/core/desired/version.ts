import { createHash } from 'node:crypto';
import { parsePath, withAt } from '../manifest/spans.ts';
import { madeOnce } from '../model/by-key.ts';
import { canonicalJson, type JsonObject, objectIn } from '../model/json.ts';
import { kindOf } from '../model/kind.ts';
import { formatHalf, MAX_HALF } from '../model/marker.ts';
import { canonicalParts } from '../model/parts.ts';
import { canonicalText } from '../model/shape.ts';
import type { DesiredTask } from './state.ts';

const KNOWN = new WeakMap<DesiredTask, string>();

/**
 * The four characters with which a marker names the task as git describes it (DESIGN 3, "The version"): SHA-256 over kind, config,
 * rearm and every part, in canonical form. Values equal to a documented default are left out. A
 * value of the environment counts as the manifest writes it (`${env.NAME}`), and an ignored field with git's value. Two manifests
 * with the same meaning have the same characters, whatever their layout, name and project.
 */
export function versionDigest(task: DesiredTask): string {
  return madeOnce(KNOWN, task, () => {
    const { config, ...plain } = described(task);
    const text = canonicalText(kindOf(task.collection).config, objectIn(config), true);
    // The config stands first in the order of keys.
    const hash = createHash('sha256')
      .update(`{"config":${text},${canonicalJson(plain).slice(1)}`)
      .digest();
    return formatHalf(Number(hash.readBigUInt64BE() % BigInt(MAX_HALF + 1)));
  });
}

function described(task: DesiredTask): JsonObject {
  const { collection, note, label, state, rearm, config } = task;
  const plain: JsonObject = {
    ...{ kind: collection, config, remark: note, label, state, rearm: rearm ?? null },
    ...canonicalParts(task),
  };
  const { secrets = [], written = () => '' } = task;
  return secrets.reduce((whole, path) => withAt(whole, parsePath(path), written(path)) as JsonObject, plain);
}
