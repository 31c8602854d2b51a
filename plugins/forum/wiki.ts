/**
 * `forum.wiki`: the pages of a community's wiki, or one of them.
 *
 * @module
 */
import {
  at,
  defineTask,
  type Issue,
  listAt,
  Nullable,
  SourceChanged,
  Time,
  Type,
  textOrNull,
  timeOf,
} from 'gleaner/plugin'
import { askJson } from './answer.ts'
import { Community, communityIssues, communityOf } from './community.ts'
import { authorOf, bodyOf } from './texts.ts'

const Page = Type.Object({
  name: Type.String({ description: 'As it was asked for.' }),
  content_markdown: Nullable(Type.String()),
  content_html: Nullable(Type.String()),
  revision_date: Nullable(Time({ description: 'Of its last edit.' })),
  revision_by: Nullable(Type.String({ description: 'Who made it; null when the account is gone.' })),
  reason: Nullable(Type.String({ description: 'Why it was made, in the words of who made it.' })),
  may_revise: Type.Boolean({ description: 'Visitors may edit it.' }),
})

/** Names that lead to something else than a page. */
const RESERVED = ['pages', 'revisions', 'discussions', 'settings', 'edit', 'create']

export const wiki = defineTask({
  key: 'forum.wiki',
  path: '/v1/forum/wiki',
  title: 'Wiki of a community',
  description: 'The names of the pages of a community’s wiki, or one page. There are no items.',
  price: 1,
  input: Type.Object({
    community: Community,
    pageName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        description: 'The page, such as index or config/sidebar; default the list of all pages.',
      }),
    ),
  }),
  refine: ({ community, pageName }) => [
    ...communityIssues('/community', community),
    ...nameIssues('/pageName', pageName),
  ],
  item: Type.Object({}, { description: 'There are none.' }),
  extra: {
    pages: Nullable(
      Type.Array(Type.String(), { description: 'The names; null when one page was asked for.' }),
    ),
    page: Nullable(Page),
  },
  example: { community: 'gardening', pageName: 'index' },
  // biome-ignore lint/correctness/useYield: its result stands beside the items
  async *run(context, { community, pageName }) {
    const path = `/r/${communityOf(community)}/wiki`
    if (pageName === undefined) return { pages: pagesOf(await askJson(context, `${path}/pages`)), page: null }
    const encoded = pageName.split('/').map(encodeURIComponent).join('/')
    return { pages: null, page: pageOf(await askJson(context, `${path}/${encoded}`), pageName) }
  },
})

/** Parts that are empty or dots would lead to another address; a name ends in no slash. */
function nameIssues(pointer: string, name: string | undefined): Issue[] {
  if (name === undefined) return []
  const parts = name.split('/')
  if (parts.some((part) => ['', '.', '..'].includes(part.trim()))) {
    const detail = 'must be the name of a page, without empty parts, "." and ".."'
    return [{ pointer, code: 'bad-format', detail }]
  }
  if (!RESERVED.includes(parts[0]?.toLowerCase() ?? '')) return []
  return [
    { pointer, code: 'not-allowed', detail: `must be the name of a page; ${RESERVED.join(', ')} are none` },
  ]
}

function pagesOf(json: unknown): string[] {
  if (at(json, 'kind') !== 'wikipagelisting') throw new SourceChanged('the answer is no list of wiki pages')
  return listAt(json, 'data').flatMap((name) => textOrNull(name) ?? [])
}

function pageOf(json: unknown, name: string) {
  const field = (key: string): unknown => at(json, 'data', key)
  const isText = typeof field('content_md') === 'string' || typeof field('content_html') === 'string'
  if (at(json, 'kind') !== 'wikipage' || !isText) throw new SourceChanged('the answer is no wiki page')
  return {
    name,
    content_markdown: bodyOf(field('content_md')),
    content_html: bodyOf(field('content_html')),
    revision_date: timeOf(field('revision_date')),
    revision_by: authorOf(at(field('revision_by'), 'data', 'name')),
    reason: textOrNull(field('reason')),
    may_revise: field('may_revise') === true,
  }
}
