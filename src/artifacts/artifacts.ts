/**
 * The artifact store's port: inputs, results and files, which can be deleted while the log keeps only their hashes.
 * Refs begin with the run's id, so that a run's artifacts lie together and never pass between accounts.
 *
 * @module
 */
import type { RunId } from '../domain/ids.ts'

/** What is stored under a ref. `sha256` is lower-case hex. */
export type Stored = { readonly ref: string; readonly bytes: number; readonly sha256: string }

/** A value that is being stored: it is durable once `done` resolves. */
export type Storing = Stored & { readonly done: Promise<unknown> }

/** A stream of an artifact, and how many bytes it has. */
export type Opened = { readonly bytes: number; readonly body: ReadableStream<Uint8Array> }

/** A part of an artifact: from `start` to `end`, both counted from 0 and included. */
export type ByteRange = { readonly start: number; readonly end: number }

export interface Artifacts {
  /**
   * Stores a small value; it is durable once `done` resolves. Give `done` to the append that names the ref, as
   * `after`. Storing the same again is a success, and a later expiry counts.
   *
   * @param name `input` or `result`; the ref is made of run, name and hash. Events name refs, so a name is never one
   *   that came from outside: letters, digits, `.`, `_` and `-`, 100 at most
   * @param expiresAt milliseconds since 1970, after which it may be deleted
   */
  put(run: RunId, name: string, body: Uint8Array | string, expiresAt: number): Storing

  /** Moves a finished file of this machine into the store. The file is gone afterwards. */
  putFile(run: RunId, name: string, path: string, expiresAt: number): Promise<Stored>

  /** The whole of an artifact; undefined when it is not there or has expired. */
  get(ref: string): Promise<Uint8Array | undefined>

  /**
   * A stream of an artifact or of a part of it, which is cut at the end of the artifact; undefined when it is not there
   * or has expired.
   */
  open(ref: string, range?: ByteRange): Promise<Opened | undefined>

  /**
   * Deletes what has expired and what a crash left behind, at most some hundreds at a time.
   *
   * @param now milliseconds since 1970
   * @returns how many; 0 when nothing that has expired is left
   */
  sweep(now: number): Promise<number>

  close(): Promise<void>
}
