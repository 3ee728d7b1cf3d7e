import type { ApiError } from '../api/errors.ts';
import { useModule } from '../loading/module.ts';
import { type Graph, toGraph } from './graph.ts';

/** Loads the module that reads YAML: it is a tenth of the code of the console, and loads where it is needed. */
export const loadYaml = () => import('./yaml.ts');

/** How workflow sources are read. */
export interface Reading {
  /** The document of a source; undefined while the text is no YAML, and until the code has come. */
  readonly documentOf: (source: string) => unknown;
  /** The graph of a source; undefined as above. */
  readonly graphOf: (source: string) => Graph | undefined;
  readonly isLoaded: boolean;
  readonly error: ApiError | undefined;
}

/** Loads the module that reads workflow sources when the component is shown. */
export function useReading(): Reading {
  const { module, error } = useModule(loadYaml);
  const documentOf = (source: string): unknown => module?.documentOf(source);
  const graphOf = (source: string): Graph | undefined => {
    const document = documentOf(source);
    return document === undefined ? undefined : toGraph(document);
  };
  return { documentOf, graphOf, isLoaded: module !== undefined, error };
}
