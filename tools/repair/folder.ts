/**
 * `expected.json` of a repair: what was true when its folder was written, by which the repaired parser is judged.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandFailed, UsageError } from '../../src/cli/failure.ts'
import type { Shares } from '../../src/health/standings.ts'
import { type Cassette, readCassette } from '../../src/plugin/testing.ts'
import type { Kept } from './recordings.ts'

export type Expectations = {
  readonly task: string
  /** the time of the broken run, in milliseconds since 1970 */
  readonly at: number
  /** how the broken run ended; null for a run that succeeded with too few values */
  readonly code: string | null
  /** id of the capture in the service; null when the run is from elsewhere */
  readonly capture: string | null
  /** whether a run of this task returns items at all */
  readonly hasItems: boolean
  /** the usual shares of items with a value, where they are from, and those of the similar recording */
  readonly usual: { readonly shares: Shares; readonly similar: Shares; readonly from: string }
  /** fields known to be lost */
  readonly lost: readonly string[]
  readonly recordings: readonly Kept[]
}

/** The files of the folder. */
export const FILES = {
  readme: 'README.md',
  capture: 'capture.json',
  good: 'good.json',
  difference: 'difference.txt',
  expected: 'expected.json',
  test: 'failing.test.ts',
} as const

/**
 * Reads what the judge needs from a folder.
 *
 * @throws {CommandFailed} when a file is missing or unreadable
 * @throws {UsageError} when the folder is for another task
 */
export function readFolder(
  folder: string,
  key: string,
): { readonly expected: Expectations; readonly capture: Cassette } {
  const read = <T>(name: string, reader: (file: string) => T): T => {
    try {
      return reader(join(folder, name))
    } catch (error) {
      throw new CommandFailed(
        `${join(folder, name)} cannot be read: ${(error as Error).message}; write the folder again with "gleaner repair ${key}"`,
      )
    }
  }
  const expected = read(FILES.expected, (file) => JSON.parse(readFileSync(file, 'utf8')) as Expectations)
  if (expected.task !== key) throw new UsageError(`${folder} is a repair of ${expected.task}, not of ${key}`)
  return { expected, capture: read(FILES.capture, (file) => readCassette(pathToFileURL(file))) }
}
