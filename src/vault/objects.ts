/**
 * The port of what the vault keeps: sealed bytes under keys, which whoever stores them can't read.
 *
 * @module
 */

/** A key, and when it was last written: milliseconds since 1970, by the clock of the store. */
export type Listed = { readonly key: string; readonly at: number }

/**
 * Sealed objects. Keys are letters, digits, `_`, `-` and `/`; see names.ts. All methods throw {@link StoreUnavailable}
 * when the store is away.
 */
export interface VaultObjects {
  /** Writes an object, durable once this resolves. What was there before is overwritten. */
  put(key: string, body: Uint8Array): Promise<void>

  /**
   * Overwrites an object only where there is one: what was destroyed meanwhile must not come back.
   *
   * @returns false when there is none, or when another process overwrote it in the same moment
   */
  replace(key: string, body: Uint8Array): Promise<boolean>

  /** Undefined when there is none. */
  get(key: string): Promise<Uint8Array | undefined>

  /** Deletes an object; no files of the store hold its bytes once this resolves. That there is none is a success. */
  delete(key: string): Promise<void>

  /** All objects whose keys begin with a prefix, in the order of their keys. */
  list(prefix: string): Promise<Listed[]>

  close(): Promise<void>
}
