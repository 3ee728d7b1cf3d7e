import { dirname, join } from 'node:path';
import type { House, Violation } from './house.ts';
import { importGraph } from './imports.ts';

type Graph = ReadonlyMap<string, readonly string[]>;

function reachableFrom(graph: Graph, start: string): Set<string> {
  const reached = new Set<string>();
  const open = [...(graph.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(graph.get(next) ?? []));
  }
  return reached;
}

/** The groups of nodes in which each reaches each other (the strongly connected components of more than one node). */
function circlesIn(graph: Graph): string[][] {
  const reach = new Map([...graph.keys()].map((node) => [node, reachableFrom(graph, node)]));
  const groups = [...graph.keys()].map((node) =>
    [...(reach.get(node) ?? [])].filter((other) => reach.get(other)?.has(node)).sort(),
  );
  const named = groups.filter((group) => group.length > 0).map((group) => [group.join(', '), group] as const);
  return [...new Map(named).values()];
}

const toViolation = (group: readonly string[]): Violation => ({
  at: group.join(', '),
  why: 'these import each other in a circle',
});

/** Circles of imports among files, type imports included. */
export function circlesOfFiles(house: House): Violation[] {
  return circlesIn(importGraph(house)).map(toViolation);
}

/** The part of the folder `parent` that contains a path: a folder in it, or `parent` itself for its own files. */
function partOf(parent: string, path: string): string {
  const [name = '', ...below] = path.slice(parent === '' ? 0 : parent.length + 1).split('/');
  return below.length === 0 ? parent : join(parent, name);
}

/** The innermost folder that contains both paths, '' for the repository. */
function aroundBoth(one: string, other: string): string {
  const [names, others] = [dirname(one).split('/'), dirname(other).split('/')];
  const end = names.findIndex((name, index) => name !== others[index]);
  return names.slice(0, end === -1 ? undefined : end).join('/');
}

/**
 * Circles among the folders of a folder, at each depth of the tree; the folder's own files are one part more. A folder is
 * all that is in it: files that import each other without a circle may still make two folders depend on each other.
 */
export function circlesOfFolders(house: House): Violation[] {
  const imports = [...importGraph(house)].flatMap(([from, targets]) => targets.map((to) => ({ from, to })));
  const levels = Map.groupBy(imports, ({ from, to }) => aroundBoth(from, to));
  return [...levels].flatMap(([parent, inside]) => {
    const arrows = inside.map(({ from, to }) => [partOf(parent, from), partOf(parent, to)] as const);
    const apart = Map.groupBy(
      arrows.filter(([from, to]) => from !== to),
      ([from]) => from,
    );
    return circlesIn(new Map([...apart].map(([from, all]) => [from, all.map(([, to]) => to)]))).map(toViolation);
  });
}
