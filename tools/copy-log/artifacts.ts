/**
 * Copies artifacts from the embedded store into another one, under the same refs.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import { Folder } from '../../src/artifacts/folder.ts'
import { parseRef } from '../../src/artifacts/refs.ts'

export type CopyArtifactsOptions = {
  /** the embedded log's file: the small artifacts, and a row for each large one */
  readonly db: DatabaseSync
  /** holds the large artifacts */
  readonly folder: string
  readonly target: Artifacts
  /** milliseconds since 1970; artifacts that have expired by then are left out */
  readonly now: number
  readonly signal: AbortSignal
}

type Row = { readonly ref: string; readonly body: Uint8Array | null; readonly expires_at: number }

const PAGE = 100

/**
 * Copies every artifact that has not expired. Storing an artifact that already exists changes nothing.
 *
 * @returns how many
 * @throws the signal's reason when it was aborted
 * @throws {StoreUnavailable} when the target is unavailable
 */
export async function copyArtifacts(options: CopyArtifactsOptions): Promise<number> {
  const { db, folder: path, now, signal } = options
  const folder = new Folder(path)
  const select = db.prepare(
    `SELECT ref, body, expires_at FROM artifacts WHERE ref > ? AND expires_at > ? ORDER BY ref LIMIT ${PAGE}`,
  )
  let copied = 0
  for (let after = ''; ; ) {
    signal.throwIfAborted()
    const rows = select.all(after, now) as Row[]
    await Promise.all(rows.map((row) => copy(row, folder, options.target)))
    copied += rows.length
    after = rows.at(-1)?.ref ?? after
    if (rows.length < PAGE) return copied
  }
}

async function copy({ ref, body, expires_at }: Row, folder: Folder, target: Artifacts): Promise<void> {
  const parsed = parseRef(ref)
  if (!parsed) return
  // A ref is the name and 32 digits of the hash, so equal content has the same ref.
  const name = parsed.file.slice(0, -33)
  if (body) {
    await target.put(parsed.run, name, body, expires_at).done
    return
  }
  // Storing a file moves it.
  const path = await folder.duplicate(ref)
  if (path !== undefined) await target.putFile(parsed.run, name, path, expires_at)
}
