import { namespaceOpenapi } from '../../lib/api/docs/namespace-openapi.ts';
import { requireAdministrator, requireAllNamespaces } from '../../lib/api/http/access.ts';
import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import { isOn } from '../../lib/api/http/request.ts';
import { note } from '../../lib/domain/logs/change-lines.ts';
import { configure, toConfig } from '../../lib/domain/namespaces/config.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import * as purging from '../../lib/domain/purging/purging.ts';
import { toListRequest } from '../../lib/domain/storage/list-requests.ts';
import * as mirrors from '../../lib/domain/tree/mirrors.ts';
import * as definitions from '../../lib/domain/tree/postponed-definitions.ts';
import { alertWarnings } from '../../lib/engine/inspection/alert-target.ts';
import { executableWorkflows } from '../../lib/engine/inspection/executable-workflows.ts';
import * as scheduled from '../../lib/engine/inspection/scheduled-workflows.ts';
import { usageOf } from '../../lib/engine/limits/usage.ts';

export const endpoints: Endpoints<'namespaces'> = {
  listNamespaces: (ports, { query, caller }) => namespaces.list(ports, toListRequest(query), caller.canAccess),
  createNamespace: async (ports, { path, input, caller }) => {
    // A token names namespaces, which may not exist: a new one would not have the limits of one that was deleted.
    requireAllNamespaces(caller, 'a new namespace');
    mirrors.needNone(input);
    const namespace = await namespaces.create(ports, path.namespace);
    await note(ports, 'namespace.create', {}, namespace.name);
    return { namespace: namespaces.toRecord(namespace) };
  },
  deleteNamespace: async (ports, { path, query }) => {
    const purge = await namespaces.remove(ports, path.namespace, isOn(query, 'recursive'));
    await note(ports, 'namespace.delete', {}, path.namespace);
    await purging.finish(ports, purge);
  },
  getConfig: async (ports, { path }) => toConfig(await namespaces.need(ports, path.namespace)),
  setConfig: async (ports, { path, input, caller }) => {
    const isAllowed = (setting: string) => requireAdministrator(caller, `the setting '${setting}'`);
    const config = await configure(ports, path.namespace, input, isAllowed);
    const warnings = await alertWarnings(ports, path.namespace, input.alerts);
    return { ...config, ...(warnings.length === 0 ? {} : { warnings }) };
  },
  getWorkflowsDescription: async (ports, { path }) => {
    const namespace = await namespaces.need(ports, path.namespace);
    return namespaceOpenapi(namespace.name, await executableWorkflows(ports, namespace));
  },
  getUsage: async (ports, { path }) => usageOf(ports, await namespaces.need(ports, path.namespace)),
  listSchedules: async (ports, { path }) => {
    const namespace = await namespaces.need(ports, path.namespace);
    return { namespace: namespace.name, schedules: await scheduled.list(ports, namespace) };
  },
  getDefinitions: async (ports, { path }) =>
    definitions.progressOf(ports, (await namespaces.need(ports, path.namespace)).id),
};
