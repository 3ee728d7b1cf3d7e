/** The members of a port whose calls return promises. */
type Methods<Port> = { readonly [Name in keyof Port]: (...args: never[]) => Promise<unknown> };

/**
 * A port whose adapter is loaded at its first call: most calls of a function use few of its ports, and a client of the SDK
 * takes 10 to 20 ms of its start. `names` has each member of the port. A load that failed is repeated by the next call.
 */
export function deferred<Port extends Methods<Port>>(
  names: Readonly<Record<keyof Port & string, true>>,
  load: () => Promise<Port>,
): Port {
  let loading: Promise<Port> | undefined;
  const loaded = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const methods = Object.keys(names).map((name) => {
    const call = async (...args: never[]) => {
      const port = await loaded();
      return port[name as keyof Port & string](...args);
    };
    return [name, call];
  });
  return Object.fromEntries(methods) as Port;
}
