import { Duration } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { type Family, families, type LambdaName } from '../../lib/api/registry/families.ts';
import { lambdaOf } from '../../lib/api/registry/route.ts';
import { needsOf, rows } from '../../lib/api/registry/routes/index.ts';
import type { TableName } from '../../lib/ports/table.ts';
import type { Settings } from '../settings/settings.ts';
import type { ExtraFile } from './extra-files.ts';
import { type FunctionProps, WeftFunction } from './function.ts';

type PortName = ReturnType<typeof needsOf>[number];

/** The write access of a function to the tables. */
interface TableAccess {
  readonly writes: readonly TableName[];
  readonly writesKeys: boolean;
}

/** Grants a role the rights that each port needs. */
export type Grants = Readonly<Record<PortName, (role: IRole, access: TableAccess) => void>>;

export interface FunctionsProps {
  readonly settings: Settings;
  /** The environment of every function. */
  readonly environment: Readonly<Record<string, string>>;
  readonly grants: Grants;
  /** The names of functions that other resources refer to before the functions exist. */
  readonly names: Readonly<Partial<Record<TriggerName, string>>>;
}

/** Which functions for requests evaluate queries and scripts of users: they need the sandbox, and more memory. */
const EVALUATES_SCRIPTS: Readonly<Record<LambdaName, boolean>> = {
  namespaces: false,
  tree: true,
  // A repetition checks its input by a schema.
  instances: true,
  workers: true,
  variables: false,
  secrets: false,
  registries: false,
  services: false,
  logs: false,
  metrics: false,
  events: true,
  system: true,
  keys: false,
};

/**
 * The functions for requests that evaluate scripts and wait or read most of their time. A run whose scripts need more memory is
 * continued by its machine.
 */
const WAITING: ReadonlySet<LambdaName> = new Set(['instances', 'workers']);

/** The ports of functions that continue runs. */
const RUNS = ['table', 'blobs', 'executions', 'bus'] as const satisfies readonly PortName[];

interface Trigger extends Required<Pick<FunctionProps, 'about' | 'timeout' | 'scripts'>>, Pick<FunctionProps, 'waits'> {
  readonly needs: readonly PortName[];
  readonly extraFiles?: readonly ExtraFile[];
}

/** The files beside the functions that send requests for workflows, and beside those that read secrets which are stored elsewhere. */
const MAILS: readonly ExtraFile[] = ['smtp.mjs'];
const SECRETS: readonly ExtraFile[] = ['aws-secrets.mjs'];
/** The file beside the functions that check who sends a request. */
const ACCESS: readonly ExtraFile[] = ['tokens.mjs'];

/** The functions without requests: one row for each file of functions/triggers/. */
const TRIGGERS = {
  steps: {
    about: 'Executes the steps of runs, called by their state machines and by the timers of delays',
    // A step that calls a container lasts as long as the call; any other ends within a minute.
    timeout: Duration.minutes(15),
    needs: [...RUNS, 'timers', 'sealer', 'externalSecrets', 'lambdas', 'containers'],
    scripts: true,
    extraFiles: [...MAILS, ...SECRETS],
  },
  lifecycle: {
    about: 'Ends runs whose execution failed, timed out or was aborted',
    timeout: Duration.minutes(1),
    needs: [...RUNS, 'containers'],
    scripts: false,
    // Patterns say whether a failed call is tried again.
    extraFiles: ['re2.cjs'],
  },
  sweep: {
    about: 'Completes interrupted work',
    timeout: Duration.minutes(15),
    needs: [...RUNS, 'schedules', 'timers', 'containers'],
    // A job that repeats runs checks their inputs by a schema.
    scripts: true,
    waits: true,
  },
  router: {
    about: 'Delivers the events of the bus to their listeners, and runs what they start and wake up to its next wait',
    timeout: Duration.minutes(5),
    needs: [...RUNS, 'sealer', 'externalSecrets', 'containers'],
    scripts: true,
    extraFiles: [...MAILS, ...SECRETS],
  },
  cron: {
    about: 'Starts workflows on schedule',
    timeout: Duration.minutes(1),
    // The schedule of a workflow that was moved gets its new path.
    needs: [...RUNS, 'schedules', 'sealer', 'externalSecrets', 'containers'],
    scripts: true,
    extraFiles: [...MAILS, ...SECRETS],
  },
  failures: {
    about: 'Stores dead letters for their namespaces',
    timeout: Duration.minutes(1),
    needs: ['table', 'blobs'],
    scripts: false,
  },
  inbound: {
    about: 'Sends events of other buses to namespaces',
    timeout: Duration.minutes(1),
    needs: RUNS,
    scripts: false,
  },
  containers: {
    about: 'Prepares and removes container services',
    // A large layer takes minutes to copy.
    timeout: Duration.minutes(15),
    needs: ['table', 'sealer'],
    scripts: false,
    extraFiles: ['beside.mjs'],
  },
} as const satisfies Record<string, Trigger>;

