/**
 * The messages of a process of plugins to the service, and their validation: a plugin is untrusted code in that process
 * and may send anything in its name.
 *
 * @module
 */
import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { PageCall } from '../../browser/host/page-calls.ts'
import { isValid } from '../../catalogue/check.ts'
import type { Fill } from '../../catalogue/filling.ts'
import type { SavedCookie } from '../../net/cookies.ts'
import { SOURCE_ERROR_CODES } from '../../plugin/errors.ts'
import { Nullable } from '../../schema.ts'
import { MOST_CAPTURE_CHARS } from './protocol.ts'

const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Text = Type.String()
const one = <T extends string>(...values: readonly T[]) =>
  Type.Union(values.map((value) => Type.Literal(value)))
/** The run that the message belongs to: see `RunNumber`. */
const run = Whole
/** Other fields are ignored. */
const open = <P extends TObject['properties']>(properties: P) =>
  Type.Object(properties, { additionalProperties: true })

const Cookies = Type.Unsafe<readonly SavedCookie[]>(
  Type.Array(
    open({
      name: Text,
      value: Text,
      domain: Text,
      path: Text,
      secure: Type.Boolean(),
      httpOnly: Type.Boolean(),
      sameSite: one('Strict', 'Lax', 'None'),
      expires: Type.Number(),
    }),
  ),
)

/** How the plugin's task ended. `reason` is for the service's log only. */
const End = Type.Union([
  /** `rest`: the result without its items, as JSON text of an object with at least `next_cursor` */
  open({ status: one('succeeded'), rest: Text }),
  /** `exitFailure`: it failed because its exit did, which then rests for all sources or only here */
  open({
    status: one('failed'),
    code: one(...SOURCE_ERROR_CODES),
    detail: Type.String({ maxLength: 300 }),
    exitFailure: Type.Optional(
      open({ where: one('everywhere', 'here'), reason: Type.String({ maxLength: 100 }) }),
    ),
  }),
  open({ status: one('errored'), code: one('defect', 'output-invalid', 'out-of-memory'), reason: Text }),
  /** the plugin reacted to the signal */
  open({ status: one('stopped') }),
])
export type TaskEnd = Static<typeof End>

/** Items as comma-separated JSON texts, so that they need no parsing on their way to the client. */
const Items = open({ text: Text, count: Whole })
export type Items = Static<typeof Items>

/** See {@link import('../../net/transport/usage.ts').Usage}. */
const Usage = { requests: Whole, bytes: Whole }

const FillSchema = Type.Unsafe<Fill>(
  open({ items: Whole, possible: Type.Array(Whole), filled: Type.Array(Whole) }),
)

/**
 * The end of an execution whose code ran to the end, with the items that were not sent before. `hasFolder`: whether it created the folder of its job;
 * `fill`: null if it returned no items; `cookies`: cookies of its login that responses changed; `route`: the route that
 * answered; `skipped`: how many rows could not be read and were left out; `usage`: of its requests, without its pages.
 */
const Completed = open({
  ...Items.properties,
  end: End,
  hasFolder: Type.Boolean(),
  fill: Nullable(FillSchema),
  cookies: Type.Optional(Cookies),
  route: Type.Optional(Type.String({ maxLength: 100 })),
  skipped: Type.Optional(Whole),
  usage: Type.Optional(open(Usage)),
})
export type Completed = Static<typeof Completed>

export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** Keyed by the type of the message. */
const SCHEMAS = {
  /** a heartbeat. `late`: how often its timer was late since the last one */
  alive: open({ late: Type.Optional(Whole) }),
  items: open({ run, ...Items.properties }),
  /** the task starts again: its items so far do not count */
  again: open({ run, reason: Text }),
  progress: open({
    run,
    done: Whole,
    total: Nullable(Whole),
    message: Nullable(Type.String({ maxLength: 300 })),
  }),
  /** what its requests have used so far, with a heartbeat */
  usage: open({ run, ...Usage }),
  log: open({ run, message: Text, fields: Type.Unsafe<LogFields>(open({})) }),
  /** a file in the run's folder, named by its number, is finished: answered by `filed` */
  file: open({ run, id: Whole, name: Text, contentType: Text }),
  /** a further block must be charged: answered by `charged` */
  charge: open({ run, id: Whole, block: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
  /** a request to this host is about to be made: answered by `acquired` */
  acquire: open({ run, id: Whole, host: Text }),
  /** a call to a page of the run, or for a new page: answered by `paged` */
  page: open({
    run,
    id: Whole,
    page: Whole,
    call: Type.Unsafe<PageCall>(
      open({
        method: Text,
        args: Type.Optional(Type.Array(Type.Any())),
        options: Type.Optional(open({})),
        cookies: Type.Optional(Cookies),
      }),
    ),
  }),
  /** the request has completed; `pauseMs`: how long the host asked for no requests */
  release: open({ run, id: Whole, pauseMs: Type.Number() }),
  /** before `completed`: the last answers of the run, as a cassette in JSON */
  capture: open({ run, text: Type.String({ maxLength: MOST_CAPTURE_CHARS }) }),
  completed: open({ run, ...Completed.properties }),
  /** an uncaught error: the process exits */
  crashed: open({ reason: Text, memory: Type.Boolean() }),
}
type Schemas = typeof SCHEMAS

/** A message of a process; rigs/fuzz/wire.ts mutates them. */
export type FromChild = { [T in keyof Schemas]: { type: T } & Static<Schemas[T]> }[keyof Schemas]

/** A message without the number of its run: what code says that knows only its own run. */
export type OfRun = WithoutRun<Exclude<FromChild, { readonly type: 'alive' | 'crashed' }>>
type WithoutRun<T> = T extends unknown ? Omit<T, 'run'> : never

/** The messages about a run, except its end. */
export type RunMessage = Exclude<OfRun, { readonly type: 'completed' }>

/** A validated message of a process, or undefined when it is not part of the protocol. */
export function parseMessage(message: unknown): FromChild | undefined {
  const { type } = (message ?? {}) as { readonly type?: unknown }
  if (typeof type !== 'string' || !Object.hasOwn(SCHEMAS, type)) return undefined
  return isValid(SCHEMAS[type as FromChild['type']], message) ? (message as FromChild) : undefined
}
