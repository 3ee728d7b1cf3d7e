import { render } from 'preact';
import { startNavigation } from '../data/navigation/location.ts';
import { App } from './app.tsx';
import { startShortcuts } from './shortcuts.ts';

startNavigation();
startShortcuts();

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
