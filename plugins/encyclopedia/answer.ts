/**
 * Reads answers of MediaWiki's `action=query&list=search`, of format versions 1 and 2.
 *
 * @module
 */
import {
  at,
  Blocked,
  blockPage,
  integerOrNull,
  listAt,
  SourceChanged,
  textOf,
  textOrNull,
  timeOf,
  titleOf,
} from 'gleaner/plugin'
import { errorOf } from './errors.ts'

/** One hit as the task gives it out. */
export type Article = {
  title: string
  pageid: number | null
  ns: number
  url: string
  snippet: string | null
  snippet_html: string | null
  size: number | null
  wordcount: number | null
  timestamp: string | null
}

export type Answer = {
  readonly items: readonly Article[]
  /** the offset where the next answer begins; null on the last */
  readonly next: number | null
  readonly totalHits: number | null
  readonly suggestion: string | null
  /** the address of a page, with `$1` in place of its title */
  readonly site: string
}

/**
 * Reads an answer.
 *
 * @param body of the answer
 * @param site where pages are, unless the answer says it
 * @throws {SourceError} for an error of the wiki, and for what is no answer to a search
 */
export function answerOf(body: string, site: string): Answer {
  const json = parsed(body)
  const error = errorOf(json)
  if (error) throw error
  const own = siteOf(json) ?? site
  return {
    items: listAt(json, 'query', 'search').map((hit) => articleOf(hit, own)),
    next: integerOrNull(at(json, 'continue', 'sroffset') ?? at(json, 'query-continue', 'search', 'sroffset')),
    totalHits: integerOrNull(at(json, 'query', 'searchinfo', 'totalhits')),
    suggestion: textOrNull(at(json, 'query', 'searchinfo', 'suggestion')),
    site: own,
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    const title = titleOf(body) ?? 'no title'
    if (blockPage(body) || /captcha|blocked|denied|forbidden|too many requests/i.test(body.slice(0, 20_000)))
      throw new Blocked(`a page instead of JSON: ${title}`)
    throw new SourceChanged(
      `the answer is no JSON: ${/^\s*</.test(body) ? `a page, ${title}` : 'other text'}`,
    )
  }
}

/** `{server}{articlepath}` of the wiki; a server without a scheme is meant for both, so https. */
function siteOf(json: unknown): string | undefined {
  const server = textOrNull(at(json, 'query', 'general', 'server'))
  const path = textOrNull(at(json, 'query', 'general', 'articlepath'))
  if (server === null || path === null || !path.includes('$1')) return undefined
  const site = `${server.startsWith('//') ? 'https:' : ''}${server}${path}`
  return /^https?:\/\//.test(site) ? site : undefined
}

function articleOf(hit: unknown, site: string): Article {
  const title = textOrNull(at(hit, 'title'))
  const ns = integerOrNull(at(hit, 'ns'))
  if (title === null || ns === null) throw new SourceChanged('a hit has no title or namespace')
  const html = at(hit, 'snippet')
  return {
    title,
    pageid: integerOrNull(at(hit, 'pageid')),
    ns,
    url: site.replace('$1', () => encodeTitle(title)),
    snippet: textOf(html),
    snippet_html: typeof html === 'string' && html !== '' ? html : null,
    size: integerOrNull(at(hit, 'size')),
    wordcount: integerOrNull(at(hit, 'wordcount')),
    timestamp: timeOf(at(hit, 'timestamp')),
  }
}

/** A title as part of an address: spaces as underscores, all percent-encoded but letters, digits and `-_.~/:(),`. */
export const encodeTitle = (title: string): string =>
  encodeURIComponent(title.replaceAll(' ', '_'))
    .replace(/%(?:2F|3A|2C)/g, decodeURIComponent)
    .replace(/[!'*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
