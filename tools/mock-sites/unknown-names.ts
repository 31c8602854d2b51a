/**
 * How the sites answer requests for a name or an id that they do not know.
 *
 * @module
 */
import type { Exchange } from '../../src/plugin/testing.ts'
import type { SiteRequest } from './matching.ts'

const NOT_FOUND = { status: 404, body: 'Not found' }
const NO_RESULTS: Readonly<Record<string, Omit<Exchange, 'request'>>> = {
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

/** A name that no site knows. */
export const isUnknownName = (name: string): boolean => /^\W*(?:nobody|xyzzy)/i.test(name)

/** What the lists of members have beside results. */
const NO_POSTS = {
  data: {
    search_by_raw_query: {
      search_timeline: {
        timeline: {
          instructions: [
            {
              type: 'TimelineAddEntries',
              entries: [
                {
                  entryId: 'cursor-top-1',
                  content: { entryType: 'TimelineTimelineCursor', cursorType: 'Top', value: 'top-none' },
                },
                {
                  entryId: 'cursor-bottom-1',
                  content: { entryType: 'TimelineTimelineCursor', cursorType: 'Bottom', value: 'none' },
                },
              ],
            },
          ],
        },
      },
    },
  },
}

/**
 * The answer about an unknown name. The sites without an answer of their own answer 404.
 *
 * @returns undefined for the page of a search, which loads its results with another request
 */
export function unknownName(family: string, { path }: SiteRequest): Exchange | undefined {
  if (family === 'microblog')
    return path.includes('/SearchTimeline') ? { request: path, json: NO_POSTS } : undefined
  if (family === 'forum' && /\/search\.json/.test(path))
    return { request: path, json: { kind: 'Listing', data: { after: null, children: [] } } }
  if (family === 'forum' && /\/search\/\?/.test(path))
    return {
      request: path,
      headers: { 'content-type': 'text/vnd.reddit.partial+html; charset=utf-8' },
      body: '<reddit-feed label="search-results"></reddit-feed>',
    }
  return { request: path, ...(NO_RESULTS[family] ?? NOT_FOUND) }
}

/** The answer about an unknown id. The short videos' pages give a number for it. */
export function unknownId(family: string, { path }: SiteRequest): Exchange {
  if (family === 'shortvideo' && path.startsWith('/api/comment/'))
    return { request: path, json: { comments: null, cursor: 0, has_more: 0, total: 0, status_code: 0 } }
  if (family !== 'shortvideo' || !path.startsWith('/embed/')) return { request: path, ...NOT_FOUND }
  const page = path.split('?')[0] ?? path
  const state = JSON.stringify({ source: { data: { [page]: { isError: true, errorCode: 10_202 } } } })
  return {
    request: path,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<script id="__FRONTITY_CONNECT_STATE__" type="application/json">${state}</script>`,
  }
}
