import type { Ports } from '../ports/ports.ts';

/** What the engine needs of the world to begin runs and tell of them. */
export type EnginePorts = Pick<Ports, 'table' | 'blobs' | 'executions' | 'bus' | 'schedules' | 'clock' | 'settings'> &
  Partial<Pick<Ports, 'meter'>>;

/** What it needs to end runs and take things away, besides: containers run for workflows. */
export type KeeperPorts = EnginePorts & Pick<Ports, 'containers'>;

/** What it needs to run states, besides: actions read secrets. */
export type RunnerPorts = KeeperPorts & Pick<Ports, 'sealer'>;
