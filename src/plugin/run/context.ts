/**
 * The context of a running task: requests, pages, files, progress and charges.
 *
 * @module
 */
import type { Memory } from './memory.ts'
import type { BrowserPage, PageOptions } from './page.ts'
import type { FetchOptions, Reply } from './reply.ts'

/**
 * Writes one file (artifact) of the run. `close` adds the file to the result.
 *
 * @example
 * const write = async (file: ArtifactWriter, lines: string[]) => {
 *   for (const line of lines) await file.write(new TextEncoder().encode(`${line}\n`))
 *   await file.close()
 * }
 * write.length // => 2
 */
export type ArtifactWriter = {
  /** Appends bytes. */
  write(chunk: Uint8Array): Promise<void>
  /**
   * Overwrites bytes that were already written, e.g. a header whose sizes were not known yet.
   *
   * @param at position in bytes from the start
   * @throws {RangeError} when the chunk does not lie within the bytes written so far
   */
  patch(at: number, chunk: Uint8Array): Promise<void>
  /**
   * Cuts the file to a length. Further writes continue there.
   *
   * @param bytes the new length
   * @throws {RangeError} when the file is shorter
   */
  truncate(bytes: number): Promise<void>
  /**
   * Closes the file and stores it. When this resolves, the file is stored.
   *
   * @throws when the file cannot be stored, or when the run was stopped and the file is not stored shortly afterwards
   */
  close(): Promise<void>
}

/**
 * A file that an earlier attempt of the run left unfinished.
 *
 * @example
 * const lamps: UnfinishedFile = { bytes: 2, read: async (at, length) => new Uint8Array([80, 75]).subarray(at, at + length) }
 * lamps.bytes // => 2
 */
export type UnfinishedFile = {
  /** the length of the file */
  readonly bytes: number
  /**
   * @param at position in bytes from the start
   * @returns `length` bytes, or fewer at the end of the file
   */
  read(at: number, length: number): Promise<Uint8Array>
}

/**
 * What a run's log line says about its reading.
 *
 * @example
 * const note: Note = { skipped: 1 }
 * note.skipped // => 1
 */
export type Note = {
  /** the route that answered; the last one counts */
  readonly route?: string
  /** a number of rows that could not be read and were left out; these are added up */
  readonly skipped?: number
}

/**
 * The context of a running task.
 *
 * @example
 * async function titleOf(context: Context, path: string): Promise<string | null> {
 *   const page = await context.fetch(path)
 *   context.progress(1, 1, 'page read')
 *   return textOrNull(context.parse(await page.text()).querySelector('h1')?.textContent)
 * }
 * titleOf.name // => 'titleOf'
 */
export type Context = {
  /**
   * Makes a request. This is a task's only access to the network, besides `page`. It keeps the source's pace, follows
   * redirects within the source's hosts, retries network errors, 429 and 5xx with jitter and `Retry-After`, and keeps
   * cookies for this run.
   *
   * @param url an absolute URL, or a path on the source's origin
   * @throws {SourceError} `source-redirected`, `source-rate-limited`, `source-unavailable`, `response-too-large`,
   *   `source-blocked` (401, 403, and a block page of any other 4xx), `not-found` (404, 410), `bad-input` (400, 413,
   *   414, 422), `source-changed` (other 4xx). `errors` replaces these by status. No error for a status in `accept`
   */
  fetch(url: string, options?: FetchOptions): Promise<Reply>
  /**
   * Opens a page in a browser, for sources that serve only real browsers. The task must declare `needs.browser`. A run
   * has one page at a time: another call closes the previous page and opens one in a fresh context. The page is closed
   * when the run ends.
   *
   * @throws {TryAgain} when the browser does not start or fails: the task starts over, and if this does not help, the
   *   run ends as errored
   * @throws when no browser is installed: the run ends as errored at once
   */
  page(options?: PageOptions): Promise<BrowserPage>
  /**
   * Charges a further block, for tasks whose price has `block`. Call this before the work for the block begins. It is
   * idempotent: a block that was already charged, also by an earlier attempt, is not charged again.
   *
   * @param block the number of the block; 1 is the first block that the kickoff has not paid for
   * @returns true when the block is paid for; false when the balance is too low
   * @throws {TypeError} when the price has no `block`, or `block` is not a whole number of at least 1
   * @throws the signal's reason when the run is stopped during the call
   */
  charge(block: number): Promise<boolean>
  /**
   * Waits, for sources that ask to retry later in a way that `fetch` does not recognize.
   *
   * @returns true when the time has passed; false when the run was stopped during the wait, and false at once when the
   *   run would be out of time by the end of the wait
   */
  pause(ms: number): Promise<boolean>
  /** Parses HTML into a DOM (linkedom). */
  parse(html: string): Document
  /**
   * Reports the progress of the run. People read it as one phrase: `3 of 5 pages read`.
   *
   * @param total default null: unknown
   * @param message a fixed phrase of the plugin that begins with what is counted, such as `pages read`, without text of
   *   the input or the source; default null: items are counted
   */
  progress(done: number, total?: number | null, message?: string | null): void
  /**
   * Creates a file of the result, e.g. a ZIP archive. The file becomes part of the result when it is closed.
   *
   * @throws {TypeError} for a name that is not a plain file name, and for an invalid content type
   */
  artifact(name: string, contentType: string): Promise<ArtifactWriter>
  /**
   * The largest file of the previous attempt, as far as it was written when a restart of the service or the loss of the
   * process cut it off. Undefined when this machine has no such file. Use it to avoid fetching its content again.
   */
  unfinished(): Promise<UnfinishedFile | undefined>
  /** Aborts when the run is cancelled or out of time. The items yielded so far are kept. */
  readonly signal: AbortSignal
  /** The current time, in milliseconds since 1970. */
  now(): number
  /** Writes a line to the service's log, with the run's id. Never log inputs or credentials. */
  log(message: string, fields?: Readonly<Record<string, string | number | boolean | null>>): void
  /**
   * The value of a cookie that `fetch` would send to an address, e.g. a token that has to be repeated in a header.
   * Undefined when there is none, or an empty one.
   *
   * @param url an absolute URL, or a path on the source's origin; default the origin
   */
  cookie(name: string, url?: string): string | undefined
  /** What all runs of this source share in this process: facts of the site, and what it gave to the operator's credentials. */
  readonly memory: Memory
  /**
   * What the runs of this source that have the same exit, or none, share in this process: what the site gave to their
   * address, such as a visitor's cookies and token, and what it refused. Where each run has an address of its own, as at a
   * gateway with sessions, it ends with the run.
   */
  readonly exitMemory: Memory
  /**
   * The operator's credentials for the source's official API, by the names that the source declares in `credentials`.
   * Null when they are not set. Send them to the API only, and never log them.
   */
  readonly credentials: Readonly<Record<string, string>> | null
  /** Adds to the run's log line. `routes` and `readRows` call this. */
  note(what: Note): void
  /** The source's public origin, as declared, for URLs in items. */
  readonly origin: string
  /**
   * Whether the run has a login, for tasks that declare `needs.login`. If so, `fetch` sends the login's cookies, and
   * `page` opens with its saved state and the cookies that `fetch` has received since. Cookies that the source renews
   * are saved for the next run. `fetch` does not see the cookies that a page receives. Throw `LoginNeeded` when the
   * source no longer accepts the login.
   */
  readonly signedIn: boolean
}
