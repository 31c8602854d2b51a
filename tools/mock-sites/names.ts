/**
 * Where the requests and inputs of each family have the names that are asked for.
 *
 * @module
 */

import type { SiteRequest } from './matching.ts'
import { type Part, partsOf } from './request-parts.ts'

/** What a name is the name of: `community` or `user` in the forum, `name` in the other families. */
export type Names = ReadonlyMap<string, string>

/** A request; the photo site's requests for posts name the profile only in their `referer`. */
export type NamedRequest = SiteRequest & { readonly headers?: { readonly referer?: string | undefined } }

/** The names of a part, and the pattern whose first group is the text looked for; default: the whole value. */
export type Place = { readonly part: string; readonly pattern?: RegExp; readonly of?: string }

const PLACES: Readonly<Record<string, readonly Place[]>> = {
  encyclopedia: [{ part: 'srsearch' }],
  forum: [
    { part: 'q', of: 'query' },
    { part: 'whole', pattern: /^\/(?:svc\/shreddit\/)?r\/([^/]+)/, of: 'community' },
    { part: 'whole', pattern: /^\/user\/([^/]+)/, of: 'user' },
  ],
  marketplace: [{ part: 'search_text' }, { part: 'query' }],
  microblog: [{ part: 'rawQuery' }, { part: 'q' }],
  photo: [
    { part: 'username' },
    { part: 'whole', pattern: /^\/(?!api\/|p\/|reel\/|web\/|v\/)([\w.]+)\/$/ },
    { part: 'whole', pattern: /^\/api\/v1\/feed\/user\/([\w.]*[A-Za-z_][\w.]*)\// },
    { part: 'query' },
    { part: 'referer', pattern: /^https?:\/\/[^/]+\/([\w.]+)\/$/ },
  ],
  realty_a: [{ part: 'query' }, { part: 'whole', pattern: /^\/property-for-sale\/(?!find\.)([^/]+)\.html/ }],
  shortvideo: [{ part: 'challengeName' }, { part: 'whole', pattern: /^\/(?:embed\/)?tag\/([^/]+)/ }],
  video: [
    { part: 'url', pattern: /youtube\.com\/@([\w.-]+)/ },
    { part: 'whole', pattern: /^\/@([\w.-]+)/ },
  ],
}

/** The names that a request asks for. */
export function namesIn(family: string, request: NamedRequest): Names {
  const { referer } = request.headers ?? {}
  const parts = [...partsOf(request), ...(referer === undefined ? [] : [{ name: 'referer', value: referer }])]
  const names = new Map<string, string>()
  for (const place of [...(PLACES[family] ?? []), ...feedOf(family, request)]) {
    const name = textAt(parts, place)
    const { of = 'name' } = place
    if (name !== undefined && !names.has(of)) names.set(of, name)
  }
  return names
}

/** The text at a place, if a request has it. */
export function textAt(parts: readonly Part[], { part, pattern }: Place): string | undefined {
  for (const { name, value } of parts) {
    const text = name === part ? (pattern ? pattern.exec(value)?.[1] : value) : undefined
    if (text !== undefined && text !== '') return text
  }
  return undefined
}

/** The parts of the forum's pages name a community or a user in the same parameter. */
const feedOf = (family: string, { path }: SiteRequest): readonly Place[] =>
  family === 'forum' ? [{ part: 'name', of: path.includes('/profiles/') ? 'user' : 'community' }] : []

const FIELDS = ['query', 'community', 'username', 'profile', 'hashtag', 'handle']
const FORUM: Readonly<Record<string, string>> = { query: 'query', community: 'community', username: 'user' }

/** The names of an input, without their signs. Of addresses, only those of members have one. */
export function namesOfInput(family: string, input: Readonly<Record<string, unknown>>): Names {
  const names = new Map<string, string>()
  const member = /\/member\/\d+-([\w.]+)/.exec(String(input.member_url))?.[1]
  if (member !== undefined) names.set('name', member)
  for (const field of FIELDS) {
    const value = input[field]
    if (typeof value !== 'string') continue
    const isUser = family === 'forum' && value.startsWith('u_')
    const name = value.replace(/^(?:[@#]|r\/|u_)/, '')
    const of = family !== 'forum' ? 'name' : isUser ? 'user' : (FORUM[field] ?? field)
    if (!name.includes('/')) names.set(of, name)
  }
  return names
}
