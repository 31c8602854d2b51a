/**
 * Checks what a child process sends: a plugin is somebody else's code in that process, and may send anything in its name.
 *
 * @module
 */
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { isValid } from '../../catalogue/check.ts'
import type { SourceErrorCode } from '../../plugin/errors.ts'
import type { FromChild } from './protocol.ts'

const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Text = Type.String()
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])
const one = <T extends string>(...values: readonly T[]) =>
  Type.Union(values.map((value) => Type.Literal(value)))
/** Other fields are ignored. */
const open = (properties: TObject['properties']) => Type.Object(properties, { additionalProperties: true })

const Cookie = open({
  ...{ name: Text, value: Text, domain: Text, path: Text },
  ...{ secure: Type.Boolean(), httpOnly: Type.Boolean(), sameSite: one('Strict', 'Lax', 'None') },
  expires: Type.Number(),
})

/** A table, so that a code that is missing here does not compile. */
const SOURCE_ERRORS: Record<SourceErrorCode, true> = {
  'not-found': true,
  private: true,
  restricted: true,
  'bad-input': true,
  'source-blocked': true,
  'source-rate-limited': true,
  'source-unavailable': true,
  'source-login-required': true,
  'source-changed': true,
  'source-redirected': true,
  'response-too-large': true,
}

const End = Type.Union([
  open({ status: one('succeeded'), rest: Text }),
  open({
    status: one('failed'),
    code: one(...Object.keys(SOURCE_ERRORS)),
    detail: Type.String({ maxLength: 300 }),
  }),
  open({ status: one('errored'), code: one('defect', 'output-invalid', 'out-of-memory'), reason: Text }),
  open({ status: one('stopped') }),
])

const ITEMS = { text: Text, count: Whole }

const SCHEMAS: { readonly [T in FromChild['type']]: TObject } = {
  alive: open({}),
  items: open(ITEMS),
  again: open({ reason: Text }),
  progress: open({ done: Whole, total: orNull(Whole), message: orNull(Type.String({ maxLength: 300 })) }),
  log: open({ message: Text, fields: open({}) }),
  file: open({ id: Whole, name: Text, contentType: Text }),
  charge: open({ id: Whole, block: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
  acquire: open({ id: Whole, host: Text }),
  page: open({
    id: Whole,
    page: Whole,
    call: open({
      method: Text,
      args: Type.Optional(Type.Array(Type.Any())),
      options: Type.Optional(open({})),
      cookies: Type.Optional(Type.Array(Cookie)),
    }),
  }),
  release: open({ id: Whole, pauseMs: Type.Number() }),
  completed: open({
    ...ITEMS,
    end: End,
    hasFolder: Type.Boolean(),
    fill: orNull(open({ items: Whole, filled: Type.Array(Whole) })),
    cookies: Type.Optional(Type.Array(Cookie)),
  }),
  crashed: open({ reason: Text, memory: Type.Boolean() }),
}

/** The message of a child, or undefined when it is none of the protocol. */
export function heard(message: unknown): FromChild | undefined {
  const { type } = (message ?? {}) as { readonly type?: unknown }
  if (typeof type !== 'string' || !Object.hasOwn(SCHEMAS, type)) return undefined
  return isValid(SCHEMAS[type as FromChild['type']], message) ? (message as FromChild) : undefined
}
