import type { Ports } from '../ports.ts';

/** What the engine needs of the world: everything but the vault. */
export type EnginePorts = Pick<Ports, 'table' | 'blobs' | 'executions' | 'bus' | 'schedules' | 'clock' | 'settings'>;
