import { vi } from 'vitest';
import type { Happened } from '../../lib/ports/telemetry/meter.ts';

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
}

/** A log line in the embedded metric format of CloudWatch. */
export interface EmfLine {
  readonly _aws: { readonly Timestamp: number; readonly CloudWatchMetrics: readonly Directive[] };
  readonly [name: string]: unknown;
}

/** Captures the lines that functions write to their logs. */
export class LogLines {
  #text = '';

  constructor() {
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation((chunk) => {
        this.#text += String(chunk);
        return true;
      });
    }
  }

  get text(): string {
    return this.#text;
  }

  /** The lines that are JSON. */
  get all(): readonly Record<string, unknown>[] {
    return this.#text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  get emf(): readonly EmfLine[] {
    return this.all.filter((line) => '_aws' in line) as unknown as EmfLine[];
  }

  get faults(): readonly Record<string, unknown>[] {
    return this.all.filter(({ message }) => message === 'a fault of the service');
  }

  /** The sums of the metrics, by their dimensions (without the installation), then by name. */
  get sums(): Readonly<Record<string, Happened>> {
    const sums: Record<string, Record<string, number>> = {};
    for (const line of this.emf) {
      for (const { Dimensions, Metrics } of line._aws.CloudWatchMetrics) {
        for (const dimensions of Dimensions) {
          const others = dimensions.filter((name) => name !== 'service').map((name) => `${name}=${line[name]}`);
          const name = others.join(' ');
          const found = sums[name] ?? {};
          sums[name] = found;
          for (const { Name } of Metrics) found[Name] = (found[Name] ?? 0) + Number(line[Name]);
        }
      }
    }
    return sums;
  }

  clear(): void {
    this.#text = '';
  }
}
