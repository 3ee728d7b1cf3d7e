/** A text of the service, and its meaning for a user of the command line. */
interface Refusal {
  /** The service's text. */
  readonly says: RegExp;
  /** The path and query of the request; its groups are the names that the user gave. */
  readonly of: RegExp;
  /** The names are decoded. */
  readonly text: (...names: readonly string[]) => string;
}

// A service may be below a path of its host.
const NAMESPACE = '/api/namespaces/([^/?]+)';
const below = (rest: string): RegExp => new RegExp(`${NAMESPACE}${rest}`);

/** Users often write the name of the file. */
const fileHint = (path: string): string => {
  const [, name] = /^(.+)\.ya?ml$/.exec(path) ?? [];
  return name === undefined ? '' : `; did you mean '${name}'?`;
};

const missing =
  (noun: string) =>
  (namespace = '', name = ''): string =>
    `no ${noun} '${name}' in '${namespace}'`;

/** The text for a path of the tree without a node. */
export const missingWorkflow = (namespace = '', path = ''): string =>
  `no workflow '${path}' in '${namespace}'${fileHint(path)}`;

const TREE = below('/tree/([^?]*)');

/** The refusals that users meet when they mistype a name. The texts of the service are those of the original. */
const REFUSALS: readonly Refusal[] = [
  {
    says: /^namespace not found$/,
    of: below(''),
    text: (name = '') => `no namespace '${name}'; 'weft namespaces list' lists them`,
  },
  { says: /^resource already exists$/, of: below('$'), text: (name = '') => `there is a namespace '${name}' already` },
  { says: /^(instance not found|invalid UUID.*)$/, of: below('/instances/([^/?]+)'), text: missing('run') },
  {
    says: /^ref not found$/,
    of: below('/tree/([^?]*)\\?.*\\bref=([^&]+)'),
    text: (_, path = '', ref = '') =>
      `no revision or tag '${ref}' of the workflow '${path}'; 'weft workflows history ${path}' lists them`,
  },
  {
    says: /^not a revision$/,
    of: below('/tree/([^?]*)\\?.*\\bref=([^&]+)'),
    text: (_, path = '', ref = '') =>
      `'${ref}' is no saved revision of the workflow '${path}'; 'weft workflows untag' removes a tag`,
  },
  { says: /^inode not found at /, of: TREE, text: missingWorkflow },
  {
    says: /^not a workflow$/,
    of: TREE,
    text: (_, path = '') => `'${path}' is a directory; 'weft workflows list ${path}' lists its workflows`,
  },
  {
    says: /^cannot execute disabled workflow$/,
    of: TREE,
    text: (_, path = '') => `the workflow '${path}' is disabled; 'weft workflows enable ${path}' enables it`,
  },
  {
    says: /^cannot manually invoke event-based workflow$/,
    of: TREE,
    text: (_, path = '') => `the workflow '${path}' is started by events; 'weft events send' sends one`,
  },
  { says: /^var_ref not found$/, of: below('/vars/([^?]+)'), text: missing('variable') },
  {
    says: /^var_ref not found$/,
    of: below('/tree/([^?]*)\\?.*\\bvar=([^&]+)'),
    text: (_, path = '', name = '') => `no variable '${name}' of the workflow '${path}'`,
  },
  {
    says: /^var_ref not found$/,
    of: below('/instances/([^/]+)/vars/([^?]+)'),
    text: (_, run = '', name = '') => `no variable '${name}' of the run ${run}`,
  },
  { says: /^secret '.*' not found$/, of: below('/secrets/([^?]+)'), text: missing('secret') },
  { says: /^cloud_events not found$/, of: below('/events/([^/?]+)'), text: missing('event') },
  {
    says: /^key not found$/,
    of: /\/api\/keys\/([^/?]+)/,
    text: (id = '') => `no key '${id}'; 'weft keys list' lists them`,
  },
];

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The words for a refusal that names what the user mistyped; undefined for any other. `path`: with its query. */
export function plainRefusal(path: string, message: string): string | undefined {
  for (const { says, of, text } of REFUSALS) {
    const found = says.test(message) ? of.exec(path) : null;
    if (found !== null) return text(...found.slice(1).map((name) => decoded(name ?? '')));
  }
  return undefined;
}
