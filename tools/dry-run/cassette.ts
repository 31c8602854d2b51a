/**
 * The cassette that a command line names.
 *
 * @module
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '../../src/cli/failure.ts'
import { type Cassette, readCassette } from '../../src/plugin/testing.ts'

/** Reads a cassette. @throws {UsageError} naming the file and its fault */
export function readOrRefuse(file: string): Cassette {
  try {
    return readCassette(pathToFileURL(resolve(file)))
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
