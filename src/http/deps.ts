/**
 * What endpoints need. The composition root provides it; tests provide their own.
 *
 * @module
 */
import type { Ledger } from '../accounts/ledger.ts'
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Config } from '../config.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import type { Feed } from '../feed/feed.ts'
import type { Keys } from '../keys/keys.ts'
import type { EventLog } from '../log/event-log.ts'
import type { Tail } from '../log/tail.ts'
import type { Logger } from '../logger.ts'
import type { SignInLinks } from '../login/links.ts'
import type { Logins } from '../login/logins.ts'
import type { Gateway } from '../login/remote/gateway.ts'
import type { Metrics } from '../metrics.ts'
import type { ReadModels } from '../read/read-models.ts'
import type { WaitUntilProjected } from '../read/wait-until-projected.ts'
import type { Admit } from '../runs/admit.ts'
import type { RunCommands } from '../runs/commands.ts'
import type { Runs } from '../runs/runs.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { Call } from './endpoint.ts'
import type { Problem } from './problems.ts'
import type { TimeLimit } from './time-limit.ts'

/** Answers a request to `/mcp` that has passed authentication. @throws {Problem} for what is no matter of JSON-RPC */
export type AnswerMcp = (deps: Deps, call: Call) => Promise<Response>

export type Deps = {
  readonly config: Config
  readonly log: EventLog
  readonly tail: Tail
  readonly feed: Feed
  readonly readModels: ReadModels
  /** for calls that must see everything that was written before them */
  readonly waitUntilProjected: WaitUntilProjected
  readonly artifacts: Artifacts
  readonly ledger: Ledger
  readonly runs: Runs
  readonly admit: Admit
  readonly commands: RunCommands
  readonly keys: Keys
  readonly webhooks: Webhooks
  readonly catalogue: Catalogue
  readonly logins: Logins
  readonly signIns: SignInLinks
  /** where people who have opened a link are let in */
  readonly gateway: Gateway
  readonly ephemeral: EphemeralStore
  readonly metrics: Metrics
  readonly logger: Logger
  /** milliseconds since 1970 */
  now(): number
  /** Once true, nothing new is admitted. */
  shuttingDown(): boolean
  /** Aborts when the API is about to stop: calls that wait for a run are answered at once, and streams end. */
  readonly closing: AbortSignal
  /** How long stores on a network may keep a request waiting; without it there is no limit. */
  readonly timeLimit?: TimeLimit
  /** What answers `/mcp`: loaded when the first such request comes. */
  readonly mcp: () => Promise<{ readonly answerMcp: AnswerMcp }>
  /**
   * Keeps the connection of a request open though nothing is sent on it for a while, on a runtime that would close
   * it. Does nothing by default.
   *
   * @returns a function that releases it, to be called before the answer: else clients that vanish keep theirs open forever
   */
  hold?(request: Request): () => void
  /** An error as a page, where the request is one that a person's browser made for a page; undefined elsewhere. */
  errorPage?(request: Request, problem: Problem, requestId: string): Response | undefined
  /** The IP address that the connection of a request comes from; undefined where it is not known. */
  connectionOf?(request: Request): string | undefined
}
