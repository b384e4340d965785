import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { MOST } from '../../model/bounds.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { type ConfigDefinition, TASK_KINDS } from '../../model/kind.ts';
import type { Layer } from './layer.ts';

/** What a manifest may extend: presets of one kind of task, and templates of the same config. */
export interface BaseKind {
  readonly config: ConfigDefinition;
  /** `spec.for` of the presets. */
  readonly purpose: string;
}

/** A template or preset as tasks extend it: the document, and the patches of the environment upon it. */
export interface Base {
  readonly document: Manifest;
  readonly layers: readonly Layer[];
}

interface BaseLayers {
  /** First to last. */
  readonly layers: readonly Layer[];
  /** False where one of them could not be had: what is missing may have been there. */
  readonly whole: boolean;
}

const NOTHING: BaseLayers = { layers: [], whole: false };

/** Templates and presets by name, and what they extend in turn. */
export class Bases {
  readonly #named = new Map<string, Base[]>();
  readonly #known = new Map<Base, Map<string, BaseLayers>>();
  readonly #report: (diagnostic: Diagnostic) => void;

  constructor(bases: readonly Base[], report: (diagnostic: Diagnostic) => void) {
    this.#report = report;
    for (const base of bases) {
      const { name } = base.document;
      if (name !== undefined) this.#named.set(name, [...(this.#named.get(name) ?? []), base]);
    }
  }

  /** What a manifest takes its config from; `trail` are those that led here. */
  layersOf(
    manifest: Manifest,
    spec: JsonObject,
    at: Path,
    kind: BaseKind,
    trail: readonly Manifest[] = [],
  ): BaseLayers {
    const names = Array.isArray(spec.extends) ? spec.extends : [];
    const led = [...trail, manifest];
    if (names.length > 0 && led.length > MOST.depth)
      return this.#tooMuch(manifest, [...at, 'extends'], `more than ${MOST.depth} one after the other`);
    // Told by the shape.
    if (names.length > MOST.layers) return NOTHING;
    const parts = names.map((name, index): BaseLayers => {
      const path = [...at, 'extends', index];
      const base = typeof name === 'string' ? this.#find(name, manifest, path, kind) : undefined;
      if (base === undefined) return NOTHING;
      if (led.includes(base.document)) {
        this.#circle(manifest, path, led.slice(led.indexOf(base.document)), String(name));
        return NOTHING;
      }
      return this.#below(base, kind, led);
    });
    const layers = lastOfEach(parts.flatMap((part) => part.layers));
    if (layers.length > MOST.layers)
      return this.#tooMuch(manifest, [...at, 'extends'], `more than ${MOST.layers} in all`);
    return { layers, whole: parts.every(({ whole }) => whole) };
  }

  #tooMuch(manifest: Manifest, path: Path, what: string): BaseLayers {
    const message = `extends leads to ${what} templates and presets`;
    const hint = 'put some of them into one';
    this.#report(manifest.diagnostic(path, { code: 'project-too-large', message, hint }));
    return NOTHING;
  }

  /** A base and what it extends, found once: bases that share bases would double the work at every step. */
  #below(base: Base, kind: BaseKind, led: readonly Manifest[]): BaseLayers {
    const { kind: own } = base.document;
    // A sniper template keeps to presets for snipers, whatever kind of task extends it.
    const inner = own?.family === 'template' ? baseKindOf(own.config) : kind;
    const byPurpose = this.#known.get(base) ?? new Map<string, BaseLayers>();
    this.#known.set(base, byPurpose);
    const known = byPurpose.get(inner.purpose);
    if (known !== undefined) return known;
    const below = this.layersOf(base.document, specOf(base.layers), ['spec'], inner, led);
    const found = { layers: lastOfEach([...below.layers, ...base.layers]), whole: below.whole };
    byPurpose.set(inner.purpose, found);
    return found;
  }

  #circle(manifest: Manifest, path: Path, circle: readonly Manifest[], name: string): void {
    this.#report(
      manifest.diagnostic(path, {
        code: 'extends-cycle',
        message: `extends goes in a circle: ${[...circle.map((one) => one.name), name].join(' → ')}`,
        hint: 'take one of them out',
      }),
    );
  }

  #find(name: string, manifest: Manifest, path: Path, kind: BaseKind): Base | undefined {
    const named = this.#named.get(name) ?? [];
    const fitting = named.filter(({ document }) => fits(document, kind));
    const [base, second] = fitting;
    if (base !== undefined && second === undefined) return base;
    if (manifest.isDiagnosed(path)) return undefined;
    const [other] = named;
    const say = (code: 'wrong-base' | 'unknown-base', message: string, hint: string) =>
      this.#report(manifest.diagnostic(path, { code, message, hint }));
    if (second !== undefined) {
      say('wrong-base', `${name} is a template and a preset`, 'give one of the two another name');
    } else if (other !== undefined) {
      const purpose = other.document.text('spec', 'for');
      const what = purpose === undefined ? other.document.kindName : `preset for ${purpose}`;
      say('wrong-base', `${name} is a ${what}, which does not fit here`, `presets for ${kind.purpose} fit`);
    } else {
      const known = [...this.#named].filter(([, bases]) =>
        bases.some(({ document }) => fits(document, kind)),
      );
      const names = known.map(([one]) => one).sort();
      const list = names.length === 0 ? 'there is none' : `there are ${names.slice(0, 12).join(', ')}`;
      say('unknown-base', `no template or preset ${name}`, didYouMean(name, names) ?? list);
    }
    return undefined;
  }
}

/** Merged again later, a layer has the last word there: its earlier places change nothing. */
function lastOfEach(layers: readonly Layer[]): readonly Layer[] {
  return [...new Set([...layers].reverse())].reverse();
}

function fits({ kind, kindName, value }: Manifest, { config, purpose }: BaseKind): boolean {
  if (kind?.family === 'template') return kind.config === config;
  return kindName === 'Preset' && isObject(value.spec) && value.spec.for === purpose;
}

/** `spec` of the last layer that has one with `extends`; patches may exchange the list. */
function specOf(layers: readonly Layer[]): JsonObject {
  const specs = layers.map(({ value }) => value.spec).filter(isObject);
  return specs.findLast((spec) => spec.extends !== undefined) ?? {};
}

/** Templates for sniper tasks extend what those extend; there are no transfer-snipe templates. */
export function baseKindOf(config: ConfigDefinition): BaseKind {
  const task = TASK_KINDS.find((kind) => kind.config === config);
  return { config, purpose: task?.collection ?? '' };
}
