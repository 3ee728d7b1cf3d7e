import type { ComponentType } from 'preact';
import { ApprovalsPage } from '../pages/approvals/approvals.tsx';
import { AuditPage } from '../pages/audit/audit.tsx';
import { EventsPage } from '../pages/events/events.tsx';
import { FailuresPage } from '../pages/failures/failures.tsx';
import { KeysPage } from '../pages/keys/keys.tsx';
import { LogPage } from '../pages/log/log.tsx';
import { MetricsPage } from '../pages/metrics/metrics.tsx';
import { NamespacesPage } from '../pages/namespaces/namespaces.tsx';
import { OverviewPage } from '../pages/overview/overview.tsx';
import { PlaygroundPage } from '../pages/playground/playground.tsx';
import { QueuePage } from '../pages/queue/queue.tsx';
import { RegistriesPage } from '../pages/registries/registries.tsx';
import { RunPage } from '../pages/run/run.tsx';
import { RunsPage } from '../pages/runs/runs.tsx';
import { SchedulesPage } from '../pages/schedules/schedules.tsx';
import { SecretsPage } from '../pages/secrets/secrets.tsx';
import { ServerPage } from '../pages/server/server.tsx';
import { ServicePage } from '../pages/services/service.tsx';
import { ServicesPage } from '../pages/services/services.tsx';
import { SettingsPage } from '../pages/settings/settings.tsx';
import { TreePage } from '../pages/tree/tree.tsx';
import { VariablesPage } from '../pages/variables/variables.tsx';
import { WebhooksPage } from '../pages/webhooks/webhooks.tsx';
import { WorkersPage } from '../pages/workers/workers.tsx';

export type PageProps = { readonly params: Readonly<Record<string, string>> };

interface Route {
  /** `:name` is one segment, `*name` the rest of the path. */
  readonly path: string;
  readonly page: ComponentType<PageProps>;
}

/**
 * Every page of the console, by its address. All pages are in one file, so that a visit takes few requests; large
 * parts load when they are shown: the editor, the diagram, charts.
 */
export const routes: readonly Route[] = [
  { path: '', page: NamespacesPage },
  { path: 'keys', page: KeysPage },
  { path: 'audit', page: AuditPage },
  { path: 'server', page: ServerPage },
  { path: 'server/services/:name', page: ServicePage },
  { path: 'playground', page: PlaygroundPage },
  { path: 'n/:namespace', page: OverviewPage },
  { path: 'n/:namespace/tree/*path', page: TreePage },
  { path: 'n/:namespace/runs', page: RunsPage },
  { path: 'n/:namespace/runs/:id', page: RunPage },
  { path: 'n/:namespace/events', page: EventsPage },
  { path: 'n/:namespace/events/*id', page: EventsPage },
  { path: 'n/:namespace/approvals', page: ApprovalsPage },
  { path: 'n/:namespace/workers', page: WorkersPage },
  { path: 'n/:namespace/webhooks', page: WebhooksPage },
  { path: 'n/:namespace/metrics', page: MetricsPage },
  { path: 'n/:namespace/failures', page: FailuresPage },
  { path: 'n/:namespace/queue', page: QueuePage },
  { path: 'n/:namespace/schedules', page: SchedulesPage },
  { path: 'n/:namespace/log', page: LogPage },
  { path: 'n/:namespace/variables', page: VariablesPage },
  { path: 'n/:namespace/secrets', page: SecretsPage },
  { path: 'n/:namespace/services', page: ServicesPage },
  { path: 'n/:namespace/services/:name', page: ServicePage },
  { path: 'n/:namespace/registries', page: RegistriesPage },
  { path: 'n/:namespace/settings', page: SettingsPage },
];

export interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

function match(path: string, segments: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  const parts = path.split('/').filter(Boolean);
  for (const [index, part] of parts.entries()) {
    if (part.startsWith('*')) return { ...params, [part.slice(1)]: segments.slice(index).join('/') };
    const segment = segments[index];
    if (segment === undefined) return undefined;
    if (part.startsWith(':')) params[part.slice(1)] = segment;
    else if (part !== segment) return undefined;
  }
  return parts.length === segments.length ? params : undefined;
}

/** The page of an address; undefined where there is none. */
export function findRoute(segments: readonly string[]): Found | undefined {
  for (const route of routes) {
    const params = match(route.path, segments);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}
