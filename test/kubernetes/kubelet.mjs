// The pods of one namespace as a kubelet runs them, with `Pod` (pod.mjs) in place of containers.
import { Pod } from './pod.mjs';

export class Kubelet {
  #api;
  #claims;
  #namespace;
  /** Name → the pod that runs. */
  #running = new Map();
  #stopped = false;
  #loop;
  /** While it is set no pod begins, as on a node without room. */
  full = false;
  /** By the names of pods that have ended: what they printed, and the exit codes of their containers. */
  outputs = new Map();
  codes = new Map();

  constructor({ api }, { namespace, claims }) {
    this.#api = api;
    this.#claims = claims;
    this.#namespace = namespace;
    this.#loop = this.#work();
  }

  async stop() {
    this.#stopped = true;
    for (const { pod } of this.#running.values()) pod.kill('SIGKILL');
    await this.#loop;
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  /** As the kernel does it, without a word to anybody. */
  kill(name) {
    this.#running.get(name)?.pod.kill('SIGKILL');
  }

  /** As a node that is drained: the pod learns that it is disrupted, and gets SIGTERM. */
  async drain(name) {
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' };
    await this.#patch(name, { conditions: [condition] });
    await this.#api('DELETE', this.#path(name));
  }

  #path(name = '') {
    return `/api/v1/namespaces/${this.#namespace}/pods/${name}`;
  }

  async #work() {
    while (!this.#stopped) {
      const { items } = await this.#api('GET', this.#path());
      for (const item of items) {
        const { name, deletionTimestamp } = item.metadata;
        const own = this.#running.get(name);
        if (
          own === undefined &&
          !this.full &&
          item.status.phase === 'Pending' &&
          deletionTimestamp === undefined
        ) {
          await this.#begin(item);
        } else if (own !== undefined && deletionTimestamp !== undefined && !own.told) {
          own.told = true;
          own.pod.kill('SIGTERM');
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async #begin(item) {
    const { name } = item.metadata;
    await this.#api('POST', `${this.#path(name)}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { kind: 'Node', name: 'one' },
    });
    const texts = new Map();
    for (const { configMap, secret } of item.spec.volumes) {
      const [kind, source] = configMap ? ['configmaps', configMap.name] : ['secrets', secret?.secretName];
      if (source === undefined) continue;
      const { data = {} } = await this.#api('GET', `/api/v1/namespaces/${this.#namespace}/${kind}/${source}`);
      const decoded = Object.entries(data).map(([key, text]) => [
        key,
        kind === 'secrets' ? Buffer.from(text, 'base64').toString() : text,
      ]);
      texts.set(`${kind}/${source}`, Object.fromEntries(decoded));
    }
    const files = (kind, source) => texts.get(`${kind}/${source}`);
    const pod = new Pod(item, { files, claims: this.#claims });
    await this.#patch(name, { phase: 'Running' });
    const ended = pod.run().then((codes) => this.#end(item, pod, codes));
    this.#running.set(name, { pod, ended, told: false });
  }

  async #end(item, pod, codes) {
    const { name } = item.metadata;
    this.outputs.set(name, pod.output);
    this.codes.set(name, codes);
    const phase = Object.values(codes).every((code) => code === 0) ? 'Succeeded' : 'Failed';
    const states = (containers) =>
      (containers ?? [])
        .filter((container) => container.name in codes)
        .map((container) => ({
          name: container.name,
          image: container.image,
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode: codes[container.name] } },
        }));
    await this.#patch(name, {
      phase,
      containerStatuses: states(item.spec.containers),
      initContainerStatuses: states(item.spec.initContainers),
    });
    if (this.#running.get(name)?.told) await this.#api('DELETE', `${this.#path(name)}?gracePeriodSeconds=0`);
  }

  #patch(name, status) {
    return this.#api('PATCH', `${this.#path(name)}/status`, { status }, 'application/merge-patch+json');
  }
}
