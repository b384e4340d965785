const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the name is too long',
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'the address is not available',
  ELOOP: 'its symbolic links form a loop',
};

/** A system error about a file: in our words for known codes, else in the system's own words. */
export function systemWords(error: unknown): string {
  if (error instanceof Error && 'code' in error) {
    const code = String(error.code);
    return WORDS[code] ?? code;
  }
  return error instanceof Error ? error.message : String(error);
}
