/**
 * `gleaner repair`: writes a folder with what is needed to mend a parser, and judges the mended one.
 *
 * @module
 */
import type { Io } from '../../src/cli/io.ts'
import { endBrowser } from '../../src/plugin/testing/page.ts'
import { findTask } from '../dry-run/command-line.ts'
import { brokenRuns, type Choice } from './broken-run.ts'
import { check } from './check.ts'
import { newFolder, writeFolder } from './write.ts'

/** The options of `repair`. */
export type RepairOptions = Choice & {
  /** the folder to write */
  readonly to?: string
  /** a folder that was written before: judges the parser instead */
  readonly check?: string
}

/**
 * @throws {CommandFailed} when nothing was written, or the parser is not accepted
 * @throws {UsageError} for an unknown task, or a folder or cassette of another task
 */
export async function runRepair(io: Io, key: string, options: RepairOptions): Promise<void> {
  const { task, config } = await findTask(io, key)
  try {
    if (options.check !== undefined) return await check(io, task, options.check)
    const folder = newFolder(io, task, options.to)
    await writeFolder(io, task, await brokenRuns(io, { task, config }, options), folder)
  } finally {
    await endBrowser()
  }
}
