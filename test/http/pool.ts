/** Works through the cases with one worker a resource. The first failure ends it, once nobody is at work any more. */
export async function inPools<Case, Resource>(
  cases: readonly Case[],
  resources: readonly Resource[],
  work: (each: Case, resource: Resource) => Promise<void>,
): Promise<void> {
  const open = [...cases].reverse();
  const workers = resources.map(async (resource) => {
    try {
      for (let each = open.pop(); each !== undefined; each = open.pop()) await work(each, resource);
    } finally {
      open.length = 0;
    }
  });
  for (const result of await Promise.allSettled(workers)) {
    if (result.status === 'rejected') throw result.reason;
  }
}
