/**
 * A mock encyclopedia on loopback: the part of MediaWiki's search that the source uses.
 *
 * @module
 */
import type { ServerResponse } from 'node:http'
import { type Site, startSite } from '../servers/site.ts'

/** How many articles match any word. */
export const HITS = 46
/** A query that is never answered, so its run keeps running. */
export const NEVER = 'never'

/** Starts a wiki. */
export const startWiki = (): Promise<Site> =>
  startSite((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://wiki')
    if (pathname !== '/w/api.php') response.writeHead(404).end()
    else if (searchParams.get('srsearch') !== NEVER) answer(searchParams, response)
  })

function answer(query: URLSearchParams, response: ServerResponse): void {
  const offset = Number(query.get('sroffset'))
  const end = Math.min(offset + Number(query.get('srlimit')), HITS)
  const word = query.get('srsearch')
  const search = Array.from({ length: Math.max(end - offset, 0) }, (_, i) => ({
    ns: 0,
    title: `${word} ${offset + i + 1}`,
    pageid: offset + i + 1,
    size: 1000 + i,
    wordcount: 100 + i,
    snippet: `all about the <span class="searchmatch">${word}</span>`,
    timestamp: '2026-11-20T10:00:00Z',
  }))
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      batchcomplete: true,
      continue: end < HITS ? { sroffset: end, continue: '-||' } : undefined,
      query: { searchinfo: { totalhits: HITS }, search },
    }),
  )
}
