import type { Containers } from '../../../ports/containers.ts';

/** Where no container can run: `why` is for the user. Whatever is prepared is forgotten, and each call fails. */
export function noContainers(why: string): Containers {
  return {
    problem: async () => why,
    prepare: async () => {},
    status: async (ids) => ids.map(() => undefined),
    call: async () => ({ body: new Uint8Array(), failure: { code: '', message: why }, outputs: [] }),
    cancel: async () => {},
    remove: async () => {},
    output: async () => undefined,
  };
}
