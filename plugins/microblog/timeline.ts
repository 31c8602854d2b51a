/**
 * `microblog.timeline`: the home timeline of the signed-in account.
 *
 * @module
 */
import { at, type BrowserPage, Choice, defineTask, Limit, Nullable, Type, textOrNull } from 'gleaner/plugin'
import { Post } from './items/post.ts'
import { POSTS } from './kinds.ts'
import { timelineIn } from './list/answer.ts'
import { collect } from './list/collect.ts'
import { requestsOf, TIMELINES } from './site.ts'

const NAMES = ['following', 'for_you'] as const
/** The timeout for the page's tabs, in seconds. */
const TABS_S = 8

export const timeline = defineTask({
  key: 'microblog.timeline',
  path: '/v1/microblog/timeline',
  aliases: ['/v1/microblog_alt/timeline'],
  title: 'Microblog home timeline',
  description: 'Posts of the home timeline of the signed-in X account, without adverts.',
  apiNotes:
    '`next_cursor` is null at the end of the timeline; otherwise the site has more. It cannot be sent back as input.',
  price: 5,
  input: Type.Object({
    max_posts: Limit(500, undefined, {
      description: 'The maximum number of posts. Default: one page of the source.',
    }),
    timeline_type: Choice(NAMES, 'for_you', {
      title: 'Timeline',
      description: '`for_you`: posts chosen by the site. `following`: posts of followed accounts.',
    }),
  }),
  summary: ({ timeline_type = 'for_you' }) => timeline_type.replaceAll('_', ' '),
  item: Post,
  extra: { timeline_type: Nullable(Choice(NAMES)) },
  example: { timeline_type: 'following', max_posts: 30 },
  canary: [
    { timeline_type: 'for_you', max_posts: 5 },
    { timeline_type: 'following', max_posts: 5 },
  ],
  access: 'For members only: it reads the timeline of your own account, with your login at X.',
  needs: { browser: true, login: true },
  async *run(context, { max_posts, timeline_type }) {
    const { place, operation } = TIMELINES[timeline_type]
    const next_cursor = yield* collect({
      context,
      kind: POSTS,
      limit: max_posts,
      path: '/home',
      answers: requestsOf(operation),
      isOwn: (_, json) => isOf(json, timeline_type),
      show: (page) => select(page, place),
    })
    return { next_cursor, timeline_type }
  },
})

/** Whether a response belongs to a timeline. A response that names no timeline is accepted. */
function isOf(json: unknown, type: string): boolean {
  const name = textOrNull(at(timelineIn(json), 'metadata', 'scribeConfig', 'page'))
  return name === null || name === type
}

/**
 * Selects a tab, unless the page shows it already: the page remembers the last tab, and a click on the current tab
 * opens a menu. A page without tabs is used as it is.
 */
async function select(page: BrowserPage, place: number): Promise<void> {
  if (!(await page.wait('[role="tablist"] [role="tab"]', { timeoutS: TABS_S }))) return
  const tabIndex = await page.evaluate(
    `[...document.querySelector('[role="tablist"]').querySelectorAll('[role="tab"]')].findIndex((tab) => tab.getAttribute('aria-selected') === 'true')`,
  )
  const nth = `[role="tablist"] > :nth-child(${place})`
  if (tabIndex !== place - 1) await page.click(`${nth}[role="tab"], ${nth} [role="tab"]`)
}
