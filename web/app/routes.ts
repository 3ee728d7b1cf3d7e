import type { ComponentType } from 'preact';

export type PageProps = { readonly params: Readonly<Record<string, string>> };
type Page = ComponentType<PageProps>;

interface Route {
  /** `:name` is one segment, `*name` the rest of the path. */
  readonly path: string;
  readonly load: () => Promise<Page>;
}

/** Every page of the console: its address, and where its code is. */
export const routes: readonly Route[] = [
  { path: '', load: () => import('../pages/namespaces/namespaces.tsx').then((page) => page.NamespacesPage) },
  { path: 'gallery', load: () => import('../pages/gallery/gallery.tsx').then((page) => page.GalleryPage) },
  { path: 'gallery/:part', load: () => import('../pages/gallery/gallery.tsx').then((page) => page.GalleryPage) },
  { path: 'keys', load: () => import('../pages/keys/keys.tsx').then((page) => page.KeysPage) },
  { path: 'server', load: () => import('../pages/server/server.tsx').then((page) => page.ServerPage) },
  {
    path: 'server/services/:name',
    load: () => import('../pages/services/service.tsx').then((page) => page.ServicePage),
  },
  { path: 'playground', load: () => import('../pages/playground/playground.tsx').then((page) => page.PlaygroundPage) },
  { path: 'n/:namespace', load: () => import('../pages/overview/overview.tsx').then((page) => page.OverviewPage) },
  { path: 'n/:namespace/tree/*path', load: () => import('../pages/tree/tree.tsx').then((page) => page.TreePage) },
  { path: 'n/:namespace/runs', load: () => import('../pages/runs/runs.tsx').then((page) => page.RunsPage) },
  { path: 'n/:namespace/runs/:id', load: () => import('../pages/run/run.tsx').then((page) => page.RunPage) },
  { path: 'n/:namespace/events', load: () => import('../pages/events/events.tsx').then((page) => page.EventsPage) },
  { path: 'n/:namespace/events/*id', load: () => import('../pages/events/events.tsx').then((page) => page.EventsPage) },
  { path: 'n/:namespace/metrics', load: () => import('../pages/metrics/metrics.tsx').then((page) => page.MetricsPage) },
  { path: 'n/:namespace/log', load: () => import('../pages/log/log.tsx').then((page) => page.LogPage) },
  {
    path: 'n/:namespace/variables',
    load: () => import('../pages/variables/variables.tsx').then((page) => page.VariablesPage),
  },
  { path: 'n/:namespace/secrets', load: () => import('../pages/secrets/secrets.tsx').then((page) => page.SecretsPage) },
  {
    path: 'n/:namespace/services',
    load: () => import('../pages/services/services.tsx').then((page) => page.ServicesPage),
  },
  {
    path: 'n/:namespace/services/:name',
    load: () => import('../pages/services/service.tsx').then((page) => page.ServicePage),
  },
  {
    path: 'n/:namespace/registries',
    load: () => import('../pages/registries/registries.tsx').then((page) => page.RegistriesPage),
  },
  {
    path: 'n/:namespace/settings',
    load: () => import('../pages/settings/settings.tsx').then((page) => page.SettingsPage),
  },
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
