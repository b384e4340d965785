// Runs the containers of a pod as a kubelet would, as processes of this machine: volumes are folders, and the paths at which they
// are mounted are replaced in commands, environment and the texts of ConfigMaps.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../dist/tradeform.cjs', import.meta.url));
const INDEX = 'batch.kubernetes.io/job-completion-index';

/** What a container ended with: as a container runtime gives it, 128 and the number of the signal where it was killed. */
const SIGNALS = { SIGKILL: 137, SIGTERM: 143 };

export class Pod {
  /** Everything that the containers printed. */
  output = '';
  #folder = mkdtempSync(join(tmpdir(), 'tradeform-pod-'));
  #pod;
  #files;
  #claims;
  #child;
  #killed = false;

  /**
   * `files`: the texts of ConfigMaps and Secrets by their names; `claims`: the folder in which claims are folders; `programs`: shell
   * scripts that the image has beside tradeform, by their names.
   */
  constructor(pod, { files, claims, programs = {} }) {
    this.#pod = pod;
    this.#files = files;
    this.#claims = claims;
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    const own = { tradeform: `exec "${process.execPath}" "${PROGRAM}" "$@"\n` };
    for (const [name, text] of Object.entries({ ...programs, ...own })) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}`);
      chmodSync(join(bin, name), 0o755);
    }
    for (const volume of pod.spec.volumes ?? []) this.#makeVolume(volume);
  }

  /** Resolves with the exit codes of the containers that were run, by their names, in order; the first that is not 0 is the last. */
  async run() {
    const { initContainers = [], containers } = this.#pod.spec;
    const ended = {};
    for (const container of [...initContainers, ...containers]) {
      ended[container.name] = this.#killed ? 137 : await this.#runContainer(container);
      if (ended[container.name] !== 0) break;
    }
    rmSync(this.#folder, { recursive: true, force: true });
    return ended;
  }

  /** SIGTERM reaches the first process of a container, SIGKILL all. */
  kill(signal) {
    this.#killed ||= signal === 'SIGKILL';
    const pid = this.#child?.pid;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    process.kill(signal === 'SIGKILL' ? -pid : pid, signal);
  }

  async #runContainer(container) {
    const places = this.#placesOf(container);
    const near = seenFrom(this.#folder, places);
    const words = [...container.command, ...(container.args ?? [])];
    const [file, ...args] = words.map((word) => replacePaths(word, near));
    const env = Object.fromEntries(
      (container.env ?? []).map(({ name, value, valueFrom }) => [
        name,
        value === undefined ? this.#field(valueFrom.fieldRef.fieldPath) : replacePaths(value, places),
      ]),
    );
    const index = this.#pod.metadata.annotations?.[INDEX];
    // Added to every container by the Job controller; a pod that was not made by it has only the annotation.
    if (index !== undefined) env.JOB_COMPLETION_INDEX = index;
    env.PATH = `${join(this.#folder, 'bin')}:${process.env.PATH}`;
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(file, args, { cwd: this.#folder, env, detached: true, stdio });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        this.output += text;
      });
    const [code, signal] = await once(child, 'close');
    return code ?? SIGNALS[signal] ?? 1;
  }

  /** `metadata.labels['x']`, as the downward API has it. */
  #field(path) {
    const [, field, key] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
    return this.#pod.metadata[field]?.[key] ?? '';
  }

  #placesOf({ volumeMounts }) {
    return new Map(volumeMounts.map(({ name, mountPath }) => [mountPath, this.#place(name)]));
  }

  #place(name) {
    const claim = this.#pod.spec.volumes.find((volume) => volume.name === name)?.persistentVolumeClaim;
    return claim === undefined ? join(this.#folder, name) : join(this.#claims, claim.claimName);
  }

  /** As a kubelet writes them: each key is a link through `..data`. */
  #makeVolume({ name, configMap, secret }) {
    const place = this.#place(name);
    mkdirSync(place, { recursive: true });
    const source = configMap?.name ?? secret?.secretName;
    if (source === undefined) return;
    const texts = this.#files(configMap === undefined ? 'secrets' : 'configmaps', source);
    mkdirSync(join(place, '..2026'));
    symlinkSync('..2026', join(place, '..data'));
    const places = seenFrom(place, this.#placesOf(this.#pod.spec.containers[0]));
    for (const [key, text] of Object.entries(texts)) {
      // With fsGroup the group of the pod may read it.
      const mode = (secret?.defaultMode ?? 0o644) | 0o440;
      writeFileSync(join(place, '..2026', key), configMap ? replacePaths(text, places) : text, { mode });
      symlinkSync(join('..data', key), join(place, key));
    }
  }
}

/** Relative: the same in all pods, as the paths of containers are. */
function seenFrom(folder, places) {
  return new Map([...places].map(([path, place]) => [path, relative(folder, place)]));
}

/** In one pass: what was put in is not replaced again. Longer paths go first. */
function replacePaths(text, places) {
  const paths = [...places.keys()]
    .sort((a, b) => b.length - a.length)
    .map((path) => path.replace('.', '\\.'));
  if (paths.length === 0) return text;
  const pattern = new RegExp(`(?<![\\w./-])(?:${paths.join('|')})(?![\\w.-])`, 'g');
  return text.replaceAll(pattern, (path) => places.get(path));
}

/** The pod that a Job makes for one of its indexes. */
export function podOf(job, index) {
  const { metadata = {}, spec } = job.spec.template;
  const labels = {
    'batch.kubernetes.io/job-name': job.metadata.name,
    'batch.kubernetes.io/controller-uid': 'uid',
  };
  return {
    metadata: { labels: { ...metadata.labels, ...labels }, annotations: { [INDEX]: String(index) } },
    spec,
  };
}
