import { useSignal } from '@preact/signals';
import type { Node } from '../../../clients/api/operations.ts';
import { useLive } from '../../data/api/live.ts';
import { into } from '../../data/api/task.ts';
import { numeric } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { inOrder } from '../../data/workflow/tree.ts';
import { Icon } from '../../parts/icon/icon.tsx';

interface BranchProps {
  readonly namespace: string;
  readonly directory: string;
  readonly depth: number;
  /** The path of the page. */
  readonly current: string;
}

const isAround = (directory: string, path: string): boolean =>
  directory === '/' || path === directory || path.startsWith(`${directory}/`);

function Twig({ namespace, node, depth, current }: { readonly node: Node } & Omit<BranchProps, 'directory'>) {
  const isDirectory = node.type === 'directory';
  const isOpen = useSignal(isAround(node.path, current));
  const look = { paddingLeft: `${depth * 14 + 4}px` };
  return (
    <li>
      <div class="twig" style={look}>
        {isDirectory ? (
          <button
            type="button"
            class={`twig-toggle${isOpen.value ? ' open' : ''}`}
            aria-expanded={isOpen.value}
            aria-label={`${isOpen.value ? 'Close' : 'Open'} ${node.name}`}
            onClick={() => into(isOpen)(!isOpen.value)}
          >
            <Icon name="right" size={12} />
          </button>
        ) : (
          <span class="twig-toggle" />
        )}
        <a
          class="twig-link cut"
          href={addresses.tree(namespace, node.path)}
          aria-current={node.path === current ? 'page' : undefined}
        >
          <Icon name={isDirectory ? 'folder' : 'workflow'} size={14} />
          <span class="cut">{node.name}</span>
        </a>
      </div>
      {isDirectory && isOpen.value && <Branch {...{ namespace, current }} directory={node.path} depth={depth + 1} />}
    </li>
  );
}

function Branch({ namespace, directory, depth, current }: BranchProps) {
  const { value } = useLive('getNode', { namespace, node: directory });
  const reply = value.value;
  const children = reply !== undefined && 'children' in reply ? reply.children : undefined;
  const nodes = inOrder(children?.results ?? []);
  const left = (children?.pageInfo.total ?? 0) - nodes.length;
  return (
    <ul>
      {nodes.map((node) => (
        <Twig key={node.path} {...{ namespace, node, depth, current }} />
      ))}
      {left > 0 && (
        <li>
          <a class="twig-link" href={addresses.tree(namespace, directory)}>
            {numeric(left)} more
          </a>
        </li>
      )}
    </ul>
  );
}

/** The tree beside the page, opened down to the path of the page. */
export function TreeSide({ namespace, path }: { readonly namespace: string; readonly path: string }) {
  const current = path.length > 1 ? path.replace(/\/$/, '') : '/';
  return (
    <nav class="tree-side" aria-label="Tree">
      <a class="twig-link root" href={addresses.tree(namespace)} aria-current={current === '/' ? 'page' : undefined}>
        <Icon name="tree" size={14} />
        <span>/</span>
      </a>
      <Branch namespace={namespace} directory="/" depth={0} current={current} />
    </nav>
  );
}
