import type { Io } from '../../command/io.ts';
import { chooseNamed } from '../../command/meant.ts';
import type { CommonOptions } from '../../command/options.ts';
import { presentAnswer } from '../../command/output/present.ts';
import { readProjectOf, requireCompiled } from '../../command/read-project.ts';
import { showDiagnostics } from '../../command/show-diagnostics.ts';
import { type WrittenRemoval, writtenManifest, writtenRemovals } from '../../desired/as-manifest.ts';
import type { DesiredState } from '../../desired/state.ts';
import { type Diagnostic, note, usage } from '../../diagnostics/diagnostic.ts';
import { formatPath, mapLeaves, type Path } from '../../manifest/spans.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import { count } from '../../model/named.ts';
import { SECRET } from '../../model/secret.ts';
import type { Project } from '../../project/project.ts';
import { manifestsYaml, type ValueOrigin } from '../../render/manifest-yaml.ts';

export interface RenderOptions extends CommonOptions {
  /** Show the place of each value. */
  readonly origin?: boolean;
  /** `--diff REV`: print the differences from that revision instead. */
  readonly diff?: string;
  readonly detailedExitcode?: boolean;
}

/**
 * `tradeform render`: the compiled desired state of one environment as YAML or JSON, complete or for the named addresses; or the
 * differences from another revision. Sends nothing. Exit 0, or 2 for differences with `--detailed-exitcode`.
 */
export async function runRender(
  addresses: readonly string[],
  options: RenderOptions,
  io: Io,
): Promise<number> {
  checkOptions(options);
  const compiled = requireCompiled(await readProjectOf(options, io));
  if (options.diff !== undefined) {
    const { renderDifference } = await import('./difference.ts');
    return renderDifference({ ...options, diff: options.diff }, addresses, compiled, io);
  }
  const { resources: chosen, removals } = chosenResources(compiled.state, addresses);
  const hidden = chosen.reduce((sum, { secrets = [] }) => sum + secrets.length, 0);
  const notes = hidden === 0 ? [] : [hiddenNote(hidden)];
  const origins = options.origin === true ? originsOf(compiled.manifests()) : undefined;
  const { state, settings, diagnostics } = compiled;
  const { manifestsDigest } = await import('../../desired/digest.ts');
  const document = {
    command: 'render',
    diagnostics: [...diagnostics, ...notes],
    project: settings.project,
    environment: settings.environment,
    manifests_digest: manifestsDigest(state),
    resources: [
      ...chosen.map((resource) => {
        const { address, secrets = [] } = resource;
        return writtenDocument({ address, manifest: writtenManifest(resource) }, secrets, origins?.(address));
      }),
      ...removals.map((removal) => writtenDocument(removal, [], origins?.(removal.address))),
    ],
  };
  await presentAnswer(document, ({ resources }) => manifestsYaml(resources.map(yamlOf)), options, io);
  if (options.output !== 'json') showDiagnostics(notes, io);
  return 0;
}

function yamlOf({ manifest, secrets, origins = {} }: RenderedResource) {
  return {
    manifest,
    ...(secrets.length === 0 ? {} : { note: HIDDEN }),
    origin: (path: Path) => origins[formatPath(path)],
  };
}

const HIDDEN = `${SECRET} replaces a value from the environment: this is not a complete manifest`;

function hiddenNote(number: number): Diagnostic {
  return note(
    'secret-hidden',
    `${count(number, 'value')} from the environment ${number === 1 ? 'is' : 'are'} not shown`,
    `where ${SECRET} replaces a value, the output is not a complete manifest`,
  );
}

function checkOptions({ diff, origin, detailedExitcode }: RenderOptions): void {
  if (diff === undefined && detailedExitcode === true)
    throw usage('--detailed-exitcode needs --diff', 'Write --diff REV.');
  if (diff !== undefined && origin === true)
    throw usage('--origin does not work with --diff', 'Remove --origin: differences name their places.');
}

function chosenResources(state: DesiredState, patterns: readonly string[]) {
  const resources = [...state.tasks, ...state.templates, ...state.labels];
  const removals = writtenRemovals(state.removals);
  const addresses = [...resources, ...removals].map(({ address }) => ({ address }));
  const chosen = chooseNamed(patterns, addresses, 'in the manifests');
  return {
    resources: resources
      .filter(({ address }) => chosen(address))
      .sort((a, b) => compareTexts(a.address, b.address)),
    removals: removals.filter(({ address }) => chosen(address)),
  };
}

type Origins = (path: Path) => ValueOrigin | undefined;

/** The places of the values of a resource or a Removal, by its address. */
function originsOf(manifests: ReturnType<Project['manifests']>): (address: string) => Origins | undefined {
  const byAddress = new Map(
    manifests.map((manifest) => [manifest.address ?? `removal/${manifest.name ?? ''}`, manifest]),
  );
  return (address) => {
    const manifest = byAddress.get(address);
    if (manifest === undefined) return undefined;
    return (path) => {
      // The apiVersion and kind of a task set are those of another kind.
      if (path.length === 1) return undefined;
      return manifest.get(...path) === undefined ? 'default' : manifest.location(path);
    };
  };
}

interface RenderedResource extends WrittenRemoval {
  readonly secrets: readonly string[];
  /** The place of each value by its path. */
  readonly origins?: Readonly<Record<string, ValueOrigin>>;
}

function writtenDocument(
  { address, manifest }: WrittenRemoval,
  secrets: readonly string[],
  origin: Origins | undefined,
): RenderedResource {
  const origins: Record<string, ValueOrigin> = {};
  mapLeaves(manifest, [], (value, path) => {
    const place = origin?.(path);
    if (place !== undefined) origins[formatPath(path)] = place;
    return value;
  });
  return {
    address,
    manifest,
    secrets: secrets.map((path) => `spec.${path}`),
    ...(origin === undefined ? {} : { origins }),
  };
}
