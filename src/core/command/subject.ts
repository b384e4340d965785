import type { ProjectSettings } from '../desired/project.ts';
import { checkBaseUrl } from '../model/base-url.ts';
import { readSettings } from '../project/settings.ts';
import type { DocumentSubject } from '../render/view.ts';
import type { Io } from './io.ts';
import { type CommonOptions, chosenEnvironment } from './options.ts';

type SubjectOptions = Pick<CommonOptions, 'project' | 'environment' | 'baseUrl'>;

/**
 * The subject of a document that is made without a view of the service, from the project file and the options. The account name
 * is the pinned one.
 */
export function subjectOf(
  settings: Pick<ProjectSettings, 'project' | 'environment' | 'baseUrl' | 'account'> | undefined,
  { environment, baseUrl }: SubjectOptions,
  { env }: Pick<Io, 'env'>,
): DocumentSubject {
  const written = baseUrl ?? (env.TRADEFORM_BASE_URL || settings?.baseUrl);
  const check = written === undefined ? undefined : checkBaseUrl(written);
  const account = settings?.account?.login_username;
  return {
    project: settings?.project ?? null,
    environment:
      settings === undefined ? (chosenEnvironment(environment, env) ?? null) : settings.environment,
    service: {
      ...(check?.ok === true ? { base_url: check.url } : {}),
      ...(account === undefined ? {} : { login_username: account, pinned: true }),
    },
  };
}

/**
 * The subject of a failed command, which may have failed before it read a project file. An unreadable project file adds nothing.
 */
export function subjectOfFailure(options: SubjectOptions, io: Pick<Io, 'cwd' | 'env'>): DocumentSubject {
  const { settings } = readSettings({
    cwd: io.cwd,
    projectFile: options.project,
    environment: chosenEnvironment(options.environment, io.env),
    env: io.env,
  });
  return subjectOf(settings, options, io);
}
