import { relative, resolve } from 'node:path';
import type { Io } from '../core/command/io.ts';
import type { CommonOptions } from '../core/command/options.ts';
import { presentAnswer } from '../core/command/output/present.ts';
import { showDiagnostics } from '../core/command/show-diagnostics.ts';
import { writeProjectFile } from '../core/command/unwritten.ts';
import { CommandFailure, type Diagnostic, warning } from '../core/diagnostics/diagnostic.ts';
import { formatManifests } from '../core/manifest/format.ts';
import type { Source } from '../core/manifest/source.ts';
import { readProjectFiles } from '../core/project/project.ts';
import { readNamed } from '../core/project/read-file.ts';
import { visible } from '../core/render/untrusted.ts';

interface FmtOptions extends CommonOptions {
  /** Write nothing, and end with 2 if a file is not in its canonical form. */
  readonly check?: boolean;
}

/**
 * `tradeform fmt [FILE...]`: writes manifests in their canonical form. Without a file name it formats the whole project. Prints
 * the files that change. Returns the exit code: with `--check` 2 if any would change, else 0. If a file has errors, the command
 * fails (exit 3) before it writes anything.
 */
export async function runFmt(files: readonly string[], options: FmtOptions, io: Io): Promise<number> {
  const { folder, found, diagnostics } = files.length === 0 ? ofProject(options, io) : named(files, io);
  const problems = [...diagnostics];
  const changed = new Map<Source, string>();
  const left: Diagnostic[] = [];
  const sources = new Map<string, string>();
  for (const result of found) {
    if ('diagnostic' in result) {
      problems.push(result.diagnostic);
      continue;
    }
    const { source } = result;
    sources.set(source.file, source.text);
    const formatted = formatManifests(source.file, source.text);
    if ('diagnostics' in formatted) problems.push(...formatted.diagnostics);
    else if ('left' in formatted) left.push(notKept(source.file));
    else if (formatted.text !== source.text) changed.set(source, formatted.text);
  }
  if (problems.length > 0) throw new CommandFailure(3, problems, sources);
  const exitCode = options.check === true && changed.size > 0 ? 2 : 0;
  const names: string[] = [];
  for (const [{ file: name }, text] of changed) {
    const path = resolve(folder, name);
    if (options.check !== true) await writeProjectFile({ path, text, name });
    names.push(visible(relative(io.cwd, path)));
  }
  await presentAnswer(
    { command: 'fmt', exitCode, diagnostics: left, changed: names },
    (shown) => shown.changed.map((name) => `${name}\n`).join(''),
    options,
    io,
  );
  if (options.output !== 'json') showDiagnostics(left, io, sources);
  return exitCode;
}

function ofProject({ project }: FmtOptions, { cwd, env }: Io) {
  const { projectDir, files, diagnostics } = readProjectFiles({ cwd, env, projectFile: project });
  return { folder: projectDir, found: files, diagnostics };
}

function named(files: readonly string[], io: Io) {
  const found = [...new Set(files)].map((file) => readNamed(resolve(io.cwd, file), file));
  return { folder: io.cwd, found, diagnostics: [] };
}

function notKept(file: string): Diagnostic {
  const message = `${file} is not changed: its canonical form would lose a comment`;
  return warning('format-left', message, 'move the comment to its own line above its field', {
    location: { file, line: 1, column: 1 },
  });
}
