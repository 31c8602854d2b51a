/**
 * The artifact store's port: inputs, results and files. They can be deleted, since the log only keeps their hashes.
 * Refs begin with the run's id, so a run's artifacts are stored together and are never shared between accounts.
 *
 * @module
 */
import type { RunId } from '../domain/ids.ts'

/** A stored artifact. `sha256` is lower-case hex. */
export type Stored = { readonly ref: string; readonly bytes: number; readonly sha256: string }

/** A value that is being stored. It is durable once `done` resolves. */
export type Storing = Stored & { readonly done: Promise<unknown> }

/** A stream of an artifact, and its number of bytes. */
export type Opened = { readonly bytes: number; readonly body: ReadableStream<Uint8Array> }

/** A part of an artifact: from `start` to `end`, both zero-based and inclusive. */
export type ByteRange = { readonly start: number; readonly end: number }

/** The name of captures, and how long they are kept at most, in milliseconds. Other artifacts may be kept longer. */
export const CAPTURE = { name: 'capture', keptMs: 7 * 86_400_000 } as const

export interface Artifacts {
  /**
   * Stores a small value, which is durable once `done` resolves. Pass `done` as `after` to the append that names the
   * ref. Storing the same value again succeeds; the later expiry applies.
   *
   * @param name `input`, `result` or `capture`; the ref consists of run, name and hash. Events contain refs, so a name must never
   *   come from outside: letters, digits, `.`, `_` and `-`, 100 at most
   * @param expiresAt milliseconds since 1970, after which it may be deleted
   */
  put(run: RunId, name: string, body: Uint8Array | string, expiresAt: number): Storing

  /** Moves a finished local file into the store. */
  putFile(run: RunId, name: string, path: string, expiresAt: number): Promise<Stored>

  /** A whole artifact. Undefined if it does not exist or has expired. */
  get(ref: string): Promise<Uint8Array | undefined>

  /**
   * A stream of an artifact or of a part of it. A range beyond the artifact's end is truncated. Undefined if the
   * artifact does not exist or has expired.
   */
  open(ref: string, range?: ByteRange): Promise<Opened | undefined>

  /** Deletes an artifact before its expiry. Without effect if it does not exist. */
  remove(ref: string): Promise<void>

  /**
   * Deletes expired artifacts and leftovers of crashes, at most a few hundred per call.
   *
   * @param now milliseconds since 1970
   * @param signal ends it early
   * @returns the number of deletions; 0 when no expired artifact is left
   */
  sweep(now: number, signal?: AbortSignal): Promise<number>

  /** Implemented where the store is on a network. @throws {StoreUnavailable} when it does not answer */
  check?(): Promise<unknown>

  close(): Promise<void>
}
