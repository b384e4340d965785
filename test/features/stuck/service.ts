import { vi } from 'vitest';
import { SYSTEM_CLOCK } from '../../../src/core/command/clock.ts';
import { parseRemark } from '../../../src/core/model/marker.ts';
import type { StoredTask } from '../../../src/sandbox/records.ts';
import type { SandboxRequest } from '../../../src/sandbox/request.ts';
import type { Sandbox, StoredEdit } from '../../../src/sandbox/sandbox.ts';
import { onRequest } from '../../support/requests.ts';

/** What is on the service, and what others do there. */
export class Service {
  readonly sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
    this.hurry();
  }

  /** Whoever waits goes ahead in time, and the service with them: no walk takes longer than its requests. */
  private hurry(): void {
    let ahead = 0;
    vi.spyOn(SYSTEM_CLOCK, 'now').mockImplementation(() => Date.now() + ahead);
    vi.spyOn(SYSTEM_CLOCK, 'sleep').mockImplementation((ms) => {
      ahead += ms;
      this.sandbox.advance(ms);
      return Promise.resolve();
    });
  }

  /** The only task with this name in its marker. */
  task(name: string): StoredTask {
    const found = this.tasks().filter(({ remark }) => new RegExp(`/${name}[@.#~\\]]`).test(remark));
    const [task] = found;
    if (task === undefined || found.length > 1) throw new Error(`${found.length} tasks are called ${name}`);
    return task;
  }

  tasks(): readonly StoredTask[] {
    return [...this.sandbox.state.tasks.values()];
  }

  /** What somebody does in the web application. */
  edit(name: string, change: StoredEdit): void {
    this.sandbox.editStored(this.task(name).id, change);
  }

  /** The web application's "duplicate": the same in everything but the id. Returns that. */
  clone(name: string, over: Partial<StoredTask> = {}): string {
    const id = `c10e0000-0000-4000-8000-${String(this.tasks().length).padStart(12, '0')}`;
    this.sandbox.apply([{ type: 'task', record: { ...this.task(name), id, ...over } }]);
    return id;
  }

  /** Somebody, or something, that acts right before each request is served, until `calm`. */
  before(act: (request: Pick<SandboxRequest, 'method' | 'path'>) => void): void {
    const end = onRequest(this.sandbox, act);
    this.calm = () => {
      end();
      this.sandbox.faults.clear();
    };
  }

  /** Nobody else is at the service any more, and it works. */
  calm: () => void = () => this.sandbox.faults.clear();

  remove(id: string): void {
    this.sandbox.apply([{ type: 'task-removed', id }]);
  }

  /** Who owns each task and whether it runs, in order; of the `held` ids that it is held. */
  switches(held: readonly (string | null)[]): readonly string[] {
    return this.tasks()
      .map(({ id, remark, is_active }) => {
        const state = is_active ? 'runs' : held.includes(id) ? 'held' : 'paused';
        return `${ownerOf(remark)} ${state}`;
      })
      .sort();
  }
}

function ownerOf(text: string): string {
  const remark = parseRemark(text);
  if (remark.type === 'plain') return 'unmanaged';
  return remark.type === 'damaged' ? 'damaged' : `${remark.marker.project}/${remark.marker.name}`;
}
