import type { Location } from '../../diagnostics/diagnostic.ts';
import type { FindingsDocument, FormatFinding, ProjectRoot } from './finding.ts';

const AT_ROOT: ProjectRoot = { folder: '', projectFile: 'tradeform.yaml' };

/** The path of a project file from the root of its repository. */
function pathFromRoot(file: string, { folder }: ProjectRoot): string {
  return folder === '' ? file : `${folder}/${file}`;
}

/** The place of a finding, from the root of the repository. */
export function placeFromRoot(
  { location }: Pick<FormatFinding, 'location'>,
  { root = AT_ROOT }: Pick<FindingsDocument, 'root'>,
): Location | undefined {
  return location === undefined ? undefined : { ...location, file: pathFromRoot(location.file, root) };
}

/** Like `placeFromRoot`, for formats that require a place. Without one it is the start of the project file. */
export function someplace(
  finding: Pick<FormatFinding, 'location'>,
  document: Pick<FindingsDocument, 'root'>,
): Location {
  const { root = AT_ROOT } = document;
  return (
    placeFromRoot(finding, document) ?? { file: pathFromRoot(root.projectFile, root), line: 1, column: 1 }
  );
}
