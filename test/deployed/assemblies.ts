import { EVERY_OPTION } from '../cdk/options.ts';

/** The environment variable with the folder of each assembly as JSON, by its name. */
export const ASSEMBLIES = 'WEFT_ASSEMBLIES';

/**
 * Options that switch off features that the emulator lacks, and let it delete everything. Its account has the quota of
 * a new one, which leaves five places to requests that wait: fewer than the tests need at once.
 */
export const EMULATED = { streaming: 'false', retain: 'false', protect: 'false', maxWaitingRequests: '100' };

/** The emulator has no CodeDeploy, no VPC, no firewall and no budgets. */
const { budget: _budget, rollout: _rollout, vpc: _vpc, webAcl: _webAcl, ...EMULATED_OPTIONS } = EVERY_OPTION;

/** Every option at once, and the protection of the data. The collector of traces is away. */
const EVERYTHING = {
  ...EMULATED_OPTIONS,
  ...EMULATED,
  protect: 'true',
  otel: '{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}',
};

/** The contexts that are deployed, each an assembly. */
export const CONTEXTS = {
  usual: EMULATED,
  everything: EVERYTHING,
  /** An update of `everything` that changes every function. */
  changed: { ...EVERYTHING, logDays: '14', startBudgetMs: '100', tags: '{"team": "shop"}' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The name of an assembly. */
export type AssemblyName = keyof typeof CONTEXTS;

/** The folders of the assemblies. */
export type Assemblies = Readonly<Record<AssemblyName, string>>;
