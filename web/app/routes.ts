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
  { path: 'n/:namespace/runs', load: () => import('../pages/runs/runs.tsx').then((page) => page.RunsPage) },
  { path: 'n/:namespace/runs/:id', load: () => import('../pages/run/run.tsx').then((page) => page.RunPage) },
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
