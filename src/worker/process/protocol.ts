/**
 * What the service says to its child processes; what they answer: heard.ts. A short run costs two messages, `run` and
 * `completed`.
 *
 * @module
 */
import type { PageAnswer } from '../../browser/host/page-calls.ts'
import type { JobLogin } from '../../login/run-login.ts'

/** Said once, before the first run. */
export type Setup = {
  readonly type: 'setup'
  readonly userAgent: string
  /** by family: where its requests go instead */
  readonly origins: Readonly<Record<string, string>>
  /** PROXY_URL: requests go through it, unless the source's origin is replaced */
  readonly proxyUrl: string | null
  /** there is nobody else to end this process when its parent is killed */
  readonly watchParent: boolean
}

/** One run to be executed. A child executes one after the other. */
export type Job = {
  readonly runId: string
  /** the plugin's `source.ts` as a file URL */
  readonly module: string
  readonly taskKey: string
  /** canonical JSON */
  readonly input: string
  /** milliseconds since 1970: when the run is out of time */
  readonly until: number
  /** where its files are written, each under its number; not made yet */
  readonly folder: string
  /** whether its folder has what the attempt before it has left unfinished: see work-folder.ts */
  readonly hasUnfinished?: boolean
  /** undefined: it runs as a visitor */
  readonly login?: JobLogin | undefined
}

export type ToChild =
  | Setup
  /** said to a child that has no run */
  | { readonly type: 'run'; readonly job: Job }
  /** the run is to stop */
  | { readonly type: 'abort' }
  | Answer

/** What a call of the child came to, under its number. */
export type Answer =
  /** the slot is there, and the request may be made; `paused`: not before the run is out of time, since the host wants to be left alone */
  | { readonly type: 'acquired'; readonly id: number; readonly paused: boolean }
  /** the file is stored, or why it is not */
  | { readonly type: 'filed'; readonly id: number; readonly error: string | null }
  /** whether the block is paid for */
  | { readonly type: 'charged'; readonly id: number; readonly paid: boolean }
  /** what a call of a page came to */
  | { readonly type: 'paged'; readonly id: number; readonly answer: PageAnswer }

/** The name of an unfinished file in the folder of the run's next attempt. Other files there have numbers. */
export const UNFINISHED = 'unfinished'

/** How often a child that executes a run says that it is alive, and how long it may be silent. */
export const HEARTBEAT_MS = 2500
export const SILENCE_MS = 10_000
/** The largest result, in characters of JSON: more ends the run as `response-too-large`. */
export const MAX_RESULT_CHARS = 64 * 1024 * 1024

/**
 * Names and content types that files of runs may have are checked where a plugin creates one, and again by the service,
 * which trusts nothing that a child says.
 */
const LONGEST_NAME = 200
/** It stands in an event, whose size is limited. */
const LONGEST_TYPE = 200

export const isFileName = (name: unknown): name is string =>
  typeof name === 'string' &&
  name.length > 0 &&
  name.length <= LONGEST_NAME &&
  name.isWellFormed() &&
  !/[/\\\x00-\x1f\x7f]/.test(name) &&
  name !== '.' &&
  name !== '..'

export const isContentType = (type: unknown): type is string =>
  typeof type === 'string' &&
  type.length <= LONGEST_TYPE &&
  /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.-]+)?$/.test(type)
