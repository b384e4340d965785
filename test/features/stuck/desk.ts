import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Io } from '../../../src/core/command/io.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import { PROJECT } from '../../manifest/samples.ts';
import { afterwards } from '../../support/cleanup.ts';
import { openProject, type ProjectRun } from '../project-run.ts';
import { nameOf, withLine } from './lines.ts';
import { typed } from './program.ts';
import { Service } from './service.ts';
import type { Walk } from './walk.ts';

export interface Said {
  readonly code: number;
  /** Both streams, white space as one space each: what a person read. */
  readonly text: string;
}

const FILE = 'manifests/tasks.yaml';

/** A person at a terminal, with a project and a service of their own. */
export class Desk extends Service {
  readonly project: ProjectRun;
  /** Everything that was said until the way out was taken. */
  seen = '';
  /** The steps of the way out, in order. */
  readonly done: string[] = [];
  private token: string;

  private constructor(project: ProjectRun) {
    super(project.sandbox);
    this.project = project;
    this.token = project.sandbox.tokens()[0]?.token ?? '';
  }

  static async open({ before }: Walk): Promise<Desk> {
    const project = await openProject(before);
    rmSync(join(project.path, 'manifests'), { recursive: true });
    const desk = new Desk(project);
    afterwards(() => vi.restoreAllMocks());
    desk.projectFile();
    return desk;
  }

  // The project

  /** Further lines of `spec`; unless they are given, the account is pinned by its token. */
  projectFile(spec = '  account: { token_prefix: svc_live_5a4d0b0c }\n', head = PROJECT): void {
    this.project.write('tradeform.yaml', `${head}spec:\n  manifests: ["manifests/**/*.yaml"]\n${spec}`);
  }

  /** All manifests there are, in one file. */
  manifests(...documents: readonly string[]): void {
    mkdirSync(join(this.project.path, 'manifests'), { recursive: true });
    this.project.write(FILE, documents.join('---\n'));
  }

  async applied(...documents: readonly string[]): Promise<void> {
    this.manifests(...documents);
    const { code, text } = await this.run('tradeform apply --auto-approve');
    if (code !== 0) throw new Error(`the first apply ended with ${code}: ${text}`);
    this.seen = '';
  }

  // The person

  /** A command line that gets into the state, or looks at it. */
  async run(line: string, over: Partial<Io> = {}): Promise<Said> {
    const { code, text } = await this.execute(line, over);
    if (this.done.length === 0) this.seen += `${text}\n`;
    return { code, text };
  }

  /** A command line of the way out. Fails unless it ends with `code`. */
  async take(line: string, code = 0): Promise<Said> {
    this.done.push(line);
    const said = await this.execute(line, {});
    if (said.code !== code) throw new Error(`${line} ended with ${said.code}: ${said.text}`);
    return said;
  }

  /** A command line of the way out that the message itself gives, word for word. */
  takeAsTold(line: string, code = 0): Promise<Said> {
    if (!this.seen.includes(line)) throw new Error(`nobody said: ${line}; only: ${this.seen}`);
    return this.take(line, code);
  }

  /** A line of a manifest, of the way out: written below `parent` of the one document with `name`. */
  write(line: string, parent: 'metadata' | 'spec' = 'spec', name = 'alpha'): void {
    this.change(line, name, (text) => withLine(text, parent, line));
  }

  /** A line of a manifest that the way out takes away. */
  strike(line: string, name = 'alpha'): void {
    this.change(line, name, (text) => text.replace(`  ${line}\n`, ''));
  }

  /** A manifest beside the others, of the way out, which names one line of it. */
  add(line: string, document: string): void {
    if (!document.includes(line)) throw new Error(`not in the manifest: ${line}`);
    this.done.push(line);
    this.project.write('manifests/more.yaml', document);
  }

  /** A line of the project file, of the way out. */
  writeProject(line: string, parent: 'metadata' | 'spec' = 'spec'): void {
    this.done.push(line);
    const path = join(this.project.path, 'tradeform.yaml');
    writeFileSync(path, withLine(readFileSync(path, 'utf8'), parent, line));
  }

  /** Another token from now on. */
  use(token: string): void {
    this.token = token;
  }

  // What is true in the end

  async plan(): Promise<Plan> {
    const { stdout } = await this.execute('tradeform plan -o json -q', {});
    return JSON.parse(stdout) as Plan;
  }

  private change(line: string, name: string, edit: (text: string) => string): void {
    this.done.push(line);
    const path = join(this.project.path, FILE);
    const documents = readFileSync(path, 'utf8').split('---\n');
    const changed = documents.map((text) => (nameOf(text) === name ? edit(text) : text));
    if (changed.every((text, index) => text === documents[index]))
      throw new Error(`nothing to change in the manifest ${name}: ${line}`);
    writeFileSync(path, changed.join('---\n'));
  }

  private async execute(line: string, over: Partial<Io>): Promise<Said & { readonly stdout: string }> {
    const env = {
      PATH: process.env.PATH,
      TERM: 'dumb',
      TRADEFORM_BASE_URL: this.project.baseUrl,
      TRADEFORM_TOKEN: this.token,
    };
    const { code, stdout, stderr } = await typed(line, { cwd: this.project.path, env }, over);
    return { code, stdout, text: `${stdout}\n${stderr}`.replace(/\s+/g, ' ') };
  }
}
