import { render } from 'preact';
import { keepSignedIn, returnFromIssuer } from '../data/api/issuer.ts';
import { refusedLink } from '../data/api/session.ts';
import { signInByLink } from '../data/api/sign-in-link.ts';
import { startNavigation } from '../data/navigation/location.ts';
import { App } from './app.tsx';
import { startShortcuts } from './shortcuts.ts';

refusedLink.value = (await signInByLink()) ?? (await returnFromIssuer());
keepSignedIn();
startNavigation();
startShortcuts();

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
