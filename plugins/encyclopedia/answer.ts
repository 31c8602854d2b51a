/**
 * Reads answers of MediaWiki's `action=query&list=search`, of format versions 1 and 2.
 *
 * @module
 */
import {
  at,
  from,
  integerOrNull,
  Link,
  listAt,
  parseJson,
  reader,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { errorOf, PAGES } from './errors.ts'

/** A hit, read with the address of a page in place of the origin, and `$1` in place of the page's title in it. */
export const Article = Type.Object({
  title: from.required(from.text('title'), 'a hit has no title'),
  pageid: from.integer('pageid', 'The id of the page in its wiki.'),
  ns: from.required(from.integer('ns', 'The namespace; 0 for articles.'), 'a hit has no namespace'),
  url: from.value(Link({ description: 'The address of the page on the wiki.' }), (hit, site) =>
    site.replace('$1', () => encodeTitle(textOrNull(at(hit, 'title')) ?? '')),
  ),
  snippet: from.plain('snippet', 'The text around the words, plain.'),
  snippet_html: from.text('snippet', 'The same, with the HTML markup of the wiki.', (html) =>
    typeof html === 'string' && html !== '' ? html : null,
  ),
  size: from.integer('size', 'Bytes of its wikitext.'),
  wordcount: from.integer('wordcount'),
  timestamp: from.time('timestamp', 'Its last edit.'),
})
const articleOf = reader(Article)

export type Answer = {
  readonly items: readonly Static<typeof Article>[]
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
 * @param site where pages are, unless the answer says it
 * @throws {SourceError} for an error of the wiki, and for what is no answer to a search
 */
export function answerOf(body: string, site: string): Answer {
  const json = parseJson(body, { blocked: PAGES })
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

/** `{server}{articlepath}` of the wiki; a server without a scheme is meant for both, so https. */
function siteOf(json: unknown): string | undefined {
  const server = textOrNull(at(json, 'query', 'general', 'server'))
  const path = textOrNull(at(json, 'query', 'general', 'articlepath'))
  if (server === null || path === null || !path.includes('$1')) return undefined
  const site = `${server.startsWith('//') ? 'https:' : ''}${server}${path}`
  return /^https?:\/\//.test(site) ? site : undefined
}

/** A title as part of an address: spaces as underscores, all percent-encoded but letters, digits and `-_.~/:(),`. */
export const encodeTitle = (title: string): string =>
  encodeURIComponent(title.replaceAll(' ', '_'))
    .replace(/%(?:2F|3A|2C)/g, decodeURIComponent)
    .replace(/[!'*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
