/**
 * Ids and cursors that lead from one answer to the next request, where that request does not repeat the name. The answers
 * for each name have ids of their own, so that two runs at once do not mix their names.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Cassette } from '../../src/plugin/testing.ts'
import type { SiteRequest } from './matching.ts'
import { type Names, type Place, textAt } from './names.ts'
import { changed, partsOf } from './request-parts.ts'

/** Where the requests of a family have such ids. */
const PLACES: Readonly<Record<string, readonly Place[]>> = {
  marketplace: [{ part: 'whole', pattern: /^\/api\/v2\/(?:wardrobe|users)\/(\d+)/ }],
  realty_a: [{ part: 'locationIdentifier', pattern: /\^(\d+)$/ }],
  shortvideo: [
    { part: 'challengeID' },
    { part: 'aweme_id' },
    { part: 'whole', pattern: /^\/embed\/v2\/(\d+)/ },
    { part: 'whole', pattern: /\/(?:video|photo)\/(\d+)$/ },
    { part: 'whole', pattern: /^\/(?:t\/)?(\w{6,})\/$/ },
  ],
  video: [{ part: 'browseId' }, { part: 'continuation' }],
}
/** Short ids are only ids where their answers say so. */
const SHORT = 5

type Link = { readonly recorded: string; readonly names: Names }

/** What the ids of a request lead to. */
export type Followed = {
  /** with the recorded ids */
  readonly request: SiteRequest
  /** undefined if the ids are recorded ones, or there are none */
  readonly names?: Names
  /** whether the request has an id that no answer had */
  readonly isUnknown: boolean
}

export class Links {
  private readonly recorded = new Set<string>()
  private readonly issued = new Map<string, Link>()
  private readonly places: readonly Place[]

  constructor(family: string, cassettes: readonly Cassette[]) {
    this.places = PLACES[family] ?? []
    if (this.places.length === 0) return
    for (const { input, exchanges } of cassettes) {
      for (const { request, sent } of exchanges) {
        const path = request.replace(/^[A-Z]+ /, '').replace(/^https?:\/\/[^/]+/, '')
        for (const id of this.idsIn({ method: 'GET', path, body: JSON.stringify(sent ?? null) }))
          this.recorded.add(id)
      }
      const member = /\/member\/(\d+)/.exec(String(input.member_url))?.[1]
      if (member !== undefined) this.recorded.add(member)
    }
  }

  private idsIn(request: SiteRequest): string[] {
    const parts = partsOf(request)
    return this.places.flatMap((place) => textAt(parts, place) ?? [])
  }

  follow(request: SiteRequest): Followed {
    const ids = this.idsIn(request)
    const links = ids.flatMap((id) => this.issued.get(id) ?? [])
    const isUnknown = ids.some((id) => !this.recorded.has(id) && !this.issued.has(id))
    if (links.length === 0) return { request, isUnknown }
    const recorded = changed(request, (value) => {
      const id = ids.find((one) => value === one || value.endsWith(`^${one}`))
      return id === undefined ? value : value.replace(id, () => this.issued.get(id)?.recorded ?? id)
    })
    return { request: recorded, names: links[0]!.names, isUnknown }
  }

  /** A text of an answer with the ids of these names. */
  inText(text: string, names: Names): string {
    let next = text
    for (const recorded of this.recorded) {
      if (!next.includes(recorded)) continue
      const pattern =
        recorded.length < SHORT
          ? new RegExp(
              `(?<="id": ?"?)${recorded}(?="?, ?"(?:type|displayName|title))|(?<=challengeID=)${recorded}\\b|^${recorded}$`,
              'g',
            )
          : new RegExp(`(?<![\\w-])${RegExp.escape(recorded)}(?!\\w)`, 'g')
      next = next.replace(pattern, () => this.issue(recorded, names))
    }
    return next
  }

  private issue(recorded: string, names: Names): string {
    const key = JSON.stringify([recorded, ...names])
    const id = /^\d+$/.test(recorded) ? number(recorded, key) : word(recorded, key)
    this.issued.set(id, { recorded, names })
    return id
  }
}

/** A number of at least nine digits, as long as the recorded one, that another program can hold as a number too. */
const number = (recorded: string, key: string): string =>
  `${recorded.slice(0, Math.max(0, recorded.length - 9))}1${digits(key)}`
const digits = (key: string): string =>
  String(Number.parseInt(hash('sha256', key).slice(0, 8), 16) % 100_000_000).padStart(8, '0')

const word = (recorded: string, key: string): string =>
  recorded.slice(0, Math.max(4, recorded.length - 12)) + hash('sha256', key).slice(0, 12)
