/** The secrets of the installation itself. */
export interface Vault {
  /** Returns the administrative key of this installation. */
  adminKey(): Promise<string>;
}
