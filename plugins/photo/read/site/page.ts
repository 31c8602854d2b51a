/**
 * Reads the pages of profiles and posts, whose scripts contain the data that the page shows.
 *
 * @module
 */
import { at, entriesAt, jsonIn, textOrNull, titleOf } from 'gleaner/plugin'
import { idIn } from '../parsers/values.ts'

/** What a page shows. `missing`: there is no such profile or post. */
export type PageKind = 'profile' | 'post' | 'missing' | 'sign-in'

/** The data of a page. */
export type SitePage = {
  /** null for a page of another kind */
  readonly kind: PageKind | null
  readonly title: string | null
  /** the parts of profiles, in any order */
  readonly users: readonly object[]
  readonly posts: readonly object[]
  /** the token that queries must have */
  readonly token: string | null
  /** the ids of the queries that the page makes, by their names */
  readonly queries: ReadonlyMap<string, string>
}

const KINDS: readonly (readonly [route: RegExp, kind: PageKind])[] = [
  [/PolarisLoggedOutDesktopWWWProfileRoute$/, 'profile'],
  [/PolarisLoggedOutDesktopWWWPostRoute$/, 'post'],
  [/PolarisErrorRoute$/, 'missing'],
  [/PolarisCAAIGLoginHomepageRoute$/, 'sign-in'],
]

/** Reads a page. Never throws: a page without data has empty parts. */
export function readPage(html: string): SitePage {
  const users: object[] = []
  const posts: object[] = []
  const queries = new Map<string, string>()
  let kind: PageKind | null = null
  let token: string | null = null
  const see = (name: string, value: unknown) => {
    if (name === 'xig_user_by_username' && isObject(value)) users.push(value)
    else if (name === 'xig_polaris_media' && isObject(value)) posts.push(value)
    else if (name === 'canonicalRouteName')
      kind ??= KINDS.find(([route]) => route.test(String(value)))?.[1] ?? null
    else if (name === 'expectedPreloaders')
      for (const one of entriesAt(value)) {
        const [query, id] = [textOrNull(at(one, 'queryName')), idIn(one, 'queryID')]
        if (query?.startsWith('PolarisLoggedOut') && id !== null) queries.set(query, id)
      }
    else if (at(value, 0) === 'LSD') token ??= tokenOrNull(at(value, 2, 'token'))
  }
  for (const script of scriptsIn(html)) properties(jsonIn(script, { exact: true }), see)
  return { kind, title: titleOf(html), users, posts, token, queries }
}

/** A token that a header can have. */
const tokenOrNull = (value: unknown): string | null => {
  const text = textOrNull(value)
  return text !== null && /^[\x21-\x7e]{1,200}$/.test(text) ? text : null
}

/** The contents of the JSON scripts that hold a page's data. */
function scriptsIn(html: string): string[] {
  // A regular expression over the whole page would take quadratic time on scripts that are not closed.
  return html.split(/<script\b/i).flatMap((part) => {
    const start = part.indexOf('>')
    const end = part.indexOf('</script', start)
    const isData = /\bdata-sjs\b/.test(part.slice(0, start)) && part.includes('application/json')
    return isData && end > start ? [part.slice(start + 1, end)] : []
  })
}

/** Calls a function for each property at any depth. It does not recurse, since a page may be nested without end. */
function properties(json: unknown, see: (name: string, value: unknown) => void): void {
  const stack: unknown[] = [json]
  for (let part = stack.pop(); part !== undefined; part = stack.pop())
    if (isObject(part))
      for (const [name, value] of Object.entries(part)) {
        see(name, value)
        if (isObject(value)) stack.push(value)
      }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * The profile of a username, from the parts of profiles on a page: one has the name and the counts, another one the
 * posts.
 *
 * @returns undefined when no part names the profile
 */
export function profileAmong(parts: readonly object[], username: string): object | undefined {
  const whole: object[] = []
  for (const part of parts) {
    const i = whole.findIndex((other) => isSame(part, other))
    if (i < 0) whole.push(part)
    else whole[i] = merge(whole[i] as object, part)
  }
  return whole.find((one) => textOrNull(at(one, 'username'))?.toLowerCase() === username)
}

const isSame = (a: object, b: object): boolean => {
  const field = at(a, 'pk') != null && at(b, 'pk') != null ? 'pk' : 'id'
  return at(a, field) != null && String(at(a, field)) === String(at(b, field))
}

const merge = (a: object, b: object): object => ({
  ...a,
  ...Object.fromEntries(Object.entries(b).filter(([, value]) => (value ?? null) !== null)),
})
