/**
 * Artifacts in memory. Files that are moved in are read and deleted during the call.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import type { Artifacts, ByteRange, Opened, Stored, Storing } from '../../../src/artifacts/artifacts.ts'
import { storedAs } from '../../../src/artifacts/refs.ts'
import { piecesStream } from '../../../src/artifacts/streams.ts'
import type { RunId } from '../../../src/domain/ids.ts'

const SWEPT_AT_ONCE = 200
/** The size of the chunks that readers receive, in bytes. */
const PIECE_BYTES = 64 * 1024

type Kept = { readonly body: Uint8Array; readonly expiresAt: number }

export class MemoryArtifacts implements Artifacts {
  /** by their refs */
  private readonly contents = new Map<string, Kept>()

  /** @param now the store's clock, milliseconds since 1970 */
  constructor(private readonly now: () => number) {}

  put(run: RunId, name: string, body: Uint8Array | string, expiresAt: number): Storing {
    // Not `slice`, which does not copy for a Buffer.
    const content = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
    return { ...this.keep(run, name, content, expiresAt), done: Promise.resolve() }
  }

  async putFile(run: RunId, name: string, path: string, expiresAt: number): Promise<Stored> {
    const stored = this.keep(run, name, new Uint8Array(readFileSync(path)), expiresAt)
    rmSync(path)
    return stored
  }

  async get(ref: string): Promise<Uint8Array | undefined> {
    return this.of(ref)?.slice()
  }

  async open(ref: string, range?: ByteRange): Promise<Opened | undefined> {
    const part = this.of(ref)?.subarray(range?.start, range && range.end + 1)
    if (!part) return undefined
    const piece = async (at: number) => part.slice(at, at + PIECE_BYTES)
    return { bytes: part.byteLength, body: piecesStream(part.byteLength, piece) }
  }

  async remove(ref: string): Promise<void> {
    this.contents.delete(ref)
  }

  async sweep(now: number): Promise<number> {
    const expired = [...this.contents].filter(([, { expiresAt }]) => expiresAt <= now).slice(0, SWEPT_AT_ONCE)
    for (const [ref] of expired) this.contents.delete(ref)
    return expired.length
  }

  async close(): Promise<void> {}

  /** When each artifact expires, milliseconds since 1970, by its ref. */
  dump(): Record<string, number> {
    return Object.fromEntries([...this.contents].map(([ref, { expiresAt }]) => [ref, expiresAt]))
  }

  private keep(run: RunId, name: string, body: Uint8Array, expiresAt: number): Stored {
    const stored = storedAs(run, name, body.byteLength, hash('sha256', body))
    const before = this.contents.get(stored.ref)?.expiresAt ?? expiresAt
    this.contents.set(stored.ref, { body, expiresAt: Math.max(before, expiresAt) })
    return stored
  }

  private of(ref: string): Uint8Array | undefined {
    const kept = this.contents.get(ref)
    return kept && kept.expiresAt > this.now() ? kept.body : undefined
  }
}
