import type { DesiredState } from '../../desired/state.ts';
import { jsonEqual } from '../../model/json.ts';
import { markerOf } from '../../model/marker.ts';
import type { LiveResource } from '../../model/resource.ts';

/**
 * For resources as they are read: one that has the marker of a desired task and its config gets the object of the manifest for
 * its own. Configs are nearly all of the memory of a large account, and most are as the manifests say.
 */
export function shareConfigs({ tasks }: DesiredState): (live: LiveResource) => LiveResource {
  const byAddress = new Map<string, (typeof tasks)[number]>(tasks.map((task) => [task.address, task]));
  return (live) => {
    if (!('target_wallet' in live)) return live;
    const marker = markerOf(live);
    const desired = marker && byAddress.get(`${live.collection}/${marker.name}`);
    if (desired === undefined || !jsonEqual(desired.config, live.config)) return live;
    return { ...live, config: desired.config };
  };
}
