import type { Explanation } from './explanation.ts';

/** Files of a project, and their text as YAML. */
export const FILES = {
  'file-unreadable': {
    means:
      'A file that the project needs is there and could not be read, or is not there: a manifest, a table of a task set, a policy, the token file.',
    matters:
      'What a file holds is unknown until it is read. A resource in it must not look as if its manifest had been removed, so nothing is planned.',
    act: 'Make the file readable, or take it out of what names it (spec.manifests, rows_from, a policy’s file).',
  },
  'file-not-regular': {
    means: 'A path that a pattern of spec.manifests matches is a FIFO, a socket or a device.',
    matters: 'Reading one can wait for ever, or give something else each time.',
    act: 'Remove it, or write patterns that do not match it.',
  },
  'file-outside-project': {
    means:
      'A path leads out of the project directory, by .. or by a symbolic link, or into a .git folder or a folder of the system such as /proc. Or something was to be written through a link that leads out.',
    matters:
      'Whoever can open a pull request could otherwise have other files of the machine read and shown, or overwritten.',
    act: 'Move the file into the project. A project directory is where tradeform.yaml stands. Where a link on the command line is meant, name what it leads to.',
  },
  'project-not-yours': {
    means:
      'tradeform.yaml was found here or in a folder above, and it or its folder belongs neither to you nor to root, or others may write it.',
    matters:
      'The project file says where the token is sent and what is traded. Every user of the machine can put one into /tmp.',
    act: 'If you trust whoever it belongs to, say so to git and tradeform at once. If it is yours, give it your owner, and take the right to write from the others. A file that is named with --project is taken as it is; so is the checkout that GITHUB_WORKSPACE or CI_PROJECT_DIR names.',
    example:
      'git config --global --add safe.directory /srv/desk\nchmod go-w /srv/desk /srv/desk/tradeform.yaml',
  },
  'file-passed-over': {
    means: 'A file ends in .yml where the patterns of spec.manifests say .yaml, or the other way round.',
    matters:
      'It looks like a manifest and is none: what it describes would count as removed, and be deleted.',
    act: 'Rename the file, or write a pattern that takes both: "manifests/**/*.{yaml,yml}".',
  },
  'file-too-large': {
    means: 'A file is larger than any manifest has a reason to be.',
    matters: 'It is most likely no manifest, and reading it would cost memory for nothing.',
    act: 'Split it into several files: a file may hold any number of documents, and a project any number of files.',
  },
  'project-too-large': {
    means:
      'The files of a project, one of their lines or documents, their folders, the rows of task sets, or what manifests take from each other are together more than tradeform reads.',
    matters:
      'The bounds are far above what tens of thousands of tasks need. Without them a few lines in a pull request could hold up a run for hours.',
    act: 'Remove what is not meant, or divide the project. The README lists the bounds under "What a project may hold".',
  },
  'more-problems': {
    means: 'A file, a manifest or a project has more problems than are told.',
    matters: 'All of them must be mended before anything is planned; they often have one cause.',
    act: 'Mend those that are told, and run validate again.',
  },
  'no-project-file': {
    means:
      'There is no tradeform.yaml in the working directory, nor in a folder above it up to the top of the repository.',
    matters: 'The project file names the project; its name marks the tasks that belong to it.',
    act: 'Change to the project directory, or name it.',
    example: 'tradeform validate --chdir strategies\ntradeform validate --project strategies/tradeform.yaml',
  },
  'no-manifests': {
    means: 'The patterns of spec.manifests match no file, or a file holds no document.',
    matters:
      'An empty match is more likely a slip than the wish to delete everything, so it is never taken for that.',
    act: 'Correct the pattern, or remove the empty file. To delete the last task on purpose, keep one manifest (a Label will do) and pass --allow-empty.',
  },
  'not-utf8': {
    means: 'A file is not valid UTF-8: it was saved as UTF-16 or Latin-1, or is cut within a character.',
    matters: 'Guessing the encoding would change names and remarks without anyone noticing.',
    act: 'Save the file as UTF-8.',
  },
  'yaml-syntax': {
    means: 'The text is not valid YAML 1.2.',
    matters: 'What such a file defines is unknown, so nothing is planned.',
    act: 'Look at the marked place and the line above it: a tab as indentation, a quote or a bracket that does not end, a colon without a space.',
  },
  'yaml-duplicate-key': {
    means: 'One mapping has the same key twice; keys are compared after Unicode normalisation.',
    matters:
      'Most YAML readers silently take the last one. Of two buy amounts the wrong one would win unseen.',
    act: 'Remove one of the two.',
  },
  'yaml-unknown-tag': {
    means: 'A value has a tag (!name) that YAML’s core schema does not know.',
    matters: 'A tag would ask the reader to build something other than text, numbers, lists and mappings.',
    act: 'Remove the tag; quote a text that starts with !.',
  },
  'yaml-directive': {
    means: 'The file has a %YAML or %TAG directive.',
    matters: 'Under %YAML 1.1, no is false and 010 is 8. Manifests mean one thing whoever reads them.',
    act: 'Remove the directive.',
  },
  'yaml-forbidden-key': {
    means: 'A key is __proto__, constructor or prototype, or the merge key <<.',
    matters:
      'The first three can be used to attack programs that read the file; merge keys hide where a value comes from.',
    act: 'Use another key. Instead of <<, write what is shared into a preset and extend it.',
  },
  'yaml-alias': {
    means:
      'An alias (*name) has no anchor before it, contains itself, or expands to far more than was written.',
    matters: 'A few lines of nested aliases can expand to gigabytes.',
    act: 'Define the anchor first, in the same document. What many manifests share belongs into a preset.',
  },
  'yaml-too-deep': {
    means: 'Mappings and lists are nested deeper than tradeform reads.',
    matters: 'No manifest needs it, and very deep nesting brings down programs that read it.',
    act: 'Look for a bracket that is opened again and again.',
  },
  'yaml-complex-key': {
    means: 'A key of a mapping is a list, a mapping, or another thing than plain text.',
    matters: 'No field is called so; it is usually a missing quote, or a ? or [ at the start of a line.',
    act: 'Quote the key, or correct the line.',
  },
  'control-character': {
    means: 'A name or remark holds a control, zero-width or bidirectional character.',
    matters: 'Such characters make two names look alike, or a line read otherwise than it is.',
    act: 'Type the text anew; it was probably pasted.',
  },
  'no-repository': {
    means:
      'Another revision was asked for, and the project lies in no git repository, or git cannot be run or refuses to read it.',
    matters: 'Revisions are read through git alone.',
    act: 'Run it in a checkout, with git installed.',
  },
  'git-refused': {
    means:
      'There is a git repository or a program git, and it is not used: the repository belongs to another user, its .git leads to files that a commit can write, or the program lies in the repository.',
    matters:
      'Whoever controls .git says what a revision is, and a program in the repository would run with your rights. Without git a plan names no commit, and no revision can be read.',
    act: 'Trust the repository of another user by listing it in safe.directory of your own git settings; in the other cases do what the message says.',
    example: 'git config --global --add safe.directory /srv/desk',
  },
  'revision-unknown': {
    means: 'What was given as a revision names no commit of this repository.',
    matters: 'A shallow clone, as CI systems make them, has only the last commits.',
    act: 'Name a branch, a tag or a commit that is there; in a shallow clone get the history first.',
    example: 'git fetch --unshallow\ntradeform render --diff origin/main',
  },
} as const satisfies Record<string, Explanation>;
