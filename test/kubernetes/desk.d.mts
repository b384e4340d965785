export function openDesk(many: number): Promise<{
  readonly names: readonly string[];
  readonly repository: string;
  readonly commit: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly fleet: string;
  /** The tasks of each account. */
  tasks(): Promise<ReadonlyMap<string, readonly { readonly is_active: boolean }[]>>;
  close(): Promise<void>;
}>;
