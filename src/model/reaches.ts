/** True where what `from` leads to, step by step, comes upon `sought`; `next` is what each leads to. */
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
