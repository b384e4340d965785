/** The commands with which git keeps what a rollback to a revision did. */
export function revertText(revision: string): readonly [string, string] {
  return [`\`git revert --no-edit -m 1 --first-parent ${revision}..HEAD\``, '`git push`'];
}
