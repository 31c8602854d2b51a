/**
 * What a task is given while it runs.
 *
 * @module
 */
import type { BrowserPage, PageOptions } from './page.ts'
import type { FetchOptions, Reply } from './reply.ts'

/**
 * Writes one file of the run; `close` makes it part of the result.
 *
 * @example
 * const write = async (file: ArtifactWriter, lines: string[]) => {
 *   for (const line of lines) await file.write(new TextEncoder().encode(`${line}\n`))
 *   await file.close()
 * }
 * write.length // => 2
 */
export type ArtifactWriter = {
  write(chunk: Uint8Array): Promise<void>
  /** Writes over what stands at a position, e.g. a header whose sizes were not known. @param at bytes from the start */
  patch(at: number, chunk: Uint8Array): Promise<void>
  /** Cuts off what was written behind so many bytes; writing goes on there. */
  truncate(bytes: number): Promise<void>
  /**
   * Hands the file over; it is stored when this resolves.
   *
   * @throws when it can't be stored, and soon after the run was stopped when it is not by then
   */
  close(): Promise<void>
}

/**
 * A file that an attempt has left unfinished.
 *
 * @example
 * const lamps: UnfinishedFile = { bytes: 2, read: async (at, length) => new Uint8Array([80, 75]).subarray(at, at + length) }
 * lamps.bytes // => 2
 */
export type UnfinishedFile = {
  readonly bytes: number
  /** @returns less than `length` bytes at the end of the file */
  read(at: number, length: number): Promise<Uint8Array>
}

/**
 * What a task is given while it runs.
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
   * The only way to the network. It keeps the pace of the source, follows redirects within its hosts, retries
   * network errors, 429 and 5xx with jitter and `Retry-After`, and keeps cookies for this run.
   *
   * @param url absolute, or a path on the source's origin
   * @throws {SourceError} `source-redirected`, `source-rate-limited`, `source-unavailable`, `response-too-large`,
   *   `not-found` (404, 410), `source-blocked` (401, 403), `bad-input` (other 4xx), unless `accept` has the status
   */
  fetch(url: string, options?: FetchOptions): Promise<Reply>
  /**
   * A page in a browser, for tasks that declare `needs.browser`: where only a real one is answered. One at a time: a
   * further call closes the one before and begins afresh. Closed with the run.
   *
   * @throws {TryAgain} when the browser does not start, or ended meanwhile: the task begins anew, and the run ends as
   *   errored when that does not help. It does so at once when this machine has no browser
   */
  page(options?: PageOptions): Promise<BrowserPage>
  /**
   * Charges the run's next block, before the work for it begins, for tasks whose price has `block`. A block that was
   * paid for already, by an attempt before this one, is not charged again.
   *
   * @param block 1 for the first one after what the kickoff paid for
   * @returns whether it is paid for; false when the balance does not allow it
   * @throws the signal's reason when the run is stopped meanwhile
   */
  charge(block: number): Promise<boolean>
  /**
   * Waits, for sources that ask to come back later in words that `fetch` can't know.
   *
   * @returns whether the time has passed: false when the run is stopped meanwhile, and at once when it would be out of
   *   time by then
   */
  pause(ms: number): Promise<boolean>
  /** HTML as a DOM (linkedom). */
  parse(html: string): Document
  /** How far the run is: numbers, and a phrase of the plugin's own without words of the input or the source. */
  progress(done: number, total?: number | null, message?: string | null): void
  /** Begins a file of the result, e.g. a ZIP. */
  artifact(name: string, contentType: string): Promise<ArtifactWriter>
  /**
   * What the attempt before this one had written of its largest file when it was cut off, by a restart of the service or
   * by the loss of its process; undefined when there is none on this machine. Take from it what need not be fetched again.
   */
  unfinished(): Promise<UnfinishedFile | undefined>
  /** Aborts when the run is cancelled or out of time; what has been yielded by then is kept. */
  readonly signal: AbortSignal
  /** milliseconds since 1970 */
  now(): number
  /** Goes to the service's log with the run's id; never put inputs or credentials in it. */
  log(message: string, fields?: Readonly<Record<string, string | number | boolean | null>>): void
  /** The source's public origin, as declared: for URLs in items. */
  readonly origin: string
  /**
   * Whether the run has a login, for tasks that declare `needs.login`: then `fetch` sends its cookies, and `page` opens
   * with all that it stored, and what `fetch` was given since. Cookies that the source gives out in place of old ones are
   * kept for the next run; those of a page `fetch` does not know. One that the source does not accept any more is told
   * by throwing `LoginNeeded`.
   */
  readonly signedIn: boolean
}
