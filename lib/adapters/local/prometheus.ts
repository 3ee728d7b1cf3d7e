import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Happened, Measure, Meter, WorkflowName } from '../../ports/telemetry/meter.ts';

/** Series of more workflows are counted as those of the workflow `other`: each costs memory here and in Prometheus. */
export const MAX_WORKFLOWS = 500;

const OTHER: WorkflowName = { namespace: 'other', path: 'other' };

/** Seconds. Runs last from milliseconds to days. */
const BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300, 3600, 86_400];

/** The measures that are counters of their own, with their help. */
const COUNTERS = {
  Requests: ['weft_requests_total', 'Requests by family of routes.'],
  ClientErrors: ['weft_request_client_errors_total', 'Requests that were answered with a status 4xx.'],
  ServerErrors: ['weft_request_server_errors_total', 'Requests that were answered with a status 5xx.'],
  Faults: ['weft_faults_total', 'Faults of the service, each of which is in its log.'],
  StartsRejected: ['weft_starts_rejected_total', 'Starts of runs that a limit rejected.'],
  EventsDelivered: ['weft_events_delivered_total', 'Events that started a run or were taken by one.'],
  FailedDeliveries: ['weft_dead_letters_total', 'Events and schedule ticks that became dead letters.'],
  ContainerCalls: ['weft_container_calls_total', 'Calls of containers that ended.'],
  ContainerCallsFailed: ['weft_container_calls_failed_total', 'Calls of containers that failed.'],
} as const satisfies Partial<Record<Measure, readonly [string, string]>>;

type CounterName = keyof typeof COUNTERS;

const BY_FAMILY: readonly CounterName[] = ['Requests', 'ClientErrors', 'ServerErrors'];

/** The measures of ends of runs, by status. */
const ENDS = { RunsComplete: 'complete', RunsFailed: 'failed', RunsCrashed: 'crashed' } as const;

/** Gauges of the default metrics that end in `_total`, which is the name of a counter. */
const MISNAMED = ['handles', 'requests', 'resources'].map((name) => `nodejs_active_${name}_total`);

/** How often the lag of the event loop is measured, milliseconds: rarely enough to let an idle processor sleep. */
const LAG_INTERVAL_MS = 100;

/** What is read when metrics are requested. */
export interface Readings {
  /** Pieces of work in progress: steps, deliveries, timers. */
  readonly work: () => number;
  /** The bytes of the database; undefined in memory. */
  readonly bytes: () => number | undefined;
  /** Whether the storage accepts writes. */
  readonly isWritable: () => boolean;
}

/** Counts in memory, from the start of the process, in the form that Prometheus reads. */
export class PrometheusMeter implements Meter {
  readonly #registry = new Registry();
  readonly #counters: ReadonlyMap<CounterName, Counter>;
  readonly #started: Counter;
  readonly #ended: Counter;
  readonly #durations: Histogram;
  readonly #workflows = new Set<string>();
  #isOpen = false;

  constructor() {
    const registers = [this.#registry];
    const entries = (Object.keys(COUNTERS) as CounterName[]).map((measure) => {
      const [name, help] = COUNTERS[measure];
      const labelNames = BY_FAMILY.includes(measure) ? ['family'] : [];
      return [measure, new Counter({ name, help, labelNames, registers })] as const;
    });
    this.#counters = new Map(entries);
    const labelNames = ['namespace', 'workflow'];
    const help = `Runs that started; of more than ${MAX_WORKFLOWS} workflows the others are 'other'.`;
    this.#started = new Counter({ name: 'weft_runs_started_total', help, labelNames, registers });
    this.#ended = new Counter({
      name: 'weft_runs_ended_total',
      help: 'Runs that ended, by status: complete, failed (also cancelled) or crashed.',
      labelNames: [...labelNames, 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'weft_run_duration_seconds',
      help: 'How long runs took from their start to their end, by status.',
      labelNames: ['status'],
      buckets: BUCKETS,
      registers,
    });
  }

  note(happened: Happened, family = 'none', workflow: WorkflowName = OTHER): void {
    for (const [measure, counter] of this.#counters) {
      const count = happened[measure];
      if (count === undefined) continue;
      if (BY_FAMILY.includes(measure)) counter.inc({ family }, count);
      else counter.inc(count);
    }
    if (happened.RunsStarted !== undefined) this.#started.inc(this.#labelsOf(workflow), happened.RunsStarted);
    for (const measure of Object.keys(ENDS) as (keyof typeof ENDS)[]) {
      if (happened[measure] === undefined) continue;
      const status = ENDS[measure];
      this.#ended.inc({ ...this.#labelsOf(workflow), status }, happened[measure]);
      this.#durations.observe({ status }, (happened.RunMilliseconds ?? 0) / 1000);
    }
  }

  /** The text of all metrics. The first call begins to measure the process and its event loop. */
  async text(readings: Readings): Promise<{ readonly body: string; readonly type: string }> {
    if (!this.#isOpen) this.#open(readings);
    return { body: await this.#registry.metrics(), type: this.#registry.contentType };
  }

  #labelsOf({ namespace, path }: WorkflowName): { readonly namespace: string; readonly workflow: string } {
    const workflow = path.replace(/^\/+/, '');
    const name = `${namespace}/${workflow}`;
    if (!this.#workflows.has(name)) {
      if (this.#workflows.size >= MAX_WORKFLOWS) return { namespace: OTHER.namespace, workflow: OTHER.path };
      this.#workflows.add(name);
    }
    return { namespace, workflow };
  }

  #open({ work, bytes, isWritable }: Readings): void {
    this.#isOpen = true;
    const gauge = (name: string, help: string, read: () => number | undefined) => {
      const { registers, collect } = { registers: [this.#registry], collect: () => made.set(read() ?? 0) };
      const made: Gauge = new Gauge({ name, help, registers, collect });
    };
    gauge('weft_work_in_progress', 'Steps, deliveries and timers that the service works on.', work);
    gauge('weft_store_size_bytes', 'The size of the database and its log; 0 in memory.', bytes);
    gauge('weft_store_writable', '1 while the storage accepts writes, 0 during an outage.', () => Number(isWritable()));
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LAG_INTERVAL_MS });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
  }
}
