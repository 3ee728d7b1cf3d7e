import { failedResult } from '../../../containers/session/protocol.ts';
import type { Containers } from '../../../ports/containers.ts';

/** The port Containers where no container can run. `problem` is the reason for the user; every call fails with it. */
export function noContainers(problem: string): Containers {
  return {
    problem: async () => problem,
    prepare: async () => {},
    status: async (ids) => ids.map(() => undefined),
    call: async () => failedResult(problem),
    cancel: async () => {},
    remove: async () => {},
    output: async () => undefined,
  };
}
