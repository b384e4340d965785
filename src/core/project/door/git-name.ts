/** Code points that HFS+ ignores in names, according to git. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
/** `.git`, and its short name on NTFS. There, points and spaces at the end and the name of a stream are not part of a name. */
const GIT_NAME = /^(?:\.git|git~1)[. ]*(?::.*)?$/is;

/**
 * True if a part of the path names a repository's own folder on some file system that git supports. The rules are those of git
 * for names in a commit. That folder holds the credential of a checkout, and hooks that git runs.
 */
export function hasGitName(path: string): boolean {
  return path.split(/[\\/]/).some((name) => GIT_NAME.test(name.replace(IGNORED, '')));
}
