// The programs of a control plane, built once from the Go module proxy (about 10 minutes of processor time) and kept in a folder.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PACKAGES = {
  'kube-apiserver': ['control-plane', 'k8s.io/kubernetes/cmd/kube-apiserver'],
  'kube-controller-manager': ['control-plane', 'k8s.io/kubernetes/cmd/kube-controller-manager'],
  kubectl: ['control-plane', 'k8s.io/kubernetes/cmd/kubectl'],
  helm: ['helm', 'helm.sh/helm/v3/cmd/helm'],
};

/** What this machine lacks, with the way to get it; empty where all is there. */
export function missingTools() {
  const there = (name) =>
    (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
  return [
    ['etcd', 'apt-get install etcd-server'],
    ['go', 'Go 1.26 or later, https://go.dev/dl'],
    ['git', 'apt-get install git'],
  ].filter(([name]) => !there(name));
}

/** Paths of the programs by their names; `TRADEFORM_KUBERNETES` names another folder than that of the user's cache. */
export function buildTools() {
  const cache =
    process.env.TRADEFORM_KUBERNETES ??
    join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tradeform-kubernetes');
  const built = Object.entries(PACKAGES).map(([name, [module, path]]) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(HERE, module, 'go.mod')))
      .digest('hex');
    const file = join(cache, digest.slice(0, 12), name);
    if (!existsSync(file)) build(join(HERE, module), path, file);
    return [name, file];
  });
  return Object.fromEntries(built);
}

/** One package at a time: others may need the machine. */
function build(cwd, path, file) {
  console.log(`Building ${path}; it is kept as ${file}`);
  mkdirSync(join(file, '..'), { recursive: true });
  // A server tells its version, which a chart may ask for.
  const [, version] = /\sk8s\.io\/kubernetes (v\S+)/.exec(readFileSync(join(cwd, 'go.mod'), 'utf8')) ?? [];
  const flags = `-s -w${version === undefined ? '' : ` -X k8s.io/component-base/version.gitVersion=${version}`}`;
  const args = ['build', '-mod=readonly', '-p', '1', `-ldflags=${flags}`, '-o', file, path];
  const { status } = spawnSync('nice', ['-n', '15', 'go', ...args], { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${path} could not be built`);
}
