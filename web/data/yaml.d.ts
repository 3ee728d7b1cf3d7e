/** A YAML file of examples/, which the build puts into the script as text. */
declare module '*.yaml' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild's loader for text has no other form
  export default text;
}
