import * as runs from '../../domain/runs/runs.ts';
import type { EnginePorts } from '../ports.ts';

/** The fields that name a run in a log record. It never throws: it describes a fault that is logged already. */
export async function logFieldsOf(ports: EnginePorts, instance: string): Promise<Readonly<Record<string, string>>> {
  const run = await runs.find(ports, instance).catch(() => undefined);
  return run === undefined ? { instance } : { instance, namespace: run.namespace, workflow: run.path };
}
