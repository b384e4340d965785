import type { HttpRequest } from '../../src/core/ports/transport.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import type { Client } from './client.ts';
import type { ActionKind, Disturbance } from './kinds.ts';
import { markOf } from './marks.ts';
import type { Network } from './network.ts';
import { DEEDS, type Deed } from './people.ts';
import { subjectOf } from './requests.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';
import type { World } from './world.ts';

const HOUR = 3_600_000;

export interface OthersParts {
  readonly world: World;
  readonly timeline: Timeline;
  readonly network: Network;
  readonly trace: Trace;
  /** Starts another runner, with the same manifests or another revision; resolves when it has ended. */
  readonly runner: (revision: 'same' | 'other') => Promise<void>;
}

/** Everybody else: people in the web application, other runners, and the machine itself. */
export class Others {
  /** Other runners that work beside a watched one. */
  readonly running: Promise<void>[] = [];
  private readonly parts: OthersParts;

  constructor(parts: OthersParts) {
    this.parts = parts;
  }

  async act(disturbance: Disturbance, kind: ActionKind, client: Client, request: HttpRequest): Promise<void> {
    const { world, network, timeline, runner } = this.parts;
    switch (kind) {
      case 'runner-same':
      case 'runner-other':
      case 'runner-same-mixed':
      case 'runner-other-mixed': {
        network.fire(disturbance, request);
        const running = runner(kind.startsWith('runner-same') ? 'same' : 'other');
        // Nothing stays on its way until the machines wake up.
        if (kind.endsWith('-mixed') || timeline.asleep) {
          this.running.push(running);
          return;
        }
        client.frozen = true;
        await running;
        client.frozen = false;
        return;
      }
      case 'rotate':
        network.fire(disturbance, request);
        world.sandbox.rotate(world.token.split('.')[0] ?? '');
        return;
      case 'day':
        network.fire(disturbance, request);
        await network.deliverAll();
        timeline.sleep(25 * HOUR);
        return;
      default:
        this.deed(disturbance, kind, request);
    }
  }

  private deed(disturbance: Disturbance, kind: Deed, request: HttpRequest): void {
    const { world, network, trace } = this.parts;
    const { pick } = disturbance;
    const task = this.target(request, pick);
    if (task === undefined) return;
    const { sandbox, ledger, newId } = world;
    const done = world.by({ type: kind === 'fire' ? 'fire' : 'person' }, () =>
      DEEDS[kind](task, { sandbox, ledger, newId, pick }),
    );
    if (!done) return;
    network.fire(disturbance, request);
    trace.note(`  ${kind} ${task.id}`);
  }

  /** The task that the request is about; of others the one that `pick` chooses, our own first. */
  private target(request: HttpRequest, pick: number): StoredTask | undefined {
    const { tasks } = this.parts.world.sandbox.state;
    const subject = tasks.get(subjectOf(request) ?? '');
    if (subject !== undefined && pick < 2) return subject;
    const rank = ({ remark }: StoredTask) => (markOf(remark) === undefined ? 1 : 0);
    const all = [...tasks.values()].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
    return all[Math.floor(pick / 2) % Math.max(1, all.length)];
  }
}
