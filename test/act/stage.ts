import type { ApplyResult } from '../../src/core/act/report.ts';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import { parseRemark } from '../../src/core/model/marker.ts';
import type { LiveState } from '../../src/core/model/resource.ts';
import type { PlanOptions } from '../../src/core/plan/input.ts';
import type { Api } from '../../src/core/ports/api.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import { type HttpRequest, type Transport, TransportError } from '../../src/core/ports/transport.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import type { Sandbox, StoredEdit } from '../../src/sandbox/sandbox.ts';
import { keepingVersion, withoutVersion, writeVersions } from '../support/versions.ts';
import { createWorld, type Over } from '../support/world.ts';

/** What befalls one request of an apply. */
export type Blow = 'lost-before' | 'lost-after' | 'crash-before' | 'crash-after';

/** Called before each request of the apply, counted from 0: acts upon the sandbox, or strikes the request. */
export type Meddler = (index: number, request: HttpRequest) => Blow | undefined | Promise<Blow | undefined>;

export interface Stage {
  readonly sandbox: Sandbox;
  /** Faults strike the readings of the labels before a start as well. */
  strikesFreeze: boolean;
  /** A client of its own, past the meddler, for tests that change answers. */
  api(): Api;
  read(): Promise<LiveState>;
  plan(desired: DesiredState, options?: Partial<PlanOptions>): Promise<Plan>;
  /** 'crashed' where the meddler killed the client. */
  apply(plan: Plan, meddler?: Meddler, over?: Over): Promise<ApplyResult | 'crashed'>;
  /** The same for any work that sends requests. */
  run<Result>(
    work: (parts: { readonly api: Api; readonly clock: Clock }) => Promise<Result>,
    meddler?: Meddler,
  ): Promise<Result | 'crashed'>;
  /** Requests of the last apply, not of one that a meddler runs within it. */
  readonly requests: readonly HttpRequest[];
  /** A stored task, its marker without the version: a second plan that is empty says that the version is right. */
  task(id: string): StoredTask | undefined;
  /** What somebody else writes, past the meddler; a remark keeps the version in the marker. */
  edit(id: string, edit: StoredEdit): void;
  /** A request of somebody else, past the meddler. */
  outside(method: HttpRequest['method'], path: string, body?: JsonObject, key?: string): Promise<void>;
  /** The same of the tasks whose marker names this project, or what it was called before, and name. */
  owned(name: string): readonly StoredTask[];
}

/** A world in which every request of the executor is in the test's hands. */
export function createStage(account: SeedAccount, choices: Partial<Choices> = {}): Stage {
  const world = createWorld(account, choices);
  const { sandbox, clock, transport: inner } = world;
  let requests: HttpRequest[] = [];
  let busy = false;
  let planned = false;
  const stage: Stage = {
    sandbox,
    strikesFreeze: false,
    get requests() {
      return requests;
    },
    api: () => world.api(),
    read: () => world.read(),
    plan: async (desired, options) => {
      // As an apply of the same manifests left them.
      if (!planned) writeVersions(sandbox, desired);
      planned = true;
      // Whatever project desk has is taken over where the manifests mean it.
      const desk = [...sandbox.state.tasks.values()].some(({ remark }) => remark.includes('[git:desk/'));
      return world.plan(desired, { ...(desk ? { takeOver: ['desk'] } : {}), ...options });
    },
    apply: (plan, meddler, over) =>
      stage.run((parts) => world.apply(plan, { concurrency: 1, ...parts, ...over }), meddler),
    run: async (work, meddler = () => undefined) => {
      const seen: HttpRequest[] = [];
      const outermost = !busy;
      if (outermost) requests = seen;
      busy = true;
      let dead = false;
      let createsLabel = false;
      let crash: () => void = () => undefined;
      const crashed = new Promise<'crashed'>((resolve) => {
        crash = () => resolve('crashed');
      });
      const die = () => {
        dead = true;
        crash();
        return new Promise<never>(() => undefined);
      };
      const transport: Transport = {
        send: async (request) => {
          if (dead) return new Promise(() => undefined);
          // Tests name requests by their place. What an apply reads before a start has none.
          createsLabel ||= request.method === 'POST' && request.path === '/labels';
          if (!createsLabel && request.method === 'GET' && /^\/labels(?:\?|$)/.test(request.path))
            return stage.strikesFreeze ? inner.send(request) : sandbox.request(request);
          const index = seen.length;
          seen.push(request);
          const blow = await meddler(index, request);
          if (blow === 'lost-before') throw new TransportError('lost', 'reset');
          if (blow === 'crash-before') return die();
          const answer = await inner.send(request);
          if (blow === 'lost-after') throw new TransportError('lost', 'reset');
          return blow === 'crash-after' ? die() : answer;
        },
        close: () => Promise.resolve(),
      };
      const end = await Promise.race([work({ api: world.api(transport), clock }), crashed]);
      if (outermost) busy = false;
      return end;
    },
    outside: async (method, path, body, key) => {
      await inner.send({
        method,
        path,
        headers: key === undefined ? {} : { 'idempotency-key': key },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    },
    task: (id) => {
      const stored = sandbox.state.tasks.get(id);
      return stored && shown(stored);
    },
    edit: (id, { remark, ...edit }) => {
      const stored = sandbox.state.tasks.get(id)?.remark ?? '';
      const kept = remark === undefined ? {} : { remark: keepingVersion(remark, stored) };
      sandbox.editStored(id, { ...edit, ...kept });
    },
    owned: (name) =>
      [...sandbox.state.tasks.values()]
        .filter(({ remark }) => {
          const parsed = parseRemark(remark);
          if (parsed.type !== 'marked') return false;
          return ['core', 'was'].includes(parsed.marker.project) && parsed.marker.name === name;
        })
        .map(shown),
  };
  return stage;
}

function shown(task: StoredTask): StoredTask {
  return { ...task, remark: withoutVersion(task.remark) };
}

/** Applies anew, undisturbed, until a plan has nothing to do. Throws where that does not come. */
export async function heal(stage: Stage, desired: DesiredState, rounds = 3): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const plan = await stage.plan(desired, { allowEmpty: true });
    if (plan.operations.length === 0) return plans;
    plans.push(plan);
    await stage.apply(plan);
  }
  const plan = await stage.plan(desired, { allowEmpty: true });
  if (plan.operations.length > 0) {
    throw new Error(`still to do: ${plan.operations.map(({ id, verb }) => `${id} ${verb}`).join(', ')}`);
  }
  return plans;
}
