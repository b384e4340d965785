import { firstInvisible } from '../../../manifest/invisible.ts';
import { kindOf, LABEL_KIND } from '../../../model/kind.ts';
import type { LiveLabel, LiveTemplate } from '../../../model/resource.ts';
import { type Exported, exported, literally } from './names.ts';
import { droppedNotes } from './task.ts';
import { writableConfig } from './writable.ts';

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
  if (unsayable.length > 0) {
    return `its ${unsayable.join(', ')} has a form that the service does not document. The service may refuse it, and a template cannot keep it with ignore_changes`;
  }
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
