import type { Blobs } from './blobs.ts';
import type { Bus } from './bus.ts';
import type { Lambdas } from './callees/lambdas.ts';
import type { Web } from './callees/web.ts';
import type { Changes } from './changes.ts';
import type { Clock } from './clock.ts';
import type { Containers } from './containers.ts';
import type { Executions } from './executions.ts';
import type { ExternalSecrets } from './external-secrets.ts';
import type { Processor } from './processor.ts';
import type { TextReader } from './reader.ts';
import type { Schedules } from './schedules.ts';
import type { Sealer } from './sealer.ts';
import type { Settings } from './settings.ts';
import type { Table } from './table.ts';
import type { Meter } from './telemetry/meter.ts';
import type { Traces } from './telemetry/traces.ts';
import type { Timers } from './timers.ts';
import type { Tokens } from './tokens.ts';
import type { Vault } from './vault.ts';

// Migrations alone visit every item, so the inventory is no member of `Ports`.
export type { Inventory } from './inventory.ts';

/** The ports of the service: the interfaces to everything outside the program. */
export interface Ports {
  readonly settings: Settings;
  readonly table: Table;
  readonly blobs: Blobs;
  readonly vault: Vault;
  readonly sealer: Sealer;
  readonly externalSecrets: ExternalSecrets;
  readonly web: Web;
  readonly lambdas: Lambdas;
  readonly executions: Executions;
  readonly bus: Bus;
  readonly schedules: Schedules;
  readonly timers: Timers;
  readonly containers: Containers;
  readonly changes: Changes;
  readonly clock: Clock;
  /** Absent or undefined where a process has one piece of work at a time. */
  readonly processor?: Processor | undefined;
  /** Absent or undefined where a process serves one request at a time. */
  readonly reader?: TextReader | undefined;
  /** Undefined where metrics are not collected. */
  readonly meter: Meter | undefined;
  /** Absent or undefined where traces are not exported. */
  readonly traces?: Traces | undefined;
  /** Absent or undefined where callers have keys alone. */
  readonly tokens?: Tokens | undefined;
}
