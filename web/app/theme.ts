// Runs before the first paint, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem('weft.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
} catch {
  // A browser without storage follows the system.
}