type TriggerName = keyof typeof TRIGGERS;

/** The time limits of API Gateway: for a buffered reply, unless a quota is raised, and for a streamed reply. */
const BUFFERED_TIMEOUT = Duration.seconds(29);
const STREAMED_TIMEOUT = Duration.minutes(15);

const TABLES = ['catalog', 'runs', 'journal'] as const satisfies readonly TableName[];

const lambdaNames = [...new Set(rows.map(([, route]) => lambdaOf(route)))];

/** Whether a request may last as long as a run, or as an event stream. */
const isLong = (name: LambdaName): boolean =>
  rows.some(([, route]) => lambdaOf(route) === name && (route.stream !== undefined || route.family === 'execution'));

/** Throws for a reserved concurrency of a function that does not exist. */
function needNames({ concurrency }: Settings): void {
  const known: readonly string[] = [...lambdaNames, 'console', ...Object.keys(TRIGGERS)];
  const unknown = Object.keys(concurrency).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new Error(`concurrency has '${unknown}', which is no function; the functions are ${known.join(', ')}`);
}

/** The Lambdas: one for each family of endpoints, and those without requests. */
export class Functions extends Construct {
  readonly #props: FunctionsProps;
  readonly #http: ReadonlyMap<LambdaName, WeftFunction>;
  readonly #triggers = new Map<TriggerName, WeftFunction>();
  /** Serves the files of the console, for which it needs no rights. */
  readonly console: WeftFunction;

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    this.#props = props;
    needNames(props.settings);
    this.#http = new Map(lambdaNames.map((name) => [name, this.#makeHttp(name)]));
    this.console = this.#makeConsole();
  }

  /** All functions that were made so far. */
  get all(): readonly WeftFunction[] {
    return [...this.#http.values(), this.console, ...this.#triggers.values()];
  }

  /** The Lambda that serves the requests of a family. */
  http(name: LambdaName): WeftFunction {
    const found = this.#http.get(name);
    if (found === undefined) throw new Error(`no route is served by functions/lambdas/${name}.ts`);
    return found;
  }

  /** A Lambda without requests; it is made at the first call. */
  trigger(name: TriggerName): WeftFunction {
    const made = this.#triggers.get(name) ?? this.#makeTrigger(name);
    this.#triggers.set(name, made);
    return made;
  }

  #makeHttp(file: LambdaName): WeftFunction {
    const { settings, environment } = this.#props;
    const timeout = settings.streaming && isLong(file) ? STREAMED_TIMEOUT : BUFFERED_TIMEOUT;
    const [about, scripts] = [families[file].about, EVALUATES_SCRIPTS[file]];
    const made = new WeftFunction(this, file, {
      kind: 'lambdas',
      file,
      about,
      timeout,
      scripts,
      waits: WAITING.has(file),
      extraFiles: [
        ...ACCESS,
        ...(needsOf(file).includes('web') ? MAILS : []),
        ...(needsOf(file).includes('externalSecrets') ? SECRETS : []),
      ],
      settings,
      environment,
    });
    const { writes = TABLES }: Family = families[file];
    return this.#granted(made, needsOf(file), { writes, writesKeys: file === 'keys' });
  }

  #makeConsole(): WeftFunction {
    const { settings, environment } = this.#props;
    const about = 'Serves the files of the console';
    const row = { about, timeout: BUFFERED_TIMEOUT, scripts: false, extraFiles: ['console'] } as const;
    return new WeftFunction(this, 'console', { kind: 'lambdas', file: 'console', ...row, settings, environment });
  }

  #makeTrigger(file: TriggerName): WeftFunction {
    const { settings, environment, names } = this.#props;
    const { needs, ...row }: Trigger = TRIGGERS[file];
    const functionName = names[file];
    const named = functionName === undefined ? {} : { functionName };
    const made = new WeftFunction(this, file, { kind: 'triggers', file, ...row, ...named, settings, environment });
    return this.#granted(made, needs, { writes: TABLES, writesKeys: false });
  }

  #granted(made: WeftFunction, needs: readonly PortName[], access: TableAccess): WeftFunction {
    for (const port of needs) this.#props.grants[port](made.role, access);
    return made;
  }
}
