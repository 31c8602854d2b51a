/**
 * `encyclopedia.search`: articles that contain the words of a query, by MediaWiki's `list=search`.
 *
 * @module
 */
import {
  Cursor,
  defineTask,
  Limit,
  Nullable,
  paged,
  Query,
  readRows,
  SourceChanged,
  summaryOf,
  Type,
} from 'gleaner/plugin'
import { type Answer, Article, articleOf } from './answer.ts'
import { ask } from './ask.ts'

/** The largest offset that Wikipedia allows. */
const LAST_OFFSET = 10_000
/** The default limit of MediaWiki. */
const PAGE = 10

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
  summary: ({ query, cursor }) => summaryOf(query, cursor && `from ${cursor}`),
  item: Article,
  extra: {
    query: Nullable(Type.String({ description: 'The query that was searched.' })),
    total_hits: Nullable(Type.Integer({ description: 'The total number of hits, as the wiki counts them.' })),
    suggestion: Nullable(Type.String({ description: 'A query that the wiki suggests instead.' })),
  },
  example: { query: 'data extraction', limit: 5 },
  canary: [
    { query: 'photosynthesis', limit: 5 },
    { query: 'Marie Curie', limit: 5 },
  ],
  async *run(context, { query, cursor, limit }) {
    let first: Answer | undefined
    let read = 0
    /** whether a full page names no next one, although the wiki counts more hits */
    let isCut = false
    const next_cursor = yield* paged({
      cursor,
      first: '0',
      limit,
      // A wiki's titles are unique. Page ids are missing in some answers, and 0 for pages that no longer exist.
      key: ({ title }) => title,
      async read(position, count) {
        const offset = Number(position)
        const size = limit === undefined ? PAGE : count
        const answer = await ask(context, { query, offset, size, site: first?.site })
        first ??= answer
        const hits = answer.hits.slice(0, count)
        const rows = readRows(context, hits, (hit) => articleOf(hit, answer.site))
        read += rows.length
        context.progress(read, null, read === 1 ? 'article read' : 'articles read')
        const next = nextOf(answer, offset, hits.length)
        const end = offset + hits.length
        isCut = next === null && hits.length >= size && end < Math.min(answer.totalHits ?? 0, LAST_OFFSET)
        return { rows, next }
      },
    })
    if (isCut) throw new SourceChanged('there are more hits, but the answer does not say where they begin')
    return {
      next_cursor,
      query,
      total_hits: first?.totalHits ?? null,
      suggestion: first?.suggestion ?? null,
    }
  },
})

/** The next cursor. If the response has more hits than were requested, it continues after the hits that were taken. */
function nextOf({ hits, next }: Answer, offset: number, count: number): string | null {
  const following = hits.length > count ? offset + count : next
  return following === null || following > LAST_OFFSET ? null : String(following)
}
