/** Two threads over and under two others. */
export function Logo({ size = 20 }: { readonly size?: number }) {
  return (
    <svg class="logo" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d="M3 8h3.5M11 8h10M3 16h10M17.5 16H21M8 3v10M8 17.5V21M16 3v3.5M16 11v10" />
    </svg>
  );
}
