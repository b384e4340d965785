import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../examples/program.ts';
import { openDesk } from './desk.mjs';
import { type JobManifest, Pod, podOf } from './pod.mjs';

// Programs are started; the machine may be busy.
vi.setConfig({ testTimeout: 180_000 });

/** What can be held without a cluster; `npm run test:kubernetes` has the rest. */
const documents = ['drift.yaml', 'apply.yaml'].flatMap((name) =>
  parseAllDocuments(readFileSync(join(ROOT, 'deploy/kubernetes/manifests', name), 'utf8')),
);
const manifests = documents.map((document) => document.toJS());
const cronJob = manifests.find(({ kind }) => kind === 'CronJob');
const apply: JobManifest = manifests.find(({ kind }) => kind === 'Job');
const drift: JobManifest = { kind: 'Job', metadata: { name: 'drift' }, spec: cronJob?.spec.jobTemplate.spec };

test('each document is unambiguous YAML of an expected kind', () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual([
    'NetworkPolicy tradeform/tradeform',
    'PersistentVolumeClaim tradeform/tradeform-results',
    'CronJob tradeform/tradeform-drift',
    'Job tradeform/tradeform-apply',
  ]);
  expect(cronJob.spec.concurrencyPolicy).toBe('Forbid');
});

test('nothing connects to the pods, and they connect to no metadata service', () => {
  const { spec } = manifests.find(({ kind }) => kind === 'NetworkPolicy');
  expect([spec.policyTypes, spec.ingress]).toEqual([['Ingress', 'Egress'], undefined]);
  expect(spec.podSelector.matchLabels).toEqual(cronJob.spec.jobTemplate.spec.template.metadata.labels);
  expect(JSON.stringify(spec.egress)).toContain('"except":["169.254.0.0/16"]');
});

describe.each([
  ['drift', drift],
  ['apply', apply],
])('the Job of %s', (_name, job) => {
  const pod = job.spec.template.spec;
  const containers = [...pod.initContainers, ...pod.containers];

  test('runs its shards one pod at a time, and restarts them only after a kill', () => {
    expect(job.spec).toMatchObject({
      completionMode: 'Indexed',
      completions: 5,
      parallelism: 5,
      backoffLimitPerIndex: 2,
      podReplacementPolicy: 'Failed',
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          { action: 'FailIndex', onExitCodes: { containerName: 'tradeform', values: [1, 2, 3, 4] } },
        ],
      },
    });
    // The longest settle by default, and two requests.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(60 + 2 * 60);
  });

  test('has only the permissions that it needs', () => {
    expect(pod).toMatchObject({ automountServiceAccountToken: false, restartPolicy: 'Never' });
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const { securityContext, resources } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources.limits).toHaveProperty('memory');
    }
    const places = containers.map(({ name, volumeMounts }) => [
      name,
      volumeMounts.map((mount) => mount.name),
    ]);
    expect(places).toEqual([
      ['git', ['work', 'tmp', 'git']],
      ['tradeform', ['work', 'tmp', 'fleet', 'tokens', 'results']],
    ]);
    const writable = pod.containers[0].volumeMounts.filter(({ readOnly }) => readOnly !== true);
    expect(writable.map(({ name }) => name)).toEqual(['tmp', 'results']);
    expect(JSON.stringify(containers)).not.toMatch(/TRADEFORM_TOKEN|svc_live_|secretKeyRef/);
  });
});

describe('the commands of the pods', () => {
  const old = new Date(Date.now() - 40 * 24 * 3_600_000);
  /** Folders of the volume: of a Job that is long over, and of nobody's business. */
  const [expired, others] = ['drift.0a1b2c3d-1111-2222-3333-444455556666', 'lost+found'];

  const claims = mkdtempSync(join(tmpdir(), 'tradeform-claims-'));
  let desk: Awaited<ReturnType<typeof openDesk>> | undefined;
  afterAll(async () => {
    await desk?.close();
    rmSync(claims, { recursive: true, force: true });
  });

  test('clone, apply and check for drift in shards, and merge them to one report', async () => {
    desk = await openDesk(6);
    const { names, repository, commit, fleet, tokens } = desk;
    const files = (kind: 'configmaps' | 'secrets', name: string) => {
      if (kind === 'configmaps') return { 'fleet.yaml': fleet };
      return name === 'tradeform-tokens'
        ? tokens
        : { 'ssh-privatekey': 'the deploy key', known_hosts: 'git' };
    };
    // Serves the repository to who shows the deploy key and asks for a server that is known.
    const strictly = '-o IdentitiesOnly=yes -o StrictHostKeyChecking=yes -o UserKnownHostsFile=';
    const ssh = `
case "$*" in *'${strictly}'*"git@git.example.com git-upload-pack 'desk/manifests.git'") ;; *) echo "$*" >&2; exit 1 ;; esac
[ "$1 $(cat "$2")" = '-i the deploy key' ] && exec git upload-pack '${new URL(repository).pathname}'
`;
    const results = join(claims, 'tradeform-results');
    for (const name of [expired, others]) {
      mkdirSync(join(results, name), { recursive: true });
      utimesSync(join(results, name), old, old);
    }
    // Some volumes have folders that nobody can delete.
    const find = `PATH="\${PATH#*:}" find "$@"; exit 1\n`;
    const run = async (job: JobManifest) => {
      for (const container of job.spec.template.spec.initContainers) {
        const isPlaceholder = ({ value = '' }) => /^0{40}$/.test(value);
        container.env = container.env.map((one) => (isPlaceholder(one) ? { ...one, value: commit } : one));
      }
      const indexes = Array.from({ length: job.spec.completions }, (_item, index) => index);
      const pods = indexes.map(
        (index) => new Pod(podOf(job, index), { files, claims, programs: { ssh, find } }),
      );
      const ended = await Promise.all(pods.map((pod) => pod.run()));
      const said = pods.map(({ output }) => output).join('\n');
      expect(ended, said).toEqual(indexes.map(() => ({ git: 0, tradeform: 0 })));
      for (const token of Object.values(tokens)) expect(said).not.toContain(token.split('.')[1]);
      const file = join(claims, 'tradeform-results', `${job.metadata.name}.uid`, 'fleet.json');
      return JSON.parse(readFileSync(file, 'utf8'));
    };
    for (const [command, job] of [
      ['apply', apply],
      ['drift', drift],
    ] as const) {
      expect(await run(job)).toMatchObject({
        command,
        exit_code: 0,
        summary: { units: names.length, ok: names.length },
      });
      const running = [...(await desk.tasks()).values()].map((tasks) =>
        tasks.map(({ is_active }) => is_active),
      );
      expect(running).toEqual(names.map(() => [true]));
    }
    // One shard stays interrupted until the deadline: the pod that merges is not run again.
    const file = join(results, 'drift.uid/shards/0.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^ {2}"exit_code": 0/m, '  "exit_code": 130'));
    const hasty = JSON.parse(JSON.stringify(drift).replace('+ 3600', '+ 1')) as JobManifest;
    const merging = new Pod(podOf(hasty, 4), { files, claims, programs: { ssh, find } });
    expect([await merging.run(), merging.output]).toEqual([{ git: 0, tradeform: 1 }, expect.any(String)]);
    expect(JSON.parse(readFileSync(join(results, 'drift.uid/fleet.json'), 'utf8')).exit_code).toBe(130);
    expect([expired, others].map((name) => existsSync(join(results, name)))).toEqual([false, true]);
  });
});
