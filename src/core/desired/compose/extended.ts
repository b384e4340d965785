import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { didYouMean, someOf } from '../../diagnostics/suggest.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { MOST } from '../../model/bounds.ts';
import { byKey, madeOnce } from '../../model/by-key.ts';
import { isObject, type Json, type JsonObject, objectIn } from '../../model/json.ts';
import { type ConfigDefinition, type Kind, TASK_KINDS } from '../../model/kind.ts';
import { type Layer, mergePatch } from './layer.ts';
import type { Used } from './unused.ts';

/** What a manifest may extend: presets for one kind of task, and templates with the same config. */
interface ExtendedKind {
  readonly config: ConfigDefinition;
  /** `spec.for` of the presets. */
  readonly purpose: string;
}

/** A template or preset that others extend: the document, and the environment's patches of it. */
export interface Extended {
  readonly document: Manifest;
  readonly layers: readonly Layer[];
}

interface ExtendedLayers {
  /** In the order of merging. */
  readonly layers: readonly Layer[];
  /** False if a layer is missing. A missing field may come from there. */
  readonly whole: boolean;
}

const NOTHING: ExtendedLayers = { layers: [], whole: false };

/** Templates and presets by name, and what they extend. */
export class ExtendedByName {
  readonly #named: ReadonlyMap<string, readonly Extended[]>;
  readonly #known = new Map<Extended, Map<string, ExtendedLayers>>();
  readonly #used: Set<string>;

  constructor(
    all: readonly Extended[],
    { presets }: Used,
    private readonly report: (diagnostic: Diagnostic) => void,
  ) {
    this.#used = presets;
    const named = all.filter(({ document }) => document.name !== undefined);
    this.#named = byKey(named, ({ document }) => document.name ?? '');
  }

  merged(manifest: Manifest, spec: JsonObject, at: Path, of: Kind): MergedExtended {
    const kind = extendedKind(of);
    if (kind === undefined) return NONE;
    const found = this.#layersOf(manifest, spec, at, kind);
    return { ...found, config: mergedConfig({}, found.layers) };
  }

