/**
 * Copying artifacts from the embedded store into another one, under the same refs.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Artifacts } from './artifacts.ts'
import { Folder } from './folder.ts'
import { parseRef } from './refs.ts'

export type CopyArtifactsOptions = {
  /** the embedded log's file, which holds the small ones and the rows of all */
  readonly db: DatabaseSync
  /** where the large ones lie */
  readonly folder: string
  readonly target: Artifacts
  /** milliseconds since 1970: what has expired by then is left out */
  readonly now: number
  readonly signal: AbortSignal
  readonly onProgress?: (artifacts: number) => void
}

type Row = { readonly ref: string; readonly body: Uint8Array | null; readonly expires_at: number }

const PAGE = 100

/**
 * Copies all that has not expired. What is there already is stored again, which changes nothing.
 *
 * @returns how many
 * @throws {StoreUnavailable} when the target is away
 */
export async function copyArtifacts(options: CopyArtifactsOptions): Promise<number> {
  const { db, folder: path, now, signal, onProgress } = options
  const folder = new Folder(path)
  const select = db.prepare(
    `SELECT ref, body, expires_at FROM artifacts WHERE ref > ? AND expires_at > ? ORDER BY ref LIMIT ${PAGE}`,
  )
  let copied = 0
  for (let after = ''; !signal.aborted; ) {
    const rows = select.all(after, now) as Row[]
    await Promise.all(rows.map((row) => copy(row, folder, options.target)))
    copied += rows.length
    onProgress?.(copied)
    after = rows.at(-1)?.ref ?? after
    if (rows.length < PAGE) break
  }
  return copied
}

async function copy({ ref, body, expires_at }: Row, folder: Folder, target: Artifacts): Promise<void> {
  const parsed = parseRef(ref)
  if (!parsed) return
  // A ref is the name and 32 digits of the hash, so the same content gets the same ref.
  const name = parsed.file.slice(0, -33)
  if (body) {
    await target.put(parsed.run, name, body, expires_at).done
    return
  }
  // Storing a file takes it away.
  const path = await folder.duplicate(ref)
  if (path !== undefined) await target.putFile(parsed.run, name, path, expires_at)
}
