import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { type Project, readProject } from '../../src/core/project/project.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { CANARY } from '../cmd/run.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { commitAll, gitIn } from '../support/repository.ts';
import { createSandboxTransport } from '../support/sandbox-transport.ts';
import { createRunner } from '../support/world.ts';

/** A folder that a user might have: JSON documents, which are YAML as well. */
export interface Repository {
  readonly path: string;
  write(manifests: readonly Manifest[], spec?: object): void;
  readonly git: ReturnType<typeof gitIn>;
}

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly id?: string; readonly previous_name?: string };
  readonly spec: object;
}

/** `former`: manifests of an earlier commit; where there are any, the folder is a git repository. */
export function makeRepository(
  manifests: readonly Manifest[],
  spec: object = {},
  former: readonly Manifest[] = [],
): Repository {
  const path = temporaryFolder('http');
  mkdirSync(join(path, 'manifests'));
  const write = (documents: readonly Manifest[], more: object = spec) => {
    const project = {
      kind: 'Project',
      metadata: { name: 'core' },
      spec: { settle: { replace: '0s' }, ...more },
    };
    const text = (document: object) => JSON.stringify({ apiVersion: 'tradeform/v1', ...document }, null, 1);
    writeFileSync(join(path, 'tradeform.yaml'), text(project));
    writeFileSync(join(path, 'manifests/all.yaml'), documents.map(text).join('\n---\n'));
  };
  const commit = (documents: readonly Manifest[]) => {
    write(documents);
    commitAll(git, 'Manifests');
  };
  const git = gitIn(path);
  if (former.length > 0) {
    git('init', '-q');
    commit(former);
    commit(manifests);
  }
  write(manifests);
  return { path, write, git };
}

export async function desiredOf(
  repository: Pick<Repository, 'path'>,
): Promise<NonNullable<Project['state']>> {
  const { state, diagnostics } = await readProject({ cwd: repository.path });
  if (state === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return state;
}

/** The plan that the manifests and the service give now, without HTTP between. */
export async function planOf(repository: Pick<Repository, 'path'>, sandbox: Sandbox): Promise<Plan> {
  const clock = { now: () => Date.now(), sleep: () => Promise.resolve() };
  const transport = createSandboxTransport(sandbox);
  return createRunner({ transport, token: CANARY, clock }).plan(await desiredOf(repository));
}
