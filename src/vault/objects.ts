/**
 * The port of the vault's store: sealed objects under keys, which the store cannot read.
 *
 * @module
 */

/** A key, and when it was last written: milliseconds since 1970, by the clock of the store. */
export type Listed = { readonly key: string; readonly at: number }

/**
 * Sealed objects. Keys are letters, digits, `_`, `-` and `/`; see paths.ts. All methods throw {@link StoreUnavailable}
 * when the store is away.
 */
export interface VaultObjects {
  /** Writes or overwrites an object, durable once this resolves. */
  put(key: string, body: Uint8Array): Promise<void>

  /** Writes an object only if there is none. @returns false when there is one: it stays as it is */
  create(key: string, body: Uint8Array): Promise<boolean>

  /**
   * Overwrites an object only if it exists: one that was destroyed meanwhile must not come back.
   *
   * @returns false when it does not exist, or when another process overwrote it in the same moment
   */
  replace(key: string, body: Uint8Array): Promise<boolean>

  /** Undefined when it does not exist. */
  get(key: string): Promise<Uint8Array | undefined>

  /** Deletes an object, if it exists; no file of the store holds its bytes once this resolves. */
  delete(key: string): Promise<void>

  /** All objects whose keys begin with a prefix, in the order of their keys. */
  list(prefix: string): Promise<Listed[]>

  close(): Promise<void>
}
