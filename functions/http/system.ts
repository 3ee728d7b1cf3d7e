import { openapi } from '../../lib/api/docs/openapi.ts';
import type { Call } from '../../lib/api/http/call.ts';
import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import * as playground from '../../lib/engine/evaluation/playground.ts';

export const endpoints: Endpoints<'system'> = {
  getVersion: ({ settings: { version } }) => ({ api: version, flow: version, functions: version }),
  runJq: async (_ports, { input, caller }: Call<'runJq'>) => ({
    query: input.query,
    data: input.data,
    results: [await playground.run({ ...input, callerId: caller.id })],
  }),
  getDescription: () => openapi(),
};
