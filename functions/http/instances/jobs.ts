import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import type { jobs as routes } from '../../../lib/api/registry/routes/jobs.ts';
import * as jobs from '../../../lib/domain/instances/jobs.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import { createJob, stopJob } from '../../../lib/engine/requests/bulk/jobs.ts';

/** Jobs on many runs. */
export const endpoints: EndpointsOf<keyof typeof routes> = {
  listJobs: async (ports, { path }) => {
    const { id, name } = await namespaces.need(ports, path.namespace);
    return { namespace: name, jobs: (await jobs.list(ports, id)).map(jobs.toRecord) };
  },
  createJob: async (ports, { path, query, input, caller }) => {
    const { action, ...how } = input;
    const wanted = { action, how, request: toListRequest(query), createdBy: caller.name };
    const job = await createJob(ports, path.namespace, wanted);
    return { namespace: path.namespace, job: jobs.toRecord(job) };
  },
  stopJob: async (ports, { path, query }) => {
    const job = await stopJob(ports, path.namespace, query['job']?.[0] ?? '');
    return { namespace: path.namespace, job: jobs.toRecord(job) };
  },
};