  /** `trail` is the way from the manifest to here. */
  #layersOf(
    manifest: Manifest,
    spec: JsonObject,
    at: Path,
    kind: ExtendedKind,
    trail: readonly Manifest[] = [],
  ): ExtendedLayers {
    const names = Array.isArray(spec.extends) ? spec.extends : [];
    const led = [...trail, manifest];
    if (names.length > 0 && led.length > MOST.depth)
      return this.#tooMuch(manifest, [...at, 'extends'], `more than ${MOST.depth} in a row`);
    // The shape check reports this.
    if (names.length > MOST.layers) return NOTHING;
    const parts = names.map((name, index): ExtendedLayers => {
      const path = [...at, 'extends', index];
      const extended = typeof name === 'string' ? this.#find(name, manifest, path, kind) : undefined;
      if (extended === undefined) return NOTHING;
      if (led.includes(extended.document)) {
        this.#circle(manifest, path, led.slice(led.indexOf(extended.document)), String(name));
        return NOTHING;
      }
      return this.#below(extended, kind, led);
    });
    const layers = lastOfEach(parts.flatMap((part) => part.layers));
    if (layers.length > MOST.layers)
      return this.#tooMuch(manifest, [...at, 'extends'], `more than ${MOST.layers} in total`);
    return { layers, whole: parts.every(({ whole }) => whole) };
  }

  #tooMuch(manifest: Manifest, path: Path, what: string): ExtendedLayers {
    const message = `extends leads to ${what} templates and presets`;
    const hint = 'merge some of them';
    this.report(manifest.diagnostic(path, { code: 'project-too-large', message, hint }));
    return NOTHING;
  }

  /**
   * An extended document and everything that it extends. Computed once: documents that share others would double the work at
   * every step.
   */
  #below(extended: Extended, kind: ExtendedKind, led: readonly Manifest[]): ExtendedLayers {
    const { kind: own } = extended.document;
    // A sniper template extends only presets for snipers, whatever kind of task extends the template.
    const inner = (own?.family === 'template' ? extendedKind(own) : undefined) ?? kind;
    const byPurpose = madeOnce(this.#known, extended, () => new Map<string, ExtendedLayers>());
    return madeOnce(byPurpose, inner.purpose, () => {
      const below = this.#layersOf(extended.document, specOf(extended.layers), ['spec'], inner, led);
      return { layers: lastOfEach([...below.layers, ...extended.layers]), whole: below.whole };
    });
  }

  #circle(manifest: Manifest, path: Path, circle: readonly Manifest[], name: string): void {
    this.report(
      manifest.diagnostic(path, {
        code: 'extends-cycle',
        message: `extends forms a loop: ${[...circle.map((one) => one.name), name].join(' → ')}`,
        hint: 'remove one of these references',
      }),
    );
  }

  #find(name: string, manifest: Manifest, path: Path, kind: ExtendedKind): Extended | undefined {
    this.#used.add(name);
    const named = this.#named.get(name) ?? [];
    const fitting = named.filter(({ document }) => fits(document, kind));
    const [extended, second] = fitting;
    if (extended !== undefined && second === undefined) return extended;
    if (manifest.isDiagnosed(path)) return undefined;
    const [other] = named;
    const say = (code: 'wrong-base' | 'unknown-base', message: string, hint: string) =>
      this.report(manifest.diagnostic(path, { code, message, hint }));
    if (second !== undefined) {
      say('wrong-base', `${name} is both a template and a preset`, 'rename one of them');
    } else if (other !== undefined) {
      const purpose = other.document.text('spec', 'for');
      const what = purpose === undefined ? other.document.kindName : `preset for ${purpose}`;
      say(
        'wrong-base',
        `${name} is a ${what}, which cannot be extended here`,
        `presets for ${kind.purpose} can`,
      );
    } else {
      const names = [...this.#named].flatMap(([one, named]) =>
        named.some(({ document }) => fits(document, kind)) ? [one] : [],
      );
      const list = names.length === 0 ? `none fits ${kind.purpose}: write one` : `there are ${someOf(names)}`;
      const hint = [didYouMean(name, names) ?? '', list].join(' ').trimStart();
      say('unknown-base', `no template or preset ${name}`, hint);
    }
    return undefined;
  }
}

/** If a layer is merged again later, only its last place counts. */
function lastOfEach(layers: readonly Layer[]): readonly Layer[] {
  return [...new Set([...layers].reverse())].reverse();
}

function fits({ kind, kindName, value }: Manifest, { config, purpose }: ExtendedKind): boolean {
  if (kind?.family === 'template') return kind.config === config;
  return kindName === 'Preset' && isObject(value.spec) && value.spec.for === purpose;
}

/** `spec` of the last layer that has `extends`. A patch may replace the list. */
function specOf(layers: readonly Layer[]): JsonObject {
  const specs = layers.map(({ value }) => value.spec).filter(isObject);
  return specs.findLast((spec) => spec.extends !== undefined) ?? {};
}

/**
 * Templates for sniper tasks extend the same presets as sniper tasks. There are no transfer-snipe templates. Undefined for a
 * label.
 */
function extendedKind(kind: Kind): ExtendedKind | undefined {
  if (kind.family === 'label') return undefined;
  const task = kind.family === 'task' ? kind : TASK_KINDS.find(({ config }) => config === kind.config);
  return { config: kind.config, purpose: task?.collection ?? '' };
}

export interface MergedExtended extends ExtendedLayers {
  readonly config: JsonObject;
}

/** A config after the configs of the layers were merged into it in order. */
export function mergedConfig(config: JsonObject, layers: readonly Layer[]): JsonObject {
  const result = layers.reduce<Json>((before, { value }) => {
    const own = isObject(value.spec) ? value.spec.config : undefined;
    return own === undefined ? before : mergePatch(before, own);
  }, config);
  return objectIn(result);
}

export const NONE: MergedExtended = { layers: [], whole: true, config: {} };
