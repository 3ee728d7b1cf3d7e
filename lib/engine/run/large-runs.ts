import type { EnginePorts } from '../ports.ts';

/** Returns the ports for reading a run, with which its large data is read in a turn of its own. */
export const inLargeTurns = ({ table, blobs, processor }: Pick<EnginePorts, 'table' | 'blobs' | 'processor'>) => ({
  ...{ table, blobs },
  beforeLarge: async (namespace: string) => processor?.takeLargeTurn(namespace),
});
