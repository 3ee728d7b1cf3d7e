import { load } from 'js-yaml';
import { type Graph, toGraph } from './graph.ts';

/** The graph of a workflow's source; undefined while the text is no YAML. */
export function graphOf(source: string): Graph | undefined {
  try {
    return toGraph(load(source));
  } catch {
    return undefined;
  }
}

/** The document of a workflow's source; undefined while the text is no YAML. */
export function documentOf(source: string): unknown {
  try {
    return load(source);
  } catch {
    return undefined;
  }
}
