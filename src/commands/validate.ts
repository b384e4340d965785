import { checkBaseUrl } from '../api/base-url.ts';
import { roomForNote } from '../desired/rules/remark.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Project, readProject } from '../files/project.ts';
import { KINDS } from '../model/kind.ts';
import { count, padEnd } from '../render/layout.ts';
import { jsonText, resultDocument } from '../render/result.ts';
import { painter } from '../render/style.ts';
import type { Io } from './io.ts';
import { type CommonOptions, chosenEnvironment } from './options.ts';
import { showDiagnostics } from './show-diagnostics.ts';

const OK = 0;
const INVALID = 3;

/** `tradeform validate`: reads and checks the project offline. Exit 0, or 3 where there is an error (DESIGN 1). */
export async function runValidate(options: CommonOptions, io: Io): Promise<number> {
  const project = await readProject({
    cwd: io.cwd,
    env: io.env,
    projectFile: options.project,
    environment: chosenEnvironment(options.environment, io.env),
  });
  const diagnostics = [...project.diagnostics, ...checkService(project)];
  const exitCode = diagnostics.some(({ severity }) => severity === 'error') ? INVALID : OK;
  if (options.output === 'json') {
    const manifests = Object.fromEntries(counts(project).map(({ kind, number }) => [kind, number]));
    const { settings, state } = project;
    const { manifestsDigest } = await import('../desired/digest.ts');
    io.stdout(
      jsonText({
        ...resultDocument('validate', exitCode, diagnostics),
        project: settings?.project ?? null,
        environment: settings?.environment ?? null,
        manifests,
        manifests_digest: state === undefined ? null : manifestsDigest(state),
        ...(options.verbose === true ? { notes: notes(project) } : {}),
      }),
    );
    return exitCode;
  }
  showDiagnostics(diagnostics, io, project.sources);
  if (exitCode === OK) io.stdout(summary(project, options, io));
  return exitCode;
}

/** What the schema cannot say of the base URL: the same check as before a connection. */
function checkService({ settings }: Project): readonly Diagnostic[] {
  if (settings?.baseUrl === undefined) return [];
  const check = checkBaseUrl(settings.baseUrl);
  if (check.ok) return [];
  return [
    {
      severity: 'error',
      code: 'base-url-invalid',
      message: `the base URL cannot be used: ${check.problem}`,
      ...(settings.baseUrlLocation === undefined ? {} : { location: settings.baseUrlLocation }),
    },
  ];
}

function counts({ manifests }: Project): readonly { kind: string; number: number }[] {
  return KINDS.map(({ manifestKind }) => ({
    kind: manifestKind,
    number: manifests.filter(({ kindName }) => kindName === manifestKind).length,
  })).filter(({ number }) => number > 0);
}

/** Characters that are left for the note of each task, in order of address. */
function notes({ settings, manifests }: Project): readonly { address: string; used: number; left: number }[] {
  if (settings === undefined) return [];
  return manifests
    .flatMap((manifest) => {
      const room = manifest.kind?.family === 'task' ? roomForNote(manifest, settings.project) : undefined;
      const used = manifest.text('spec', 'remark')?.length ?? 0;
      return room === undefined ? [] : [{ address: manifest.address ?? '', used, left: room - used }];
    })
    .sort((left, right) => (left.address < right.address ? -1 : 1));
}

function summary(project: Project, options: CommonOptions, io: Io): string {
  if (options.quiet === true) return '';
  const paint = painter(io.color.stdout);
  const lines = counts(project).map(({ kind, number }) => `${padEnd(kind, 20)}${String(number).padStart(5)}`);
  if (options.verbose === true) {
    const rows = notes(project).map(
      ({ address, used, left }) => `  ${padEnd(address, 46)} ${used} used, ${left} left`,
    );
    if (rows.length > 0) lines.push('', 'Characters of each remark:', ...rows);
  }
  const environment = project.settings?.environment == null ? '' : ` for ${project.settings.environment}`;
  const total = count(project.manifests.length, 'manifest');
  return `${[...lines, '', `${paint('add', 'OK')}  ${total}${environment}`].join('\n')}\n`;
}
