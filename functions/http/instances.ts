import type { Endpoints, EndpointsOf } from '../../lib/api/http/endpoints.ts';
import { isOn } from '../../lib/api/http/request.ts';
import type { instances as routes } from '../../lib/api/registry/routes/instances.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { toBundle } from '../../lib/domain/instances/bundle.ts';
import { needKnown } from '../../lib/domain/instances/filters.ts';
import * as instances from '../../lib/domain/instances/instances.ts';
import { withLabels } from '../../lib/domain/instances/labels.ts';
import { toFailure, toStepReply, toTimeline } from '../../lib/domain/instances/timeline.ts';
import { toListRequest } from '../../lib/domain/storage/list-requests.ts';
import { needOfRun } from '../../lib/domain/tree/kept-sources.ts';
import * as revisions from '../../lib/domain/tree/revisions.ts';
import { cancel } from '../../lib/engine/delivery/deliver.ts';
import { toWaiting } from '../../lib/engine/inspection/waiting.ts';
import { rerunMany } from '../../lib/engine/requests/bulk/rerunning.ts';
import { planRerun, type Rerun, rerun } from '../../lib/engine/requests/start/rerun.ts';
import * as jobs from './instances/jobs.ts';
import * as prices from './instances/prices.ts';

function needRevisionChoice(text = 'pinned'): Rerun['revision'] {
  if (text === 'pinned' || text === 'latest') return text;
  throw new ServiceError('malformed', `revision is '${text}'; it must be 'pinned' or 'latest'`);
}

const ownEndpoints: EndpointsOf<Exclude<keyof typeof routes, 'getPrices'>> = {
  listInstances: async (ports, { path, query }) => {
    // Clients expect this status for a bad list request here, and another one elsewhere.
    const request = toListRequest(query, 'refused');
    if (ports.settings.brand !== 'direktiv') needKnown(request);
    const list = await instances.list(ports, path.namespace, request);
    const shown = isOn(query, 'labels') ? await withLabels(ports.table, list) : list;
    return { instances: shown, namespace: path.namespace };
  },
  rerunInstances: async (ports, { path, query, input }) => {
    const { dryRun = true, limit = 20, after = '', at, repeat = 'failed' } = input ?? {};
    return rerunMany(ports, path.namespace, {
      request: toListRequest(query),
      at: at === undefined ? ports.clock.now() : Date.parse(at),
      dryRun,
      limit,
      after,
      from: query['from']?.[0] ?? '',
      revision: needRevisionChoice(query['revision']?.[0]),
      patch: [],
      repeat,
    });
  },
  getInstance: async (ports, { path }) => {
    const run = await instances.need(ports, path.namespace, path.instance, 'outline');
    const error = ports.settings.brand === 'direktiv' ? undefined : await toFailure(ports, run);
    return { ...instances.toDetail(run), ...(error === undefined ? {} : { error }) };
  },
  getInstanceInput: async (ports, { path }) => {
    const run = await instances.need(ports, path.namespace, path.instance);
    return instances.toData(run, instances.inputOf(run));
  },
  getInstanceOutput: async (ports, { path }) => {
    const run = await instances.need(ports, path.namespace, path.instance);
    return instances.toData(run, instances.outputBytesOf(run));
  },
  getInstanceMetadata: async (ports, { path }) => {
    const run = await instances.need(ports, path.namespace, path.instance);
    return instances.toData(run, Buffer.from(run.metadata));
  },
  getInstanceTimeline: async (ports, { path }) =>
    toTimeline(ports, await instances.need(ports, path.namespace, path.instance, 'outline')),
  getInstanceStep: async (ports, { path }) =>
    toStepReply(ports, await instances.need(ports, path.namespace, path.instance), path.step),
  getInstanceWaiting: async (ports, { path }) =>
    toWaiting(ports, await instances.need(ports, path.namespace, path.instance, 'outline')),
  getInstanceSource: async (ports, { path }) => {
    const run = await instances.need(ports, path.namespace, path.instance);
    const revision = await needOfRun(ports, run);
    return { namespace: run.namespace, instance: run.id, path: run.path, revision: revisions.toRecord(revision) };
  },
  getInstanceBundle: async (ports, { path }) =>
    toBundle(ports, await instances.need(ports, path.namespace, path.instance)),
  rerunInstance: async (ports, { path, query, input }) => {
    const run = await instances.need(ports, path.namespace, path.instance);
    const wanted: Rerun = {
      from: query['from']?.[0] ?? '',
      revision: needRevisionChoice(query['revision']?.[0]),
      patch: input?.patch ?? [],
      repeat: input?.repeat ?? 'failed',
    };
    const reply = { namespace: run.namespace, rerunOf: run.id };
    if (input?.dryRun === true) return { ...reply, warnings: await planRerun(ports, run, wanted) };
    const { run: started, warnings } = await rerun(ports, run, wanted);
    return { ...reply, instance: started.id, warnings };
  },
  cancelInstance: async (ports, { path }) => {
    await cancel(ports, await instances.need(ports, path.namespace, path.instance));
  },
};

export const endpoints: Endpoints<'instances'> = {
  ...ownEndpoints,
  ...prices.endpoints,
  ...jobs.endpoints,
};
