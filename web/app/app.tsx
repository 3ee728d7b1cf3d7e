import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { call } from '../data/api/client.ts';
import { toApiError } from '../data/api/errors.ts';
import { key, rights } from '../data/api/session.ts';
import { loadModule } from '../data/loading/module.ts';
import { place } from '../data/navigation/location.ts';
import { SignInPage } from '../pages/sign-in/sign-in.tsx';
import { ErrorNote } from '../parts/note/note.tsx';
import { Toasts } from '../parts/toast/toast.tsx';
import { Frame } from './frame.tsx';
import { Palette } from './palette.tsx';
import { findRoute, type PageProps } from './routes.ts';

/** Asks what the key of an earlier page may do; a key that is good no more ends the session. */
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

const loadedPages = new Map<unknown, ComponentType<PageProps>>();

function Content() {
  const found = findRoute(place.value.segments);
  const failure = useSignal('');
  const arrivals = useSignal(0);
  const route = found?.route;
  useEffect(() => {
    if (route === undefined || loadedPages.has(route)) return;
    failure.value = '';
    loadModule(route.load).then(
      (page) => {
        loadedPages.set(route, page);
        arrivals.value += 1;
      },
      (error: unknown) => {
        failure.value = error instanceof Error ? error.message : String(error);
      },
    );
  }, [route, failure, arrivals]);
  if (found === undefined) return <NotFound />;
  if (failure.value !== '') {
    const error = { message: failure.value, status: 0 };
    return <ErrorNote title="The page could not be loaded" error={error} onRetry={() => window.location.reload()} />;
  }
  // Read so that this is drawn again when the page has come.
  void arrivals.value;
  const Page = loadedPages.get(found.route);
  return Page === undefined ? null : <Page key={found.route.path} params={found.params} />;
}

/** The whole console: the sign-in until there is a key, then the frame with the page of the address. */
export function App() {
  const error = useRights();
  const isOpen = place.value.segments[0] === 'gallery';
  if (key.value === undefined && !isOpen) return <SignInPage />;
  if (error !== '') {
    return (
      <ErrorNote
        title="The console could not start"
        error={{ message: error, status: 0 }}
        onRetry={() => window.location.reload()}
      />
    );
  }
  if (rights.value === undefined && !isOpen) return null;
  return (
    <>
      <Frame>
        <Content />
      </Frame>
      <Palette />
      <Toasts />
    </>
  );
}
