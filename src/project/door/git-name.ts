/** Code points that HFS+ leaves out of names, as git counts them. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
/** `.git`, and its short name on NTFS; dots and spaces at the end, and the name of a stream, are not part of a name there. */
const GIT_NAME = /^(?:\.git|git~1)[. ]*(?::.*)?$/is;

/**
 * True where a part of the path names a repository's own folder on some file system that git runs on, by the rules that git
 * itself has for names in a commit. That folder holds the credential that checkouts keep, and hooks that git runs.
 */
export function hasGitName(path: string): boolean {
  return path.split(/[\\/]/).some((name) => GIT_NAME.test(name.replace(IGNORED, '')));
}
