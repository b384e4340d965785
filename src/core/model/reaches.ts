/** True if `sought` can be reached from `from`; `next` returns the direct successors of an id. */
export function reaches(from: string, sought: string, next: (id: string) => readonly string[]): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === sought) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...next(id));
  }
  return false;
}
