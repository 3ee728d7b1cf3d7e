import type { Call } from '../../../lib/api/http/call.ts';
import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import { plainError } from '../../../lib/api/http/reply.ts';
import type { IdsOf, IdsServedBy, NeedsOf } from '../../../lib/api/registry/routes/index.ts';
import * as metrics from '../../../lib/domain/metrics/metrics.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import { parseGoDuration } from '../../../lib/time/go-durations.ts';

type Needs = Pick<Ports, NeedsOf<'metrics'>>;
type Path = Call<'getWorkflowInvoked'>['path'];

const namingOf = ({ settings }: Needs, { namespace }: Path) => ({ brand: settings.brand, namespace });

const ofWorkflow =
  (metric: metrics.MetricName) =>
  (ports: Needs, { path }: { readonly path: Path }) =>
    metrics.ofWorkflow(ports, namingOf(ports, path), path.node, metric);

function getFlow(ports: Needs, { path, query }: Call<'getWorkflowFlow'>) {
  const text = query['since']?.[0] ?? '';
  const since = text === '' ? undefined : parseGoDuration(text);
  if (text !== '' && since === undefined) {
    return plainError(400, `invalid 'since' parameter: '${text.slice(0, 40)}' is no duration such as 24h or 90m`);
  }
  const request = { path: path.node, ref: query['ref']?.[0] ?? '', since };
  return metrics.flowOf(ports, namingOf(ports, path), request);
}

/** The metrics that hang on a path of the tree; its Lambda serves them. */
export const endpoints: EndpointsOf<IdsOf<'metrics'> & IdsServedBy<'tree'>> = {
  getWorkflowInvoked: ofWorkflow('invoked'),
  getWorkflowSuccessful: ofWorkflow('successful'),
  getWorkflowFailed: ofWorkflow('failed'),
  getWorkflowMilliseconds: ofWorkflow('milliseconds'),
  getWorkflowStateMilliseconds: (ports, { path }) => metrics.ofStates(ports, namingOf(ports, path), path.node),
  getWorkflowFlow: getFlow,
};
