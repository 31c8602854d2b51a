/**
 * Reads a page of the site: the data that the API would return, and what later requests should repeat.
 *
 * @module
 */
import { at, blockPage, jsonAfter, SourceChanged, textOrNull } from 'gleaner/plugin'
import { PAGES } from './refusals.ts'

/** A page of the site. */
export type SitePage = {
  readonly data: unknown
  /** the version of the site's own client */
  readonly version: string | null
  readonly visitorData: string | null
  /** the id of the channel that the page is about */
  readonly channelId: string | null
}

/**
 * Reads a page.
 *
 * @throws {Blocked} for a consent, captcha or block page
 * @throws {SourceChanged} for a page without data
 */
export function sitePageOf(html: string): SitePage {
  const data = jsonAfter(html, 'var ytInitialData =') ?? jsonAfter(html, 'window["ytInitialData"] =')
  if (data === undefined) throw blockPage(html, PAGES) ?? new SourceChanged('the page has no data')
  const firstMatch = (form: RegExp): string | null => textOrNull(form.exec(html)?.[1])
  const visitor = firstMatch(/"VISITOR_DATA":"([^"]+)"/) ?? firstMatch(/"visitorData":"([^"]+)"/)
  return {
    data,
    version: firstMatch(/"INNERTUBE_CLIENT_VERSION":"([\d.]+)"/),
    visitorData: visitorDataOf(visitor?.replaceAll('\\u003d', '=')),
    channelId:
      textOrNull(at(data, 'metadata', 'channelMetadataRenderer', 'externalId')) ??
      firstMatch(/<link rel="canonical" href="https:\/\/www\.youtube\.com\/channel\/(UC[\w-]{22})"/),
  }
}

/** Visitor data, which becomes a header; null for a text that is none. */
export const visitorDataOf = (value: unknown): string | null =>
  typeof value === 'string' && /^[\w%=+/.-]{1,1000}$/.test(value) ? value : null
