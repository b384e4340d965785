import type { HttpRequest, HttpResponse } from '../../src/core/ports/transport.ts';
import {
  failed,
  LOST,
  outdated,
  ruledOut,
  throttled,
  truncated,
  UNSENT,
  unavailable,
  webPage,
} from './answers.ts';
import type { Seen, Strike } from './case.ts';
import type { Client, Send } from './client.ts';
import { type ActionKind, type Disturbance, type FaultKind, isFault } from './kinds.ts';
import type { Dice } from './random.ts';
import { isList, isWrite } from './requests.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';
import type { World } from './world.ts';

/** A request that arrives when so many others have. */
interface Letter {
  readonly client: Client;
  readonly request: HttpRequest;
  after: number;
}

const ONLY_WRITES: ReadonlySet<FaultKind> = new Set(['late', 'twice', 'twice-later', 'refused']);

export interface NetworkParts {
  readonly world: World;
  readonly timeline: Timeline;
  readonly dice: Dice;
  readonly trace: Trace;
  readonly disturbances: readonly Disturbance[];
  /** Told of every request as it is sent. */
  readonly sending: (client: Client, request: HttpRequest) => void;
  /** Somebody does something right before a request arrives. */
  readonly act: (
    disturbance: Disturbance,
    kind: ActionKind,
    client: Client,
    request: HttpRequest,
  ) => Promise<void>;
}

/** What lies between the clients and the service: it takes time, and at some requests it fails. */
export class Network {
  readonly fired: Strike[] = [];
  /** Requests of watched clients as they arrived. */
  readonly requests: Seen[] = [];
  /** Disturbances whose request has not come yet. */
  readonly pending: Disturbance[];
  private readonly late: Letter[] = [];
  private readonly parts: NetworkParts;

  constructor(parts: NetworkParts) {
    this.parts = parts;
    this.pending = [...parts.disturbances];
  }

  readonly send: Send = (client, request) =>
    new Promise((resolve, reject) => {
      const { timeline, dice, sending } = this.parts;
      sending(client, request);
      // What has been sent arrives, even if its sender dies meanwhile.
      const envelope = {
        dead: false,
        sleeps: false,
        get frozen() {
          return client.frozen;
        },
      };
      const back = (happen: () => void) => timeline.after(5 + dice.below(20), client, happen);
      timeline.after(5 + dice.below(20), envelope, () => {
        this.arrive(client, request).then(
          (answer) => back(() => this.deliver(client, request, answer, resolve)),
          (error: unknown) => {
            this.unclear(client, request);
            back(() => reject(error));
          },
        );
      });
    });

  /** All that is still on its way arrives. */
  async deliverAll(): Promise<void> {
    for (const { client, request } of this.late.splice(0)) await this.parts.world.serve(client, request);
  }

  fire(disturbance: Disturbance, { path }: HttpRequest): void {
    this.fired.push({ ...disturbance, path });
    this.parts.trace.note(`! ${disturbance.kind} (${disturbance.pick})`);
  }

  private deliver(
    client: Client,
    request: HttpRequest,
    answer: HttpResponse,
    resolve: (answer: HttpResponse) => void,
  ): void {
    this.parts.trace.note(`  ${client.name} ← ${answer.status}`, answer.body);
    client.learn(request, answer);
    resolve(answer);
  }

  private async arrive(client: Client, request: HttpRequest): Promise<HttpResponse> {
    const { world, act } = this.parts;
    await this.deliverLate();
    if (!client.watched || client.dead) return world.serve(client, request);
    const index = this.requests.length;
    this.requests.push({ method: request.method, path: request.path });
    const now = this.pending.filter(({ at }) => at === index);
    let fault: Disturbance | undefined;
    for (const disturbance of now) {
      this.pending.splice(this.pending.indexOf(disturbance), 1);
      if (isFault(disturbance.kind)) fault ??= disturbance;
      else await act(disturbance, disturbance.kind, client, request);
    }
    if (fault === undefined) return world.serve(client, request);
    return this.strike(fault, fault.kind as FaultKind, client, request);
  }

  private async strike(
    fault: Disturbance,
    kind: FaultKind,
    client: Client,
    request: HttpRequest,
  ): Promise<HttpResponse> {
    const { pick } = fault;
    const { timeline } = this.parts;
    const serve = () => this.parts.world.serve(client, request);
    if (ONLY_WRITES.has(kind) && !isWrite(request)) return serve();
    if (kind === 'stale') return this.stale(fault, client, request);
    this.fire(fault, request);
    switch (kind) {
      case 'crash-before':
        client.die();
        return new Promise(() => undefined);
      case 'crash-after':
        await serve();
        client.die();
        return new Promise(() => undefined);
      case 'lost-before':
        throw LOST();
      case 'lost-after':
        await serve();
        throw LOST();
      case 'unsent':
        throw UNSENT();
      case 'late':
        await this.post({ client, request, after: 1 + (pick % 4) });
        throw LOST();
      case 'twice': {
        const first = await serve();
        const second = await serve();
        return pick % 2 === 0 ? first : second;
      }
      case 'twice-later': {
        const answer = await serve();
        await this.post({ client, request, after: 1 + (pick % 4) });
        return answer;
      }
      case 'throttled':
        return throttled(pick);
      case 'throttled-after':
        await serve();
        this.unclear(client, request);
        return throttled(pick);
      case 'unavailable':
        return unavailable(timeline.now, pick);
      case 'unavailable-after':
        await serve();
        this.unclear(client, request);
        return unavailable(timeline.now, pick);
      case 'refused':
        return ruledOut(pick);
      case 'failed-before':
        this.unclear(client, request);
        return failed();
      case 'failed-after':
        await serve();
        this.unclear(client, request);
        return failed();
      case 'truncated':
        this.unclear(client, request);
        return truncated(await serve());
      case 'html-before':
        this.unclear(client, request);
        return webPage(request, 502);
      case 'html-after':
        await serve();
        this.unclear(client, request);
        return webPage(request, pick % 2 === 0 ? 200 : 504);
    }
  }

  private unclear(client: Client, request: HttpRequest): void {
    if (isWrite(request)) client.unclear.add(request.path);
  }

  private async stale(fault: Disturbance, client: Client, request: HttpRequest): Promise<HttpResponse> {
    const answer = await this.parts.world.serve(client, request);
    const older = isList(request) ? outdated(answer, fault.pick) : undefined;
    if (older === undefined) return answer;
    this.fire(fault, request);
    client.misled.add(request.path.split('/')[1] ?? '');
    return older;
  }

  /** Nothing stays on its way for a day. */
  private async post(letter: Letter): Promise<void> {
    if (this.parts.timeline.asleep) await this.parts.world.serve(letter.client, letter.request);
    else this.late.push(letter);
  }

  private async deliverLate(): Promise<void> {
    for (const letter of this.late) letter.after -= 1;
    for (const letter of this.late.filter(({ after }) => after <= 0)) {
      this.late.splice(this.late.indexOf(letter), 1);
      await this.parts.world.serve(letter.client, letter.request);
    }
  }
}
