import type { Call } from '../../lib/api/http/call.ts';
import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import type { NeedsOf } from '../../lib/api/registry/routes/index.ts';
import * as metrics from '../../lib/domain/metrics/metrics.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { depthOf, queuesOf, toDepthSamples } from '../../lib/domain/workers/queues.ts';
import type { Ports } from '../../lib/ports/ports.ts';

type Needs = Pick<Ports, NeedsOf<'metrics'>>;

const ofNamespace =
  (metric: metrics.MetricName) =>
  (ports: Needs, { path }: Pick<Call<'getNamespaceInvoked'>, 'path'>) =>
    metrics.ofNamespace(ports, { brand: ports.settings.brand, namespace: path.namespace }, metric);

export const endpoints: Endpoints<'metrics'> = {
  getNamespaceInvoked: ofNamespace('invoked'),
  getNamespaceSuccessful: ofNamespace('successful'),
  getNamespaceFailed: ofNamespace('failed'),
  getNamespaceMilliseconds: ofNamespace('milliseconds'),
  getNamespaceWorkers: async (ports, { path }) => {
    const namespace = await namespaces.need(ports, path.namespace);
    const names = await queuesOf(ports, namespace);
    return toDepthSamples(await Promise.all(names.map((name) => depthOf(ports, namespace, name))), ports.clock.now());
  },
};
