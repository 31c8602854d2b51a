/**
 * What the service and its child processes say to each other. A short run costs two messages, `run` and `completed`.
 *
 * @module
 */
import type { PageAnswer, PageCall } from '../../browser/host/page-calls.ts'
import type { JobLogin } from '../../login/run-login.ts'
import type { SavedCookie } from '../../net/cookies.ts'
import type { SourceErrorCode } from '../../plugin/errors.ts'

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
  /** the slot is there, and the request may be made; `paused`: not before the run is out of time, since the host wants to be left alone */
  | { readonly type: 'acquired'; readonly id: number; readonly paused: boolean }
  /** the file is stored, or why it is not */
  | { readonly type: 'filed'; readonly id: number; readonly error: string | null }
  /** whether the block is paid for */
  | { readonly type: 'charged'; readonly id: number; readonly paid: boolean }
  /** what a call of a page came to */
  | { readonly type: 'paged'; readonly id: number; readonly answer: PageAnswer }

/** How the plugin ended. `reason` is for the service's log alone. */
export type TaskEnd =
  /** `rest`: all of the result but its items, as JSON text of an object that has at least `next_cursor` */
  | { readonly status: 'succeeded'; readonly rest: string }
  | { readonly status: 'failed'; readonly code: SourceErrorCode; readonly detail: string }
  | {
      readonly status: 'errored'
      readonly code: 'defect' | 'output-invalid' | 'out-of-memory'
      readonly reason: string
    }
  /** it heeded the signal */
  | { readonly status: 'stopped' }

/** Items as JSON texts with commas between them, so that nobody has to parse them on their way to the client. */
export type Items = { readonly text: string; readonly count: number }

export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** How many items a run brought in all, and in how many of them each column was not null. */
export type Fill = { readonly items: number; readonly filled: readonly number[] }

/**
 * How one run ended, with the items that were not sent before. `hasFolder`: whether it made the folder of its
 * job; `fill`: null where it brought no items; `cookies`: what answers made of those of its login.
 */
export type Completion = {
  readonly end: TaskEnd
  readonly hasFolder: boolean
  readonly fill: Fill | null
  readonly cookies?: readonly SavedCookie[]
} & Items

export type FromChild =
  | { readonly type: 'alive' }
  | ({ readonly type: 'items' } & Items)
  /** the task begins anew: what it brought so far does not count */
  | { readonly type: 'again'; readonly reason: string }
  | {
      readonly type: 'progress'
      readonly done: number
      readonly total: number | null
      readonly message: string | null
    }
  | { readonly type: 'log'; readonly message: string; readonly fields: LogFields }
  /** a file of the run's folder is finished, which has its number as name there: answered by `filed` */
  | {
      readonly type: 'file'
      readonly id: number
      readonly name: string
      readonly contentType: string
    }
  /** a further block is to be paid for: answered by `charged` */
  | { readonly type: 'charge'; readonly id: number; readonly block: number }
  /** a request to this host is about to be made: answered by `acquired` */
  | { readonly type: 'acquire'; readonly id: number; readonly host: string }
  /** something is asked of the run's page, or a page: answered by `paged` */
  | { readonly type: 'page'; readonly id: number; readonly page: number; readonly call: PageCall }
  /** the request has completed; `pauseMs`: the host asked to be left alone so long */
  | { readonly type: 'release'; readonly id: number; readonly pauseMs: number }
  /** the run has completed, and the child may be given the next one */
  | ({ readonly type: 'completed' } & Completion)
  /** an error that nothing caught: the child ends itself */
  | { readonly type: 'crashed'; readonly reason: string; readonly memory: boolean }

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

/** For the log: the stack where there is one. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? String(error)) : String(error)).slice(0, 4000)
