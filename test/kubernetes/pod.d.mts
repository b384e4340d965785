/** The pod that a Job makes for one of its indexes. */
export function podOf(job: JobManifest, index: number): object;

export class Pod {
  constructor(
    pod: object,
    options: {
      readonly files: (kind: 'configmaps' | 'secrets', name: string) => Readonly<Record<string, string>>;
      readonly claims: string;
      readonly programs?: Readonly<Record<string, string>>;
    },
  );
  readonly output: string;
  run(): Promise<Readonly<Record<string, number>>>;
}

export interface Container {
  readonly name: string;
  readonly args: readonly string[];
  env: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext: object;
  readonly resources: { readonly limits: object };
  readonly volumeMounts: readonly { readonly name: string; readonly readOnly?: boolean }[];
}

export interface JobManifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly completions: number;
    readonly template: {
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly securityContext: object;
        readonly initContainers: readonly Container[];
        readonly containers: readonly [Container];
        readonly terminationGracePeriodSeconds: number;
      };
    };
  };
}
