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
  EMFILE: 'too many files are open',
  ENXIO: 'it is a socket or a device without a reader',
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'the address is not available',
  ELOOP: 'its symbolic links form a loop',
};

/** The code of a system error, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** A system error about a file: in our words for known codes, else its code, without Node's message, which contains absolute paths. */
export function systemWords(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return WORDS[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}
