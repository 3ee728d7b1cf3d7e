/** Tells the parent where the server of this process is, and its memory whenever it asks. */
export function introduce(url: string, close: () => Promise<void> | void): void {
  process.on('message', () => process.send?.(process.memoryUsage().rss));
  process.once('SIGTERM', async () => {
    await close();
    process.exit(0);
  });
  process.send?.(url);
}
