import { given } from './given.ts';

/**
 * The six collections of the service as data (interface, sections "Resources and their fields" and "Endpoints").
 * docs/contributing/recipes.md says what else a new kind takes.
 */

export const API_VERSION = 'tradeform/v1';

export type TaskCollection = 'sniper' | 'copy-trade' | 'transfer-snipe';
export type TemplateCollection = 'sniper-template' | 'copy-trade-template';
export type Collection = TaskCollection | TemplateCollection | 'label';
export type ConfigDefinition = 'sniperConfig' | 'copyTradeConfig';

interface KindBase {
  /** `kind:` of the manifest. */
  readonly manifestKind: string;
  readonly path: string;
  /** Any one of the listed scopes allows the operation. */
  readonly scopes: {
    readonly read: readonly string[];
    readonly write: readonly string[];
    readonly delete: readonly string[];
  };
}

export interface TaskKind extends KindBase {
  readonly family: 'task';
  readonly collection: TaskCollection;
  readonly config: ConfigDefinition;
  /** `target_already_exists` is documented for this kind. */
  readonly uniqueTarget: boolean;
}

export interface TemplateKind extends KindBase {
  readonly family: 'template';
  readonly collection: TemplateCollection;
  readonly config: ConfigDefinition;
}

export interface LabelKind extends KindBase {
  readonly family: 'label';
  readonly collection: 'label';
}

export type Kind = TaskKind | TemplateKind | LabelKind;

function scopes(prefix: string) {
  return { read: [`${prefix}:read`], write: [`${prefix}:write`], delete: [`${prefix}:delete`] };
}

const TASKS: Readonly<Record<TaskCollection, Pick<TaskKind, 'manifestKind' | 'config' | 'uniqueTarget'>>> = {
  sniper: { manifestKind: 'SniperTask', config: 'sniperConfig', uniqueTarget: false },
  'copy-trade': { manifestKind: 'CopyTradeTask', config: 'copyTradeConfig', uniqueTarget: true },
  'transfer-snipe': { manifestKind: 'TransferSnipeTask', config: 'sniperConfig', uniqueTarget: false },
};
export const TASK_KINDS = Object.entries(TASKS).map(([name, row]): TaskKind => {
  const collection = name as TaskCollection;
  const path = `/${collection}/configs`;
  return { family: 'task', collection, path, scopes: scopes(name.replace('-', '')), ...row };
});

export const TASK_COLLECTIONS: readonly TaskCollection[] = TASK_KINDS.map(({ collection }) => collection);

/** The kinds of tasks that a token cannot read. */
export function hiddenKinds(visible: ReadonlySet<Collection>): readonly TaskCollection[] {
  return TASK_COLLECTIONS.filter((collection) => !visible.has(collection));
}

export const TEMPLATE_KINDS: readonly TemplateKind[] = (['sniper', 'copy-trade'] as const).map((name) => ({
  family: 'template',
  collection: `${name}-template`,
  manifestKind: TASKS[name].manifestKind.replace('Task', 'Template'),
  path: `/${name}/templates`,
  scopes: scopes(name.replace('-', '')),
  config: TASKS[name].config,
}));

export const LABEL_KIND: LabelKind = {
  family: 'label',
  collection: 'label',
  manifestKind: 'Label',
  path: '/labels',
  scopes: {
    read: ['sniper:read', 'copytrade:read'],
    write: ['sniper:write', 'copytrade:write'],
    delete: ['sniper:write', 'copytrade:write'],
  },
};

export const KINDS: readonly Kind[] = [...TASK_KINDS, ...TEMPLATE_KINDS, LABEL_KIND];

const BY_COLLECTION: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [kind.collection, kind]));

export function isCollection(text: string): text is Collection {
  return BY_COLLECTION.has(text);
}

export function isTaskCollection(text: string): text is TaskCollection {
  return BY_COLLECTION.get(text)?.family === 'task';
}

export function kindOf(collection: TaskCollection): TaskKind;
export function kindOf(collection: TemplateCollection): TemplateKind;
export function kindOf(collection: Collection): Kind;
export function kindOf(collection: Collection): Kind {
  const kind = BY_COLLECTION.get(collection);
  if (kind === undefined) throw new Error(`unknown collection: ${collection}`);
  return kind;
}

/** The target of a path below the base URL (interface, section "Endpoints"). Undefined if the path is not of a collection. */
export function targetOf(
  path: string,
): { readonly kind: Kind; readonly id?: string; readonly verb?: 'pause' | 'resume' } | undefined {
  const [pathname = ''] = path.split('?');
  const kind = KINDS.find((one) => pathname === one.path || pathname.startsWith(`${one.path}/`));
  if (kind === undefined) return undefined;
  const [, id, verb] = pathname.slice(kind.path.length).split('/');
  return { kind, ...given({ id }), ...(verb === 'pause' || verb === 'resume' ? { verb } : {}) };
}

/** Limits of the interface (section "Limits"). */
export const LIMITS = {
  remark: 64,
  labels: 20,
  labelName: 32,
  templateName: 64,
  templates: 1_000,
  bodyBytes: 64 * 1024,
  page: 100,
} as const;
