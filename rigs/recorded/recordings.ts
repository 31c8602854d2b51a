/**
 * Cases over recorded answers of real sources, which are stored outside the project: the expected outcome of each, for
 * the tests and for the table in docs/sources.md.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Source, SourceErrorCode, Task } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'

/**
 * A folder of recorded answers. Where it is absent, `there` is false and the tests that need it are skipped.
 *
 */
export type Recordings = {
  readonly there: boolean
  /** all files, including those in subfolders */
  files(): string[]
  text(file: string): string
  bytes(file: string): Uint8Array
}

/**
 * One recorded case: a task with its input, the files that answer it, and the expected end.
 *
 */
export type RecordedCase = {
  /** default: the names of its files */
  readonly name?: string
  readonly task: Task
  readonly input: Readonly<Record<string, unknown>>
  readonly files: readonly string[]
  /** `context.signedIn`; default as in `runTask` */
  readonly signedIn?: boolean
  /** builds the exchanges from the texts of the files, in order */
  readonly exchanges: (...texts: string[]) => readonly Exchange[]
  /** the error code of a failure page; absent if the run succeeds */
  readonly ends?: SourceErrorCode
}

/**
 * The recorded cases of a source.
 *
 */
export type RecordedCases = {
  readonly source: Source
  readonly recordings: Recordings
  readonly cases: readonly RecordedCase[]
  /** `context.now()` in all cases, milliseconds since 1970; default the clock */
  readonly now?: () => number
}

/**
 * The recorded answers in a folder.
 *
 * @param folder ends in `/`
 */
export function recordedIn(folder: URL): Recordings {
  const there = existsSync(folder)
  return {
    there,
    files: () =>
      there
        ? readdirSync(folder, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map(({ parentPath, name }) =>
              `${parentPath}/${name}`.slice(folder.pathname.length).replace(/^\/+/, ''),
            )
            .sort()
        : [],
    text: (file) => readFileSync(new URL(file, folder), 'utf8'),
    bytes: (file) => readFileSync(new URL(file, folder)),
  }
}

/**
 * The exchanges of a case.
 *
 * @throws what reading its files throws
 */
export const exchangesOf = ({ text }: Recordings, { files, exchanges }: RecordedCase): readonly Exchange[] =>
  exchanges(...files.map(text))
