import type { LambdaName } from '../../lib/api/registry/families.ts';

/** A place of the tree of paths. */
interface Place {
  /** The Lambda that serves the path itself; undefined: no route has it. */
  name?: LambdaName;
  readonly children: Map<string, Place>;
}

const isParameter = (part: string): boolean => part.startsWith('{');

/** Serves all deeper paths that have no place of their own. */
const REST = '{rest+}';

function treeOf(routes: ReadonlyMap<string, LambdaName>): Place {
  const root: Place = { children: new Map() };
  for (const [path, name] of routes) {
    let place = root;
    for (const part of path.split('/').filter(Boolean)) {
      const next = place.children.get(part) ?? { children: new Map() };
      place.children.set(part, next);
      place = next;
    }
    place.name = name;
  }
  return root;
}

const sizeOf = ({ children }: Place): number => [...children.values()].reduce((sum, child) => sum + sizeOf(child), 1);

/** The Lambda of a place and of all places below it; undefined if there are several. */
function onlyNameIn({ name, children }: Place): LambdaName | undefined {
  const names = new Set([...children.values()].map(onlyNameIn));
  if (name !== undefined) names.add(name);
  return names.size === 1 ? [...names][0] : undefined;
}

/**
 * Replaces children of a place that one Lambda serves, with all places below them, by one place for the rest: those of the
 * Lambda with the most places. Children with a parameter stay, and their siblings: API Gateway accepts one variable part
 * at a position.
 */
function collapse({ children }: Place): void {
  for (const child of children.values()) collapse(child);
  if ([...children.keys()].some(isParameter)) return;
  const whole = [...children].flatMap(([part, child]) => {
    const name = onlyNameIn(child);
    return name === undefined ? [] : [{ part, name, size: sizeOf(child) }];
  });
  const groups = [...Map.groupBy(whole, ({ name }) => name)].map(([name, all]) => ({
    name,
    parts: all.map(({ part }) => part),
    size: all.reduce((sum, { size }) => sum + size, 0),
  }));
  const [largest] = groups.sort((a, b) => b.size - a.size);
  if (largest === undefined || largest.size < 2) return;
  for (const part of largest.parts) children.delete(part);
  children.set(REST, { name: largest.name, children: new Map() });
}

function* routesIn({ name, children }: Place, path: string): Generator<[string, LambdaName]> {
  if (name !== undefined) yield [path === '' ? '/' : path, name];
  for (const [part, child] of children) yield* routesIn(child, `${path}/${part}`);
}

/**
 * The paths of API Gateway for these routes, with as few places as bring each request to the same Lambda: a place is two of
 * the 500 resources that a stack may have. The Lambda itself finds the route, and replies to paths that have none.
 */
export function compactPaths(routes: ReadonlyMap<string, LambdaName>): ReadonlyMap<string, LambdaName> {
  const root = treeOf(routes);
  for (const child of root.children.values()) collapse(child);
  return new Map(routesIn(root, ''));
}
