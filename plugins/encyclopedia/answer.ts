/**
 * Reads responses of MediaWiki's `action=query&list=search`, in format versions 1 and 2.
 *
 * @module
 */
import { at, field, integerOrNull, Link, listAt, reader, Type, textOrNull } from 'gleaner/plugin'

/** A hit. Its reader takes the URL pattern of pages, with `$1` for the title, instead of an origin. */
export const Article = Type.Object({
  title: field.required(field.text('title'), 'a hit has no title'),
  pageid: field.integer('pageid', 'The id of the page in its wiki.'),
  ns: field.required(field.integer('ns', 'The namespace; 0 for articles.'), 'a hit has no namespace'),
  url: field.value(Link({ description: 'The address of the page on the wiki.' }), (hit, site) =>
    site.replace('$1', () => encodeTitle(textOrNull(at(hit, 'title')) ?? '')),
  ),
  snippet: field.plain('snippet', 'The text around the matched words, as plain text.'),
  snippet_html: field.text('snippet', 'The same, with the HTML markup of the wiki.', (html) =>
    typeof html === 'string' && html !== '' ? html : null,
  ),
  size: field.integer('size', 'Size of the wikitext in bytes.'),
  wordcount: field.integer('wordcount'),
  timestamp: field.time('timestamp', 'The time of the last edit.'),
})
/** Reads a hit. @throws {SourceChanged} for one without a title or a namespace */
export const articleOf = reader(Article)

/** A part of the hits, as the wiki answers it. */
export type Answer = {
  readonly hits: readonly unknown[]
  /** the offset of the next response; null on the last one */
  readonly next: number | null
  readonly totalHits: number | null
  readonly suggestion: string | null
  /** the URL pattern of pages, with `$1` for the title */
  readonly site: string
}

/**
 * Reads a response.
 *
 * @param site the URL pattern of pages, unless the response states it
 * @throws {SourceChanged} for anything that is not a response to a search
 */
export const answerOf = (json: unknown, site: string): Answer => ({
  hits: listAt(json, 'query', 'search'),
  next: integerOrNull(at(json, 'continue', 'sroffset') ?? at(json, 'query-continue', 'search', 'sroffset')),
  totalHits: integerOrNull(at(json, 'query', 'searchinfo', 'totalhits')),
  suggestion: textOrNull(at(json, 'query', 'searchinfo', 'suggestion')),
  site: siteOf(json) ?? site,
})

/** `{server}{articlepath}` of the wiki. A server without a scheme supports both schemes, so https is used. */
function siteOf(json: unknown): string | undefined {
  const server = textOrNull(at(json, 'query', 'general', 'server'))
  const path = textOrNull(at(json, 'query', 'general', 'articlepath'))
  if (server === null || path === null || !path.includes('$1')) return undefined
  const site = `${server.startsWith('//') ? 'https:' : ''}${server}${path}`
  return /^https?:\/\//.test(site) ? site : undefined
}

/**
 * A title as part of a URL: spaces as underscores; letters, digits and `-_.~/:(),` unchanged; the rest
 * percent-encoded.
 */
export const encodeTitle = (title: string): string =>
  encodeURIComponent(title.replaceAll(' ', '_'))
    .replace(/%(?:2F|3A|2C)/g, decodeURIComponent)
    .replace(/[!'*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
