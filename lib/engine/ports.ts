import type { Ports } from '../ports/ports.ts';

/** The ports that starting runs needs. */
export type EnginePorts = Pick<Ports, 'table' | 'blobs' | 'executions' | 'bus' | 'schedules' | 'clock' | 'settings'> &
  Partial<Pick<Ports, 'meter' | 'traces' | 'processor' | 'reader'>>;

/** The ports that ending runs needs: containers may run for them. */
export type CleanupPorts = EnginePorts & Pick<Ports, 'containers'>;

/** The ports that delivering the outbox of a commit needs. Where there are no timers, state machines do the waiting. */
export type DeliveryPorts = CleanupPorts & Partial<Pick<Ports, 'timers'>>;

/**
 * The ports that running states needs: actions read secrets, send requests and invoke functions.
 */
export type RunnerPorts = DeliveryPorts & Pick<Ports, 'sealer' | 'externalSecrets' | 'web' | 'lambdas'>;
