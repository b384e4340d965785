import { versionDigest } from '../../../desired/version.ts';
import type { KnownTask } from '../../../plan/identity/known-task.ts';
import { SECRETABLE } from '../../../plan/secrets.ts';
import type { Manifests } from './resume-choice.ts';

/** Paths of values that may have come from the environment: among the amounts of a task, or in the whole task. */
export type SecretsOf = (known: KnownTask, where: 'amounts' | 'task') => readonly string[];

/**
 * Without manifests, no amount of an owned task is shown. A whole task is shown if nobody else's manifest made it and it is as the
 * manifest describes it: an earlier manifest may have taken other values from the environment.
 */
export function secretsIn(manifests: Manifests | undefined): SecretsOf {
  return ({ task, owner, marker }, where) => {
    if (owner === 'unmanaged' || (owner !== 'owned' && where === 'amounts')) return [];
    const manifest = manifests?.get(task.id);
    const current = manifest !== undefined && marker?.version?.digest === versionDigest(manifest);
    if (manifests === undefined || (where === 'task' && (owner !== 'owned' || !current))) return SECRETABLE;
    return manifest?.secrets ?? [];
  };
}
