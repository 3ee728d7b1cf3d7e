import { clock, mayStream, meter, settings, table, vault } from '../../lib/adapters/aws/deployed.ts';
import { openapi } from '../../lib/api/docs/openapi.ts';
import type { Call } from '../../lib/api/http/call.ts';
import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import { lambda } from '../../lib/api/lambda.ts';
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

export const handler = lambda<'system'>({ endpoints }, { table, vault, clock, settings, meter }, mayStream);
