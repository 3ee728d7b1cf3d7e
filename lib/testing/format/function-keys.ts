/** The key of a function in all workflows of a test: `/billing/refund#charge`. */
export const functionKey = (path: string, id: string): string => `/${path.replace(/^\/+/, '')}#${id}`;

/** The path of the workflow and the id of the function in a name: `charge`, or `bank#charge` of another workflow. */
export function functionIn(name: string, main: string): { readonly path: string; readonly id: string } {
  const [before = '', after] = name.split('#');
  return after === undefined ? { path: main, id: before } : { path: before.replace(/^\/+/, ''), id: after };
}

/** The key of a function that a case names, where its workflow is `main`. */
export function keyOfName(name: string, main: string): string {
  const { path, id } = functionIn(name, main);
  return functionKey(path, id);
}

/** How messages name the function of a key. */
export function functionName(key: string): string {
  const { path, id } = functionIn(key, '');
  return `'${id}' of '${path}'`;
}
