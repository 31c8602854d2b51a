/**
 * Cassettes: a task's run with all responses that it received, as a readable file.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { Type } from '@sinclair/typebox'
import { issuesOf } from '../../catalogue/check.ts'
import type { Exchange } from './exchanges.ts'

/**
 * One run of a task: its input and its exchanges, in order.
 *
 * @example
 * const cassette: Cassette = {
 *   task: 'lamps.search',
 *   input: { query: 'desk' },
 *   exchanges: [{ request: 'GET /search.json?q=desk', json: { hits: [{ title: 'A desk lamp' }] } }],
 * }
 * cassette.exchanges.length // => 1
 */
export type Cassette = {
  /** key of the task */
  readonly task: string
  readonly input: Readonly<Record<string, unknown>>
  /** the origin of the cassette: the day of its recording, or sample data */
  readonly note?: string
  /** whether the run had a login, for tasks with an optional login */
  readonly signedIn?: boolean
  readonly exchanges: readonly Exchange[]
}

const Form = Type.Object({
  task: Type.String({ minLength: 1 }),
  input: Type.Record(Type.String(), Type.Unknown()),
  note: Type.Optional(Type.String()),
  signedIn: Type.Optional(Type.Boolean()),
  exchanges: Type.Array(
    Type.Object({
      request: Type.String({ minLength: 1 }),
      sent: Type.Optional(Type.Unknown()),
      status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
      headers: Type.Optional(Type.Record(Type.String(), Type.String())),
      body: Type.Optional(Type.String()),
      base64: Type.Optional(Type.String()),
      json: Type.Optional(Type.Unknown()),
      repeats: Type.Optional(Type.Boolean()),
    }),
  ),
})

/**
 * Reads a cassette.
 *
 * @param file a JSON file, often beside the test: `new URL('./fixtures/search.json', import.meta.url)`
 * @throws {TypeError} naming the file and its fault
 * @example
 * const read = (name: string) => readCassette(new URL(`./fixtures/${name}.json`, import.meta.url))
 * read.length // => 1
 */
export function readCassette(file: URL): Cassette {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new TypeError(`${file.pathname} cannot be read as a cassette: ${reasonOf(error)}`)
  }
  const fault = cassetteFault(json)
  if (fault !== undefined) throw new TypeError(`${file.pathname} is not a cassette: ${fault}`)
  return json as Cassette
}

function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return `it is not JSON: ${error.message}`
  const { code, message } = error as NodeJS.ErrnoException
  return REASONS[code ?? ''] ?? message
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
}

/** Why a JSON value is not a {@link Cassette}; undefined when it is one. */
export function cassetteFault(json: unknown): string | undefined {
  const [issue] = issuesOf(Form, json)
  return issue && `${issue.pointer} ${issue.detail}`
}
