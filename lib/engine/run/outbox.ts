import type { Run } from '../../domain/runs/runs.ts';
import type { EnginePorts } from '../ports.ts';

/** Publishes the events of a run's last commit. Safe to repeat: the router processes each event once. */
export async function publishOutbox({ bus }: Pick<EnginePorts, 'bus'>, { outbox }: Run): Promise<void> {
  const now = outbox.filter(({ at }) => at === undefined);
  if (now.length > 0) await bus.publish(now.map(({ message }) => message));
  for (const { message, at } of outbox) if (at !== undefined) await bus.publishAt(at, `event-${message.id}`, message);
}
