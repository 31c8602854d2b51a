/**
 * What a child process says to its service, and the check of it: a plugin is somebody else's code in that process, and
 * may send anything in its name.
 *
 * @module
 */
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { PageCall } from '../../browser/host/page-calls.ts'
import { isValid } from '../../catalogue/check.ts'
import type { SavedCookie } from '../../net/cookies.ts'
import { SOURCE_ERROR_CODES } from '../../plugin/errors.ts'

const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Text = Type.String()
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const one = <T extends string>(...values: readonly T[]) =>
  Type.Union(values.map((value) => Type.Literal(value)))
/** Other fields are ignored. */
const open = <P extends TObject['properties']>(properties: P) =>
  Type.Object(properties, { additionalProperties: true })

const Cookies = Type.Unsafe<readonly SavedCookie[]>(
  Type.Array(
    open({
      ...{ name: Text, value: Text, domain: Text, path: Text },
      ...{ secure: Type.Boolean(), httpOnly: Type.Boolean(), sameSite: one('Strict', 'Lax', 'None') },
      expires: Type.Number(),
    }),
  ),
)

/** How the plugin ended. `reason` is for the service's log alone. */
const End = Type.Union([
  /** `rest`: all of the result but its items, as JSON text of an object that has at least `next_cursor` */
  open({ status: one('succeeded'), rest: Text }),
  open({
    status: one('failed'),
    code: one(...SOURCE_ERROR_CODES),
    detail: Type.String({ maxLength: 300 }),
  }),
  open({ status: one('errored'), code: one('defect', 'output-invalid', 'out-of-memory'), reason: Text }),
  /** it heeded the signal */
  open({ status: one('stopped') }),
])
export type TaskEnd = Static<typeof End>

/** Items as JSON texts with commas between them, so that nobody has to parse them on their way to the client. */
const Items = open({ text: Text, count: Whole })
export type Items = Static<typeof Items>

/** How many items a run brought in all, and in how many of them each column was not null. */
const Fill = open({ items: Whole, filled: Type.Array(Whole) })
export type Fill = Static<typeof Fill>

/**
 * How one run ended, with the items that were not sent before. `hasFolder`: whether it made the folder of its
 * job; `fill`: null where it brought no items; `cookies`: what answers made of those of its login.
 */
const Completion = open({
  ...Items.properties,
  end: End,
  hasFolder: Type.Boolean(),
  fill: orNull(Fill),
  cookies: Type.Optional(Cookies),
})
export type Completion = Static<typeof Completion>

export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** By the type of the message. */
const SCHEMAS = {
  alive: open({}),
  items: Items,
  /** the task begins anew: what it brought so far does not count */
  again: open({ reason: Text }),
  progress: open({ done: Whole, total: orNull(Whole), message: orNull(Type.String({ maxLength: 300 })) }),
  log: open({ message: Text, fields: Type.Unsafe<LogFields>(open({})) }),
  /** a file of the run's folder is finished, which has its number as name there: answered by `filed` */
  file: open({ id: Whole, name: Text, contentType: Text }),
  /** a further block is to be paid for: answered by `charged` */
  charge: open({ id: Whole, block: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
  /** a request to this host is about to be made: answered by `acquired` */
  acquire: open({ id: Whole, host: Text }),
  /** something is asked of the run's page, or a page: answered by `paged` */
  page: open({
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
  /** the request has completed; `pauseMs`: the host asked to be left alone so long */
  release: open({ id: Whole, pauseMs: Type.Number() }),
  /** the run has completed, and the child may be given the next one */
  completed: Completion,
  /** an error that nothing caught: the child ends itself */
  crashed: open({ reason: Text, memory: Type.Boolean() }),
}
type Schemas = typeof SCHEMAS

/** A message of a child; test/fuzz/wire.ts mutates them. */
export type FromChild = { [T in keyof Schemas]: { type: T } & Static<Schemas[T]> }[keyof Schemas]

/** The message of a child, or undefined when it is none of the protocol. */
export function heard(message: unknown): FromChild | undefined {
  const { type } = (message ?? {}) as { readonly type?: unknown }
  if (typeof type !== 'string' || !Object.hasOwn(SCHEMAS, type)) return undefined
  return isValid(SCHEMAS[type as FromChild['type']], message) ? (message as FromChild) : undefined
}
