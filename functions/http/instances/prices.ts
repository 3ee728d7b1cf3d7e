import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { type ReadingPorts, readAs } from '../../../lib/domain/tree/reading.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import { PRICED_IN, PRICED_ON } from '../../../lib/pricing/prices.ts';
import { type PricedRuns, pricedRuns } from '../../../lib/pricing/reply.ts';

const MOST_PATHS = 50;
/** The number of items that each `foreach` is assumed to have, as `weft cost` does. */
const ITEMS = 10;

/** The prices of the latest revision; none if the workflow was deleted or does not compile. */
async function pricesOf(
  ports: Pick<Ports, 'table' | 'blobs'> & ReadingPorts,
  namespace: string,
  path: string,
): Promise<{ readonly workflow: string; readonly runs: readonly PricedRuns[] }> {
  const opened = await workflows.open(ports, namespace, path).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
  const { source = '', plan } = opened?.revision ?? {};
  if (plan === undefined) return { workflow: path, runs: [] };
  const text = { tenant: namespace, source };
  const runs = await readAs(ports, text, { as: 'prices', items: ITEMS }, () => pricedRuns(plan, ITEMS));
  return { workflow: path, runs };
}

export const endpoints: EndpointsOf<'getPrices'> = {
  getPrices: async (ports, { path, query }) => {
    const { path: paths = [] } = query;
    if (paths.length > MOST_PATHS) {
      throw new ServiceError('malformed', `path is given ${paths.length} times; at most ${MOST_PATHS} times`);
    }
    const { name: namespace } = await namespaces.need(ports, path.namespace);
    const priced = await Promise.all(paths.map((one) => pricesOf(ports, namespace, one)));
    return { namespace, pricedOn: PRICED_ON, region: PRICED_IN, workflows: priced };
  },
};
