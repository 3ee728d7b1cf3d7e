import { Duration } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { type FamilyName, families } from '../../lib/api/registry/families.ts';
import { lambdaOf } from '../../lib/api/registry/route.ts';
import { needsOf, rows } from '../../lib/api/registry/routes/index.ts';
import type { Settings } from '../settings/settings.ts';
import type { Companion } from './companions.ts';
import { type FunctionProps, hasFunction, WeftFunction } from './function.ts';

type Port = ReturnType<typeof needsOf>[number];

export interface FunctionsProps {
  readonly settings: Settings;
  /** What every function finds in its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** How a role gets the rights that a port needs; a port that is not here needs none. */
  readonly grants: Readonly<Partial<Record<Port, (role: IRole) => void>>>;
  /** Of those that somebody must know before they are made. */
  readonly names: Readonly<Partial<Record<InnerName, string>>>;
}

/** Answers for the families that have no file yet: with 501. */
const STANDS_IN: FamilyName = 'system';

/** The Lambdas that run scripts of users: a segment of a run, or the playground. */
const RUN_SCRIPTS: ReadonlySet<string> = new Set(['tree', 'system', 'events', 'steps']);

const RUNS: readonly Port[] = ['table', 'blobs', 'executions', 'bus'];

interface Inner extends Pick<FunctionProps, 'about' | 'timeout'> {
  /** In place of what moving runs on needs. */
  readonly only?: readonly Port[];
  /** Besides what all of them need. */
  readonly needs?: readonly Port[];
  readonly companions?: readonly Companion[];
}

/** The Lambdas that answer no requests, each with a file of its name; most of them move runs on. */
const INNER = {
  steps: {
    about: 'What state machines of workflows call while they run',
    // A step that calls a container lasts as long as the call; any other ends after a minute.
    timeout: Duration.minutes(15),
    needs: ['sealer', 'containers'],
  },
  lifecycle: {
    about: 'Settles runs whose execution ended outside our code',
    timeout: Duration.minutes(1),
    needs: ['containers'],
  },
  sweep: {
    about: 'Makes up once a day for what was cut short',
    timeout: Duration.minutes(15),
    needs: ['containers'],
  },
  router: { about: 'Takes each event of the bus to those who listen', timeout: Duration.minutes(5) },
  cron: { about: 'Starts a workflow when its time has come', timeout: Duration.minutes(1) },
  failures: {
    about: 'Keeps calls that failed, where their namespace lists them',
    timeout: Duration.minutes(1),
    only: ['table', 'blobs'],
  },
  inbound: { about: 'Takes events of other buses into namespaces', timeout: Duration.minutes(1) },
  containers: {
    about: 'Makes container services ready to run, and takes them away',
    // A large layer takes minutes to copy.
    timeout: Duration.minutes(15),
    only: ['table', 'sealer'],
    companions: ['beside.mjs'],
  },
} as const satisfies Record<string, Inner>;

type InnerName = keyof typeof INNER;

/** What API Gateway waits at most for a reply in one piece, and for one that streams. */
const WHOLE = Duration.seconds(29);
const STREAMED = Duration.minutes(15);

const allOf = [...new Set(rows.map(([, route]) => lambdaOf(route)))];

/** A request to one of these may take as long as a workflow, or as somebody watches. */
const isLong = (name: FamilyName): boolean =>
  rows.some(([, route]) => lambdaOf(route) === name && (route.stream !== undefined || route.family === 'execution'));

/** What sets a function apart from the others. */
type Own = Pick<FunctionProps, 'kind' | 'file' | 'about' | 'timeout' | 'functionName' | 'companions'>;

/** The Lambdas: one for each family of endpoints that has a file, and those that work without a request. */
export class Functions extends Construct {
  readonly #props: FunctionsProps;
  readonly #api = new Map<FamilyName, WeftFunction>();
  readonly #inner = new Map<InnerName, WeftFunction>();
  /** Serves the files of the console, for which it needs no rights. */
  readonly console: WeftFunction;

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    this.#props = props;
    for (const name of allOf.filter((family) => hasFunction('http', family)))
      this.#api.set(name, this.#endpoints(name));
    const about = 'Serves the files of the console';
    this.console = this.#make({ kind: 'http', file: 'console', about, timeout: WHOLE, companions: ['console'] }, []);
  }

  /** All that there are by now. */
  get all(): readonly WeftFunction[] {
    return [...this.#api.values(), this.console, ...this.#inner.values()];
  }

  /** The Lambda that answers the requests of a family. */
  serving(name: FamilyName): WeftFunction {
    const found = this.#api.get(name) ?? this.#api.get(STANDS_IN);
    if (found === undefined)
      throw new Error(`neither functions/http/${name}.ts nor functions/http/${STANDS_IN}.ts exists`);
    return found;
  }

  /** A Lambda that works without a request; it is made when it is first asked for. */
  inner(name: InnerName): WeftFunction {
    const made = this.#inner.get(name) ?? this.#working(name);
    this.#inner.set(name, made);
    return made;
  }

  #endpoints(name: FamilyName): WeftFunction {
    const timeout = this.#props.settings.streaming && isLong(name) ? STREAMED : WHOLE;
    return this.#make({ kind: 'http', file: name, about: families[name].about, timeout }, needsOf(name));
  }

  #working(file: InnerName): WeftFunction {
    const functionName = this.#props.names[file];
    const { about, timeout, only = RUNS, needs = [], companions = [] }: Inner = INNER[file];
    const named = functionName === undefined ? {} : { functionName };
    return this.#make({ kind: 'triggers', file, about, timeout, companions, ...named }, [...only, ...needs]);
  }

  #make(props: Own, needs: readonly Port[]): WeftFunction {
    const { settings, environment, grants } = this.#props;
    const scripts = RUN_SCRIPTS.has(props.file);
    const made = new WeftFunction(this, props.file, { ...props, settings, environment, scripts });
    for (const port of needs) grants[port]?.(made.role);
    return made;
  }
}
