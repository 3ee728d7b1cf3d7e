import type { House, Violation } from './house.ts';
import { folderGraph, importGraph } from './imports.ts';

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

/** Circles among folders: their files may import each other without a circle, and the folders still depend on each other. */
export function circlesOfFolders(house: House): Violation[] {
  return circlesIn(folderGraph(house)).map(toViolation);
}
