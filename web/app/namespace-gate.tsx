import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { NamespacesReply } from '../../clients/api/operations.ts';
import { addresses } from '../data/navigation/addresses.ts';
import { ButtonLink } from '../parts/button/button.tsx';
import { Empty } from '../parts/note/note.tsx';

interface NamespaceGateProps {
  /** The namespace of the page, if it has one. */
  readonly namespace: string | undefined;
  /** The namespaces that the key may read; undefined until they are listed. */
  readonly list: NamespacesReply | undefined;
  readonly children: ComponentChildren;
}

/** The page of a namespace, or a notice if the namespace does not exist or was deleted. */
export function NamespaceGate({ namespace, list, children }: NamespaceGateProps) {
  const wasThere = useRef(false);
  // Of more namespaces than are listed, any may be there; its page shows an error if it is not.
  const isListed = list?.results.some(({ name }) => name === namespace) || list?.pageInfo.hasNextPage;
  const isThere = namespace === undefined || isListed === true;
  if (isThere) wasThere.current = true;
  if (isThere || list === undefined) return <>{children}</>;
  return (
    <Empty
      icon="overview"
      title={wasThere.current ? `The namespace ${namespace} was deleted` : `No namespace ${namespace}`}
      action={
        <ButtonLink kind="primary" href={addresses.home()}>
          All namespaces
        </ButtonLink>
      }
    >
      <p>
        {wasThere.current
          ? 'Its workflows, runs and variables are gone with it, or this key may not see them any longer.'
          : 'It was deleted, the address was mistyped, or this key may not see it.'}{' '}
        When it is made, this page shows it.
      </p>
    </Empty>
  );
}
