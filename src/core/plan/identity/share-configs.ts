import type { DesiredState } from '../../desired/state.ts';
import { versionDigest } from '../../desired/version.ts';
import { jsonEqual } from '../../model/json.ts';
import { markerOf } from '../../model/marker.ts';
import type { LiveResource } from '../../model/resource.ts';

/**
 * For resources while they are read: a live task with the marker and the config of a desired task shares the config
 * object of the manifest. Configs are most of the memory of a large account, and most are equal to the manifests.
 */
export function shareConfigs({ tasks }: DesiredState): (live: LiveResource) => LiveResource {
  const byAddress = new Map<string, (typeof tasks)[number]>(tasks.map((task) => [task.address, task]));
  return (live) => {
    if (!('target_wallet' in live)) return live;
    const marker = markerOf(live);
    const desired = marker && byAddress.get(`${live.collection}/${marker.name}`);
    if (desired === undefined) return live;
    // Known when it is asked for: there is more time for it now, between two pages.
    versionDigest(desired.described ?? desired);
    if (!jsonEqual(desired.config, live.config)) return live;
    // In place: a copy would have its remark parsed once more. Nobody else has the object yet.
    return Object.assign(live, { config: desired.config });
  };
}
