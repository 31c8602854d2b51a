/**
 * A file that a run has made: stored, and told of by an event.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { HeldRun } from '../domain/run.ts'
import type { Logger } from '../logger.ts'
import type { Held } from './held.ts'
import type { FromChild } from './protocol.ts'

export type FileSaid = FromChild & { readonly type: 'file' }

/**
 * Stores a file.
 *
 * @param expiresAt milliseconds since 1970
 * @returns where it is, or why it is not there, as the plugin is told; never throws
 */
export async function keepFile(
  { artifacts, logger }: { readonly artifacts: Artifacts; readonly logger: Logger },
  held: Held,
  { runId, attempt }: HeldRun,
  { path, contentType }: FileSaid,
  expiresAt: number,
): Promise<{ readonly ref: string } | { readonly fault: string }> {
  try {
    const { ref, bytes, sha256 } = await artifacts.putFile(runId, 'file', path, expiresAt)
    const file = { ref, content_type: contentType, bytes, sha256 }
    const isKept = await held.persist(() => held.give({ type: 'store-file', attempt, file }))
    return isKept ? { ref } : { fault: 'the run was lost' }
  } catch (error) {
    logger.error({ err: error, run_id: runId }, 'a file could not be stored')
    return { fault: 'the file could not be stored' }
  }
}
