/**
 * The messages of the service to its processes of plugins; for their messages, see from-child.ts. All messages of one turn of
 * the event loop travel together, as an array: with many runs in a process, most of the cost of a message is the
 * wake-up. A short run costs two messages, `run` and `completed`.
 *
 * @module
 */
import type { PageAnswer } from '../../browser/host/page-calls.ts'
import type { JobLogin } from '../../login/run-login.ts'
import type { ExitUrl } from '../../net/exits/choose.ts'

/** Sent once, before the first run. */
export type Setup = {
  readonly type: 'setup'
  readonly userAgent: string
  /** by source name: the origin that replaces the source's own */
  readonly origins: Readonly<Record<string, string>>
  /** the process must watch its parent, because nothing else ends it when the parent is killed */
  readonly watchParent: boolean
}

/** One run to be executed. */
export type Job = {
  readonly runId: string
  /** the plugin's `source.ts` as a file URL */
  readonly module: string
  readonly taskKey: string
  /** canonical JSON */
  readonly input: string
  /** milliseconds since 1970: when the run is out of time */
  readonly until: number
  /** the folder for its files, each named by its number; not created yet */
  readonly folder: string
  /** whether its folder contains the unfinished file of the previous attempt: see work-folder.ts */
  readonly hasUnfinished?: boolean
  /** the operator's credentials for the source's API; undefined: not set */
  readonly credentials?: Readonly<Record<string, string>> | undefined
  /** undefined: it runs without a login, as a visitor */
  readonly login?: JobLogin | undefined
  /** of its requests and pages; null: direct. `isSession`: no other run has it, unless of the same login */
  readonly exit: (ExitUrl & { readonly isSession: boolean }) | null
  /** its task drifts: its last answers are captured even if it succeeds */
  readonly capture?: boolean | undefined
}

/**
 * The number of a run's execution, made by the service and used only once. What a run says after its end is recognized
 * by it, and dropped.
 */
export type RunNumber = number

export type ToChild =
  | Setup
  | { readonly type: 'run'; readonly run: RunNumber; readonly job: Job }
  /** the run must stop */
  | { readonly type: 'abort'; readonly run: RunNumber }
  /** the process takes much memory: it keeps no answers for captures any more */
  | { readonly type: 'drop-answers' }
  | (WorkerAnswer & { readonly run: RunNumber })

/** The answer to a call of the child, with the call's number. */
export type WorkerAnswer =
  /** the request may be made; `paused`: not before the run is out of time, because the host asked for a pause */
  | { readonly type: 'acquired'; readonly id: number; readonly paused: boolean }
  /** `error`: why the file was not stored; null: it was stored */
  | { readonly type: 'filed'; readonly id: number; readonly error: string | null }
  /** whether the block was charged */
  | { readonly type: 'charged'; readonly id: number; readonly paid: boolean }
  /** the answer to a call of a page */
  | { readonly type: 'paged'; readonly id: number; readonly answer: PageAnswer }

/** The name of an unfinished file in the folder of the run's next attempt. Other files there have numbers. */
export const UNFINISHED = 'unfinished'

/** How often a process that executes runs sends a heartbeat, and how long it may be silent. */
export const HEARTBEAT_MS = 2500
export const SILENCE_MS = 10_000
/** The interval of a timer in the process, and how late it may be: a later one means that runs starve one another. */
export const TICK_MS = 500
export const LATE_MS = 1000
/** The largest result, in characters of JSON; a larger one ends the run as `response-too-large`. */
export const MAX_RESULT_CHARS = 64 * 1024 * 1024
/**
 * The longest message of a process, in bytes of JSON: a whole result, of which a character takes at most 3 bytes, and its
 * frame.
 */
export const MOST_MESSAGE_BYTES = 3 * MAX_RESULT_CHARS + 1024 * 1024

/** The longest capture, in characters of JSON. A run with a longer one has none. */
export const MOST_CAPTURE_CHARS = 8 * 1024 * 1024

/** A plugin that logs more in one run is in a loop: its process sends no more, and the service writes no more. */
export const MOST_LOG_LINES = 1000

/**
 * File names and content types are checked when a plugin creates a file, and again by the service, which trusts no
 * message of a child.
 */
const LONGEST_NAME = 200
/** The content type is part of an event, whose size is limited. */
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
