/**
 * The dependencies of endpoints. The composition root provides them; tests provide their own.
 *
 * @module
 */
import type { Accounts } from '../accounts/accounts.ts'
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Config } from '../config.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import type { Feed } from '../feed/feed.ts'
import type { Keys } from '../keys/keys.ts'
import type { EventLog } from '../log/event-log.ts'
import type { Tail } from '../log/tail.ts'
import type { Logger } from '../logger.ts'
import type { Logins } from '../login/logins.ts'
import type { Metrics } from '../metrics.ts'
import type { ReadModels } from '../read/read-models.ts'
import type { WaitUntilProjected } from '../read/wait-until-projected.ts'
import type { Admit } from '../runs/admit.ts'
import type { RunCommands } from '../runs/commands.ts'
import type { Runs } from '../runs/runs.ts'
import type { Titles } from '../runs/titles.ts'
import type { SignInLinks } from '../signin/links.ts'
import type { Gateway } from '../signin/remote/gateway.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { Call } from './endpoint.ts'
import type { Problem } from './problems.ts'
import type { TimeLimit } from './time-limit.ts'

/** Answers an authenticated request to `/mcp`. @throws {Problem} for errors that are not reported as JSON-RPC */
export type AnswerMcp = (deps: Deps, call: Call) => Promise<Response>

export type Deps = {
  readonly config: Config
  readonly log: EventLog
  readonly tail: Tail
  readonly feed: Feed
  readonly readModels: ReadModels
  /** for calls that must see all earlier writes */
  readonly waitUntilProjected: WaitUntilProjected
  readonly artifacts: Artifacts
  readonly accounts: Accounts
  readonly runs: Runs
  readonly titles: Titles
  readonly admit: Admit
  readonly commands: RunCommands
  readonly keys: Keys
  readonly webhooks: Webhooks
  readonly catalogue: Catalogue
  readonly logins: Logins
  readonly signInLinks: SignInLinks
  /** connects people who have opened a sign-in link to their session */
  readonly gateway: Gateway
  readonly ephemeral: EphemeralStore
  readonly metrics: Metrics
  readonly logger: Logger
  /** milliseconds since 1970 */
  now(): number
  /** Once true, no new work is admitted. */
  shuttingDown(): boolean
  /** Aborts when the API is about to stop. Calls that wait for a run are then answered at once, and streams end. */
  readonly closing: AbortSignal
  /** Limits how long networked stores may delay a request. */
  readonly timeLimit: TimeLimit
  /** Loads the handler of `/mcp`; called at the first such request. */
  readonly mcp: () => Promise<{ readonly answerMcp: AnswerMcp }>
  /**
   * Keeps the connection of a request open while nothing is sent, on a runtime that would close it: until the answer is
   * sent or the client is gone. Does nothing by default.
   *
   * @returns ends the hold earlier
   */
  hold?(request: Request): () => void
  /** An error as an HTML page if a browser requested a page; undefined for other requests. */
  errorPage?(request: Request, problem: Problem, requestId: string): Promise<Response> | undefined
  /** The peer IP address of a request's connection; undefined if unknown. */
  connectionOf?(request: Request): string | undefined
}
