/** A package in package-lock.json. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly os?: unknown;
  readonly cpu?: unknown;
  readonly libc?: unknown;
  readonly hasInstallScript?: boolean;
}

/** The packages of package-lock.json by their folders: `node_modules/ajv`; the project itself is the empty text. */
export type Lock = Readonly<Record<string, LockedPackage>>;

/** Where Node finds a package that another one imports: beside it, or in a folder above. */
function find(lock: Lock, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock[path] !== undefined) return path;
    if (!folder.includes('/node_modules/')) {
      const top = `node_modules/${name}`;
      return lock[top] === undefined ? undefined : top;
    }
  }
}

/** With or without the optional packages. */
type Kind = 'all' | 'required';

function namesIn(path: string, { dependencies, optionalDependencies, ...peers }: LockedPackage, kind: Kind): string[] {
  // The peers of the package itself are packages that a user of its constructs installs.
  const { peerDependencies = {}, peerDependenciesMeta: meta = {} } = path === '' ? {} : peers;
  const needed = Object.keys(peerDependencies).filter((name) => meta[name]?.optional !== true);
  // Optional packages are among the dependencies too.
  const optional = Object.keys(optionalDependencies ?? {});
  const required = Object.keys(dependencies ?? {}).filter((name) => !optional.includes(name));
  return [...required, ...(kind === 'all' ? optional : []), ...needed];
}

/** Every package that can be loaded when the service runs, or `more` packages are bundled, with those that they need. */
export function closureOf(lock: Lock, kind: Kind, more: readonly string[] = []): string[] {
  const found = new Set<string>();
  const visit = (path: string, names: readonly string[]): void => {
    for (const name of names) {
      const next = find(lock, name, path);
      if (next === undefined || found.has(next)) continue;
      found.add(next);
      visit(next, namesIn(next, lock[next] ?? {}, kind));
    }
  };
  visit('', [...namesIn('', lock[''] ?? {}, kind), ...more]);
  return [...found];
}
