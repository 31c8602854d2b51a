/**
 * `encyclopedia.search`: articles that contain the words of a query, by MediaWiki's `list=search`.
 *
 * @module
 */
import { type Context, Cursor, defineTask, Limit, Nullable, paged, Query, Type } from 'gleaner/plugin'
import { type Answer, Article, answerOf } from './answer.ts'

/** The largest offset that Wikipedia allows. */
const LAST_OFFSET = 10_000
/** The default limit of MediaWiki. */
const PAGE = 10
/** A query whose URL-encoded form is longer than this is sent as a form. */
const LONGEST_IN_URL = 1500

export const search = defineTask({
  key: 'encyclopedia.search',
  path: '/v1/encyclopedia/search',
  title: 'Encyclopedia search',
  description:
    'Articles of an encyclopedia (by default the English Wikipedia) that contain the words of a query.',
  price: 1,
  input: Type.Object({
    query: Query({ description: 'Article search query.' }),
    cursor: Cursor({ max: LAST_OFFSET, words: `an offset from 0 to ${LAST_OFFSET} as a string` }),
    limit: Limit(500, undefined, {
      description: `The maximum number of articles. Default: one page of the wiki (${PAGE}).`,
    }),
  }),
  item: Article,
  extra: {
    query: Nullable(Type.String({ description: 'The query that was searched.' })),
    total_hits: Nullable(Type.Integer({ description: 'The total number of hits, as the wiki counts them.' })),
    suggestion: Nullable(Type.String({ description: 'A query that the wiki suggests instead.' })),
  },
  example: { query: 'data extraction', limit: 5 },
  async *run(context, { query, cursor, limit }) {
    let first: Answer | undefined
    let read = 0
    const next_cursor = yield* paged({
      cursor,
      first: '0',
      limit,
      // A wiki's titles are unique. Page ids are missing in some answers, and 0 for pages that no longer exist.
      key: ({ title }) => title,
      async read(position, wanted) {
        const offset = Number(position)
        const size = limit === undefined ? PAGE : wanted
        const answer = await ask(context, { query, offset, size, site: first?.site })
        first ??= answer
        const rows = answer.items.slice(0, wanted)
        read += rows.length
        context.progress(read, null, 'articles read')
        return { rows, next: nextOf(answer, offset, rows.length) }
      },
    })
    return {
      next_cursor,
      query,
      total_hits: first?.totalHits ?? null,
      suggestion: first?.suggestion ?? null,
    }
  },
})

type Ask = { query: string; offset: number; size: number; site: string | undefined }

/** Requests hits, and the wiki's URL pattern unless it is known. */
async function ask(context: Context, { query, offset, size, site }: Ask): Promise<Answer> {
  const parameters = {
    action: 'query',
    list: 'search',
    ...(site === undefined ? { meta: 'siteinfo', siprop: 'general' } : {}),
    srsearch: query,
    // Without this, the core search engine searches titles only.
    srwhat: 'text',
    srlimit: String(size),
    sroffset: String(offset),
    srnamespace: '0',
    srinfo: 'totalhits|suggestion|rewrittenquery',
    srprop: 'size|wordcount|timestamp|snippet',
    format: 'json',
    formatversion: '2',
    utf8: '1',
  }
  const long = encodeURIComponent(query).length > LONGEST_IN_URL
  const reply = long
    ? await context.fetch('/w/api.php', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(parameters).toString(),
      })
    : await context.fetch('/w/api.php', { query: parameters })
  return answerOf(await reply.text(), site ?? `${context.origin}/wiki/$1`)
}

/** The next cursor. If the response has more hits than were requested, it continues after the hits that were taken. */
function nextOf({ items, next }: Answer, offset: number, taken: number): string | null {
  const following = items.length > taken ? offset + taken : next
  return following === null || following > LAST_OFFSET ? null : String(following)
}
