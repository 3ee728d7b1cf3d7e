/** What must be kept from everybody. */
export interface Vault {
  /** The administrative key of this installation. */
  adminKey(): Promise<string>;
}
