import { appendFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { gitValue, honestRepository, payload, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';
import { filterSettings, touch } from '../traps.ts';

/**
 * Every setting of git that names a program, in `.git/config` and in what it includes: committed files, `config.worktree`, and
 * attributes in three places. A remote that runs a program stands for what the clone does not have.
 */
export const repository: HostileRepository = {
  name: 'hostile-git-settings',
  build(place) {
    const { folder, outside } = place;
    const trap = `#!/bin/sh\n${payload(place)}\n`;
    honestRepository(folder, {
      '.gitattributes': '*.yaml filter=x diff=x\n',
      'settings/included': filterSettings(place),
      'settings/attributes': '*.yaml filter=x diff=x\n',
      'settings/trap': trap,
    });
    const program = join(folder, 'settings/trap');
    chmodSync(program, 0o755);
    const command = gitValue(payload(place));
    appendFileSync(
      join(folder, '.git/config'),
      `[include]
	path = ../settings/included
[includeIf "gitdir:${folder}/"]
	path = ../settings/included
[extensions]
	worktreeConfig = true
	partialClone = away
[core]
	fsmonitor = ${program}
	hooksPath = settings
	attributesFile = ${join(folder, 'settings/attributes')}
	pager = ${command}
	sshCommand = ${command}
	askPass = ${program}
	editor = ${program}
	gitProxy = ${program}
	alternateRefsCommand = ${command}
[pager]
	status = ${command}
	rev-list = ${command}
	for-each-ref = ${command}
	config = ${command}
[alias]
	rev-parse = ${gitValue(`!${payload(place)}`)}
	status = ${gitValue(`!${payload(place)}`)}
[diff]
	external = ${program}
[diff "x"]
	command = ${program}
	textconv = ${program}
[gpg]
	program = ${program}
[log]
	showSignature = true
[credential]
	helper = ${gitValue(`!${payload(place)}`)}
[protocol]
	allow = always
[uploadpack]
	packObjectsHook = ${program}
[remote "origin"]
	url = ext::${program} github
	vcs = ext
	uploadpack = ${program}
[remote "away"]
	url = ext::${program} %S
	promisor = true
	partialclonefilter = blob:none
[url "ext::${program} "]
	insteadOf = https://
[submodule]
	recurse = true
[trace2]
	eventTarget = ${join(outside, 'traced')}
`,
    );
    write(folder, {
      '.git/config.worktree': filterSettings(place),
      '.git/info/attributes': '*.yaml filter=x diff=x\n',
    });
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-auto-gc', 'fsmonitor-watchman']) {
      write(folder, { [`.git/hooks/${hook}`]: trap });
      chmodSync(join(folder, '.git/hooks', hook), 0o755);
    }
    touch(folder);
    return {};
  },
};
