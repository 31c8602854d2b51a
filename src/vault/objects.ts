/**
 * The port of the vault's store: sealed objects by key. The store cannot read their contents.
 *
 * @module
 */

/** A key, and when it was last written: milliseconds since 1970, by the clock of the store. */
export type Listed = { readonly key: string; readonly at: number }

/**
 * Sealed objects. Keys consist of letters, digits, `_`, `-` and `/`; see paths.ts. All methods throw
 * {@link StoreUnavailable} when the store is unavailable.
 */
export interface VaultObjects {
  /** Writes or overwrites an object, durable once this resolves. */
  put(key: string, body: Uint8Array): Promise<void>

  /** Writes an object only if it does not exist. @returns false if it exists; it is then unchanged */
  create(key: string, body: Uint8Array): Promise<boolean>

  /**
   * Overwrites an object only if it exists: an object that was destroyed concurrently must not come back.
   *
   * @returns false if it does not exist, or if another process overwrote it concurrently
   */
  replace(key: string, body: Uint8Array): Promise<boolean>

  /** Undefined if it does not exist. */
  get(key: string): Promise<Uint8Array | undefined>

  /** Deletes an object if it exists. Once this resolves, no file of the store holds its bytes. */
  delete(key: string): Promise<void>

  /** All objects whose keys begin with a prefix, in the order of their keys. */
  list(prefix: string): Promise<Listed[]>

  close(): Promise<void>
}
