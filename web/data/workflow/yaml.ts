import { load } from 'js-yaml';

/** The document of a workflow's source; undefined for invalid YAML. */
export function documentOf(source: string): unknown {
  try {
    return load(source);
  } catch {
    return undefined;
  }
}
