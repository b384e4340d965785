import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { Io } from '../../core/command/io.ts';
import { type CommonOptions, chosenEnvironment } from '../../core/command/options.ts';
import { projectOutline } from '../../core/desired/project.ts';
import { CommandFailure, type Diagnostic, type Texts, usage } from '../../core/diagnostics/diagnostic.ts';
import { Source } from '../../core/manifest/source.ts';
import { addressParts, PROJECT_PATTERN } from '../../core/model/address.ts';
import { byKey } from '../../core/model/by-key.ts';
import { openCheckout } from '../../core/project/checkout.ts';
import { isInside } from '../../core/project/door/location.ts';
import { findUpward, PROJECT_FILE } from '../../core/project/find-project.ts';
import { parseGlob } from '../../core/project/glob.ts';
import { type Project, readProject } from '../../core/project/project.ts';
import { wrap } from '../../core/render/layout.ts';
import { manifestsYaml } from '../../core/render/manifest-yaml.ts';
import type { Exported } from './pure/names.ts';

export interface Placement {
  /** Below the project directory, with forward slashes. Empty for the directory itself. */
  readonly folder: string;
  /** One file for each kind instead of one for each resource. */
  readonly grouped: boolean;
}

/** Kinds that many manifests share are kept in one file. */
const TOGETHER: Readonly<Record<string, string>> = {
  label: 'labels',
  'wallet-book': 'wallets',
  preset: 'presets',
};

/** Windows takes these names for devices, whatever extension follows. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

export function fileOf({ address }: Exported, { folder, grouped }: Placement): string {
  const { collection, name = '' } = addressParts(address);
  const own = DEVICE.test(name) ? `${collection}-${name}` : name;
  const path = TOGETHER[collection] ?? (grouped ? collection : `${collection}/${own}`);
  return `${folder === '' ? '' : `${folder}/`}${path}.yaml`;
}

/** Manifests as YAML text, each with its notes above it. */
export function yamlOf(documents: readonly Exported[]): string {
  return manifestsYaml(
    documents.map(({ manifest, notes }) => ({
      manifest,
      ...(notes.length === 0
        ? {}
        : { note: notes.flatMap((line) => (line.startsWith(' ') ? [line] : wrap(line, WIDTH))) }),
    })),
  );
}

const WIDTH = 98;

/** The texts of the files with new manifests at their ends. `textOf` returns the present text. */
export function withNew(
  documents: readonly Exported[],
  placement: Placement,
  textOf: (file: string) => string,
): ReadonlyMap<string, string> {
  const byFile = byKey(documents, (document) => fileOf(document, placement));
  return new Map(
    [...byFile].map(([file, own]) => {
      const before = textOf(file);
      const end = before === '' || before.endsWith('\n') ? '' : '\n';
      const separator = before.trim() === '' || /(?:^|\n)---[ \t]*\n$/.test(before) ? '' : '---\n';
      const text = yamlOf(own);
      return [
        file,
        `${before}${end}${separator}${before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text}`,
      ];
    }),
  );
}

export interface PlaceOptions extends CommonOptions {
  /** `--out DIR`: a project directory, or a folder in one. */
  readonly out?: string;
  readonly projectName?: string;
}

/** The project that is exported into, and its folder for new manifests. */
export interface ExportPlace {
  readonly name: string;
  readonly projectDir: string;
  readonly projectFile: string;
  /** undefined for a new project. */
  readonly existing: Project | undefined;
  /** `--out` below the project directory. Nothing outside it is written. */
  readonly out: string;
  /** The folder for new manifests, below the project directory. */
  readonly folder: string;
  readonly environments: readonly string[];
}

/** Finds the project upward from `--out` or the working directory. Fails (exit 3) with everything that is wrong with it. */
export async function findPlace(options: PlaceOptions, io: Pick<Io, 'cwd' | 'env'>): Promise<ExportPlace> {
  const { out, project: projectFile, projectName } = options;
  const start = resolve(io.cwd, out ?? '.');
  if (projectName !== undefined && !PROJECT_PATTERN.test(projectName))
    throw usage(
      `--project-name ${projectName} is not 1 to 12 characters of a-z, 0-9 and -`,
      'Write a short name, such as core.',
    );
  const path = projectFile === undefined ? findUpward(start) : resolve(io.cwd, projectFile);
  if (path === undefined || (projectFile === undefined && !existsSync(path)))
    return newPlace(start, projectName);
  const existing = await readProject({
    cwd: projectFile === undefined ? start : io.cwd,
    env: io.env,
    projectFile,
    environment: chosenEnvironment(options.environment, io.env),
    checkout: openCheckout,
  });
  const { settings, diagnostics, manifests, sources } = existing;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const onlyEmpty = manifests().length === 0 && errors.every(({ code }) => code === 'no-manifests');
  if (settings === undefined || (errors.length > 0 && !onlyEmpty)) {
    const said =
      out === undefined ? diagnostics.map((diagnostic) => emptied(diagnostic, sources)) : diagnostics;
    throw new CommandFailure(3, said, sources);
  }
  if (projectName !== undefined && projectName !== settings.project)
    throw usage(
      `--project-name ${projectName}, but the project has the name ${settings.project}`,
      `Remove --project-name; it is for a folder without ${PROJECT_FILE}.`,
    );
  const below = relative(settings.projectDir, out === undefined ? settings.projectDir : start);
  if (out !== undefined && !isInside(settings.projectDir, start))
    throw usage(`--out ${out} is outside the project directory`, 'Use a folder below the project file.');
  const inside = below.split(sep).join('/');
  const { manifests: [first] = [], environments = [] } =
    projectOutline(new Source(settings.projectFile, sources.get(settings.projectFile) ?? '')) ?? {};
  return {
    name: settings.project,
    projectDir: settings.projectDir,
    projectFile: settings.projectFile,
    existing,
    out: inside,
    folder: inside === '' ? firstFolder(first?.pattern) : inside,
    environments,
  };
}

/** Printed manifests often go to a file with `>`, which the shell empties before anything reads it. */
function emptied(diagnostic: Diagnostic, sources: Texts): Diagnostic {
  const { code, location } = diagnostic;
  if (code !== 'no-manifests' || sources.get(location?.file ?? '') !== '') return diagnostic;
  const hint =
    'A shell empties FILE before `export > FILE` runs. If that happened, restore the file and use --out DIR. Otherwise remove it.';
  return { ...diagnostic, hint };
}

/** A project without a project file. Fails (exit 3) without a name. */
export function newPlace(start: string, name: string | undefined): ExportPlace {
  if (name === undefined)
    throw CommandFailure.of(
      3,
      'no-project-file',
      `no ${PROJECT_FILE} here or above, up to the top of the repository`,
      'Change to the project directory, or start a project with --project-name NAME or `tradeform init`.',
    );
  const place = {
    projectDir: start,
    projectFile: PROJECT_FILE,
    out: '',
    folder: 'manifests',
    environments: [],
  };
  return { name, ...place, existing: undefined };
}

function firstFolder(pattern = ''): string {
  const parsed = parseGlob(pattern);
  return 'glob' in parsed ? parsed.glob.base.join('/') : '';
}
