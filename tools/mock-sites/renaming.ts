/**
 * Lets the mock sites answer other names than the ones that were recorded: the recorded answer, with the name that was
 * asked for in place of the recorded one. A name that begins with `nobody` or `xyzzy` is unknown to all sites.
 *
 * @module
 */
import type { Cassette, Exchange } from '../../src/plugin/testing.ts'
import type { SiteRequest } from './matching.ts'

/** The name that a request asks for, by family: the first group of the first pattern that fits its decoded text. */
const ASKED: Readonly<Record<string, readonly RegExp[]>> = {
  encyclopedia: [/[?&]srsearch=([^&]+)/],
  forum: [/[?&](?:q|name)=([^&\n]+)/, /^\/(?:svc\/shreddit\/)?(?:r|user)\/([^/?]+)/],
  marketplace: [/[?&]search_text=([^&\n]+)/, /\/users\/search\?query=([^&\n]+)/],
  microblog: [/"rawQuery":"([^"]+)"/, /^\/search\?q=([^&\n]+)/],
  photo: [/[?&]username=([^&\n]+)/, /"username":"([^"]+)"/, /^\/([\w.]+)\/(?:\?|\n|$)/],
  realty_a: [/\/typeahead\?query=([^&\n]+)/, /^\/property-for-sale\/(?!find\.)([\w-]+)\.html/],
  realty_b: [/[?&]location=([^&\n]+)/],
  shortvideo: [/[?&]challengeName=([^&\n]+)/, /^\/(?:embed\/)?tag\/([^/?\n]+)/],
  video: [/youtube\.com\/@([\w.-]+)/, /^\/@([\w.-]+)/],
}
/** The inputs that hold names. */
const FIELDS = ['query', 'community', 'username', 'profile', 'hashtag', 'handle']
const UNKNOWN = /^(nobody|xyzzy)/i
const NOT_FOUND = { status: 404, body: 'Not found' }
/** How the sites of a family answer requests for an unknown name. The others answer 404. */
const UNKNOWN_ANSWERS: Readonly<Record<string, Omit<Exchange, 'request'>>> = {
  encyclopedia: {
    json: {
      batchcomplete: true,
      query: {
        general: {
          sitename: 'Encyclopedia of Made-up Things',
          server: '//encyclopedia.example',
          articlepath: '/wiki/$1',
        },
        searchinfo: { totalhits: 0 },
        search: [],
      },
    },
  },
  forum: {
    status: 302,
    headers: { location: 'https://www.reddit.com/subreddits/search?q=unknown' },
    body: '',
  },
  marketplace: {
    json: {
      items: [],
      users: [],
      pagination: { current_page: 1, per_page: 3, total_entries: 0, total_pages: 0, time: 1795700000 },
      code: 0,
    },
  },
  realty_a: { json: { matches: [] } },
  realty_b: { body: '{}&&{"version":1,"errorMessage":"Success","resultCode":0,"payload":{"sections":[]}}' },
  shortvideo: { json: { statusCode: 10_205, status_code: 10_205, status_msg: '' } },
}

/** What a request leads to. */
export type Renamed = {
  /** the requests that may have been recorded, best first */
  readonly requests: readonly SiteRequest[]
  /** the answer about an unknown name, instead of a recorded one */
  readonly unknown?: Exchange
  /** Puts the asked name into a recorded answer. */
  answer(exchange: Exchange): Exchange
}

/** The names of one family. It remembers the last name, since later requests of a run go on without it. */
export class Renaming {
  /** the recorded names of each exchange, the whole one first */
  private readonly namesOf = new Map<Exchange, readonly string[]>()
  /** recorded names that fill the place of another one */
  private readonly recorded: readonly string[]
  private asked: string | undefined

  constructor(
    private readonly family: string,
    cassettes: readonly Cassette[],
  ) {
    const all = cassettes.map(({ input, exchanges }) => ({ exchanges, names: namesIn(input) }))
    for (const { exchanges, names } of all)
      for (const exchange of exchanges) this.namesOf.set(exchange, names)
    this.recorded = [...new Set(all.flatMap(({ names }) => names))]
  }

  of(request: SiteRequest): Renamed {
    const name = this.nameIn(request)
    if (name !== undefined) this.asked = this.isRecorded(name) ? undefined : name
    const { asked } = this
    if (asked === undefined) return { requests: [request], answer: (exchange) => exchange }
    if (name !== undefined && UNKNOWN.test(name)) {
      const unknown = { request: request.path, ...(UNKNOWN_ANSWERS[this.family] ?? NOT_FOUND) }
      return { requests: [], unknown, answer: (exchange) => exchange }
    }
    return {
      requests: [request, ...this.recorded.map((known) => inRequest(request, asked, known))],
      answer: (exchange) => inAnswer(exchange, this.namesOf.get(exchange) ?? [], asked),
    }
  }

  private nameIn({ path, body }: SiteRequest): string | undefined {
    const text = `${decoded(path)}\n${decoded(body)}`
    for (const pattern of ASKED[this.family] ?? []) {
      const name = pattern.exec(text)?.[1]
      if (name !== undefined) return name
    }
    return undefined
  }

  private isRecorded(name: string): boolean {
    const same = name.toLowerCase()
    return this.recorded.some((known) => known.toLowerCase() === same)
  }
}

/** The recorded names of an input. @returns each whole name, without its sign */
function namesIn(input: Readonly<Record<string, unknown>>): string[] {
  return FIELDS.flatMap((field) => {
    const value = input[field]
    return typeof value === 'string' && !value.includes('/') ? [value.replace(/^[@#]/, '')] : []
  })
}

/** The text of a path or a body; as it is if it is badly encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function inRequest({ method, path, body }: SiteRequest, asked: string, known: string): SiteRequest {
  const forms = [asked, encodeURIComponent(asked), encodeURIComponent(asked).replaceAll('%20', '+')]
  const replaced = (text: string) => {
    const form = forms.find((each) => text.includes(each))
    return form === undefined
      ? text
      : text.replaceAll(form, form === asked ? known : encodeURIComponent(known))
  }
  return { method, path: replaced(path), body: replaced(body) }
}

/** The words of a name that stand for it in titles: the whole name, and its longer words. */
const wordsOf = (name: string): string[] => [name, ...name.split(/\s+/).filter((word) => word.length > 3)]

function inAnswer(exchange: Exchange, names: readonly string[], asked: string): Exchange {
  const { json, body } = exchange
  const words = names.flatMap(wordsOf)
  if (words.length === 0) return exchange
  const renamed = (text: string) => withName(text, words, asked)
  if (json !== undefined) return { ...exchange, json: inJson(json, renamed) }
  return typeof body === 'string' ? { ...exchange, body: renamed(body) } : exchange
}

function inJson(value: unknown, renamed: (text: string) => string): unknown {
  if (typeof value === 'string') return renamed(value)
  if (Array.isArray(value)) return value.map((each) => inJson(each, renamed))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inJson(each, renamed)]))
}

/** A text with a name in place of words. Words within longer words and identifiers stay. */
function withName(text: string, words: readonly string[], name: string): string {
  const either = [...words].sort((a, b) => b.length - a.length).map(RegExp.escape)
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_-])(${either.join('|')})(?![\\p{L}\\p{N}_=-])`, 'giu')
  return text.replaceAll(pattern, (word) => {
    const isCapital = word[0] !== word[0]?.toLowerCase()
    return isCapital ? name[0]?.toUpperCase() + name.slice(1) : name
  })
}
