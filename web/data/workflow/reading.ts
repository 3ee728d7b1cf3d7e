import type { ApiError } from '../api/errors.ts';
import { useModule } from '../loading/module.ts';
import { type Graph, toGraph } from './graph.ts';

/** Loads the YAML parser, a tenth of the code of the console, on demand. */
export const loadYaml = () => import('./yaml.ts');

/** The functions that parse workflow sources. */
export interface Reading {
  /** The document of a source; undefined for invalid YAML, and until the parser is loaded. */
  readonly documentOf: (source: string) => unknown;
  /** The graph of a source; undefined as above. */
  readonly graphOf: (source: string) => Graph | undefined;
  readonly isLoaded: boolean;
  readonly error: ApiError | undefined;
}

/** Loads the parser of workflow sources when the component is shown. */
export function useReading(): Reading {
  const { module, error } = useModule(loadYaml);
  const documentOf = (source: string): unknown => module?.documentOf(source);
  const graphOf = (source: string): Graph | undefined => {
    const document = documentOf(source);
    return document === undefined ? undefined : toGraph(document);
  };
  return { documentOf, graphOf, isLoaded: module !== undefined, error };
}
