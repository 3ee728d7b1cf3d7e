import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from '../data/api/client.ts';
import { toApiError } from '../data/api/errors.ts';
import { isLocked, key, rights, session } from '../data/api/session.ts';
import { place } from '../data/navigation/location.ts';
import { SignInAgain, SignInPage } from '../pages/sign-in/sign-in.tsx';
import { ErrorNote } from '../parts/note/note.tsx';
import { Toasts } from '../parts/toast/toast.tsx';
import { Frame } from './frame.tsx';
import { Palette } from './palette.tsx';
import { findRoute } from './routes.ts';

/** Reads the rights of the stored key; an invalid key ends the session. */
function useRights(): string {
  const error = useSignal('');
  const secret = key.value;
  useEffect(() => {
    if (secret === undefined || rights.peek() !== undefined) return;
    call('getOwnKey', {}).then(
      (granted) => {
        rights.value = granted;
        error.value = '';
      },
      (failure: unknown) => {
        error.value = toApiError(failure).message;
      },
    );
  }, [secret, error]);
  return error.value;
}

function NotFound() {
  return (
    <div class="page-error">
      <h1>No page has this address</h1>
      <p class="quiet">It may have been mistyped. The bar leads to every page.</p>
    </div>
  );
}

function Content() {
  const found = findRoute(place.value.segments);
  if (found === undefined) return <NotFound />;
  const { path, page: Page } = found.route;
  return <Page key={`${session.value} ${path}`} params={found.params} />;
}

/**
 * The whole console: the sign-in, then the frame with the page of the address. If the key is rejected, the page is hidden
 * until another key is entered.
 */
export function App() {
  const error = useRights();
  const isHidden = isLocked.value;
  if (key.value === undefined && !isHidden) return <SignInPage />;
  if (error !== '') {
    return (
      <ErrorNote
        title="The console could not start"
        error={{ message: error, status: 0 }}
        onRetry={() => window.location.reload()}
      />
    );
  }
  if (rights.value === undefined) return null;
  return (
    <>
      <div class={isHidden ? 'locked' : ''}>
        <Frame>
          <Content />
        </Frame>
        <Palette />
      </div>
      {isHidden && <SignInAgain />}
      <Toasts />
    </>
  );
}
