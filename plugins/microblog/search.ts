/**
 * `microblog.search`: the results on one tab of a search.
 *
 * @module
 */
import {
  at,
  Choice,
  type Context,
  defineTask,
  Limit,
  Nullable,
  Query,
  summaryOf,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { List } from './items/list.ts'
import { Post } from './items/post.ts'
import { User } from './items/user.ts'
import { type Kind, LISTS, POSTS, USERS } from './kinds.ts'
import { collect } from './list/collect.ts'
import { requestsOf, searchPath, TABS, type Tab } from './site.ts'

type Item = Post | User | List
const NAMES = ['top', 'latest', 'people', 'media', 'lists'] as const

export const search = defineTask({
  key: 'microblog.search',
  path: '/v1/microblog/search',
  aliases: ['/v1/microblog_alt/search'],
  title: 'Microblog search',
  description:
    'Search results of X: posts on the tabs top, latest and media, accounts on people, lists on lists.',
  apiNotes:
    '`next_cursor` is null at the end of the list; otherwise the site has more. It cannot be sent back as input.',
  price: 5,
  input: Type.Object({
    query: Query({ description: 'Words, a phrase, or operators of the site.' }),
    max_posts: Limit(500, undefined, {
      description: 'The maximum number of posts, accounts or lists. Default: one page of the source.',
    }),
    tab: Choice(NAMES, 'top', { description: 'The tab of the search.' }),
  }),
  summary: ({ query, tab }) => summaryOf(query, tab),
  item: Type.Union([Post, User, List]),
  extra: { tab: Nullable(Choice(NAMES)) },
  example: { query: 'lamps', tab: 'latest', max_posts: 30 },
  canary: [
    { query: 'from:NASA', tab: 'latest', max_posts: 5 },
    { query: 'weather', tab: 'top', max_posts: 5 },
  ],
  access: 'For members only: it needs your login at X, which shows no search results to visitors.',
  needs: { browser: true, login: true },
  async *run(context, { query, tab, max_posts }) {
    const next_cursor = yield* searchResults(context, query, tab, max_posts)
    return { next_cursor, tab }
  },
})

function searchResults(
  context: Context,
  query: string,
  tab: Tab,
  limit: number | undefined,
): AsyncGenerator<Item, string | null, void> {
  const read = <Row extends Item>(kind: Kind<Row>): AsyncGenerator<Row, string | null, void> =>
    collect({
      context,
      kind,
      limit,
      path: searchPath(query, tab),
      answers: requestsOf('SearchTimeline'),
      isOwn: (variables) => isProduct(variables, tab),
    })
  if (tab === 'people') return read(USERS)
  return tab === 'lists' ? read(LISTS) : read(POSTS)
}

/** Whether a request is for a tab. A request that names no tab in its address is accepted. */
function isProduct(variables: unknown, tab: Tab): boolean {
  const product = textOrNull(at(variables, 'product'))
  const products: readonly string[] = TABS[tab].products
  return product === null || products.includes(product)
}
