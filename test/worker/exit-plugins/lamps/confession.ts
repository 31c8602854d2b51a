/**
 * What code of a plugin finds when it looks at everything that it is handed, and at everything global.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { createRequire } from 'node:module'
import { inspect } from 'node:util'

/** What the texts that it looks for have in them: plain, and as in the header for a proxy. */
const MARKS = ['MARK-', 'TUFSSy']

/** What the service sends to its process from now on. */
const heard: unknown[] = []
process.on('message', (message) => void heard.push(message))

type Roots = Readonly<Record<string, unknown>>

const attempt = (work: () => unknown): unknown => {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** Everything global, as objects and as texts. */
function globals(): Roots {
  const files = ['environ', 'cmdline', 'maps'].map((name) =>
    attempt(() => readFileSync(`/proc/self/${name}`, 'latin1')),
  )
  const roots: Roots = {
    globalThis,
    process,
    http,
    https,
    heard,
    report: attempt(() => process.report.getReport()),
    handles: attempt(() => undocumented._getActiveHandles()),
    requests: attempt(() => undocumented._getActiveRequests()),
    modules: createRequire(import.meta.url).cache,
    pooled: [Buffer.from('lamp').buffer, Buffer.allocUnsafe(8).buffer],
    deno: attempt(() => [Deno.env.toObject(), Deno.args, Deno.mainModule]),
    environment: JSON.stringify([process.env, process.argv, process.execArgv, process.title]),
  }
  return { ...roots, ...Object.fromEntries(files.map((text, i) => [`file${i}`, text])) }
}
const undocumented = process as unknown as Record<'_getActiveHandles' | '_getActiveRequests', () => unknown>
declare const Deno: {
  readonly env: { toObject(): object }
  readonly args: readonly string[]
  readonly mainModule: string
}

/** The texts with the mark in all that can be reached from some objects, each with its path. */
export function confession(own: Roots): string[] {
  const found: string[] = []
  const seen = new Set<unknown>()
  const texts = Object.entries(own).flatMap(([name, value]) => [
    [`JSON of ${name}`, attempt(() => JSON.stringify(value))],
    [`${name} as printed`, attempt(() => inspect(value, { depth: 6, showHidden: true }))],
  ]) as [string, unknown][]
  const all: [string, unknown][] = [...texts, ...Object.entries({ ...own, ...globals() })]
  for (const [path, value] of all) {
    const text = isBytes(value) ? attempt(() => latin1(value)) : value
    if (typeof text === 'string') {
      // Not by a regular expression: the last text that one was tried on is global.
      const at = Math.max(...MARKS.map((mark) => text.indexOf(mark)))
      if (at >= 0) found.push(`${path}: ${text.slice(Math.max(0, at - 20), at + 80)}`)
    }
    if (!isObject(value) || isBytes(value) || seen.has(value)) continue
    seen.add(value)
    for (const key of keysOf(value)) {
      const part = attempt(() => Reflect.get(value, key))
      // Getters of the runtime's prototypes reject.
      if (part instanceof Promise) attempt(() => part.catch(() => {}))
      all.push([`${path}.${String(key)}`, part])
    }
    if (value instanceof Map || value instanceof Set)
      attempt(() => all.push(...[...value].map((part): [string, unknown] => [`${path}[]`, part])))
  }
  return found
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'
const isBytes = (value: unknown): value is ArrayBufferLike | ArrayBufferView =>
  value instanceof ArrayBuffer || value instanceof SharedArrayBuffer || ArrayBuffer.isView(value)
const latin1 = (bytes: ArrayBufferLike | ArrayBufferView): string =>
  (ArrayBuffer.isView(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : Buffer.from(bytes)
  ).toString('latin1')

/** Its own keys and those of its prototypes: getters of a class give what an object has. */
function keysOf(value: object): ReadonlySet<PropertyKey> {
  const keys = new Set<PropertyKey>()
  for (let each: object | null = value; each !== null; each = Object.getPrototypeOf(each))
    for (const key of attempt(() => Reflect.ownKeys(each as object)) as PropertyKey[]) keys.add(key)
  return keys
}
