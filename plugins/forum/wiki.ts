/**
 * `forum.wiki`: the pages of a community's wiki, or one of them.
 *
 * @module
 */
import {
  at,
  defineTask,
  field,
  type Issue,
  listAt,
  Nullable,
  reader,
  SourceChanged,
  summaryOf,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { Community, communityIssues, communityOf, shownName } from './community.ts'
import { authorOf, bodyOf } from './json/values.ts'
import { jsonOf } from './site/ask.ts'
import { readerOf, siteOf } from './site/routes.ts'

const Page = Type.Object({
  name: field.required(field.text('name', 'As requested.'), 'a page has no name'),
  content_markdown: field.text('content_md', undefined, bodyOf),
  content_html: field.text('content_html', undefined, bodyOf),
  revision_date: field.time('revision_date', 'Of its last edit.'),
  revision_by: field.text(
    'revision_by.data.name',
    'The author of the last edit; null when the account was deleted.',
    authorOf,
  ),
  reason: field.text('reason', 'The reason given for the edit.'),
  may_revise: field.is('may_revise', 'Visitors may edit it.'),
})
const readPage = reader(Page)

/** Names that do not lead to a wiki page. */
const RESERVED = ['pages', 'revisions', 'discussions', 'settings', 'edit', 'create']

export const wiki = defineTask({
  key: 'forum.wiki',
  path: '/v1/forum/wiki',
  title: 'Wiki of a community',
  description: 'The names of the pages of a community’s wiki, or one page. There are no items.',
  access: "Visitors are shown no wiki. A login or the operator's API key opens it.",
  price: 1,
  input: Type.Object({
    community: Community,
    pageName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        description: 'The page, such as index or config/sidebar. Default: the list of all pages.',
      }),
    ),
  }),
  refine: ({ community, pageName }) => [
    ...communityIssues('/community', community),
    ...nameIssues('/pageName', pageName),
  ],
  summary: ({ community, pageName }) => summaryOf(shownName(community), pageName),
  item: Type.Object({}, { description: 'This task has no items.' }),
  extra: {
    pages: Nullable(
      Type.Array(Type.String(), { description: 'The page names; null when a single page was requested.' }),
    ),
    page: Nullable(Page),
  },
  example: { community: 'gardening', pageName: 'index' },
  canary: [{ community: 'AskReddit', pageName: 'index' }, { community: 'redditdev' }],
  needs: { login: 'optional', visitors: false },
  async *run(context, { community, pageName }) {
    const path = (pageName ?? 'pages').split('/').map(encodeURIComponent).join('/')
    const read = readerOf<void, unknown>(context, await siteOf(context), {
      json: (ask) => async () => jsonOf(await ask(`/r/${communityOf(community)}/wiki/${path}`)),
    })
    const json = await read()
    return pageName === undefined
      ? { pages: pagesOf(json), page: null }
      : { pages: null, page: pageOf(json, pageName) }
  },
})

/** Empty parts, `.` and `..` would lead to another path, so a name cannot end in a slash. */
function nameIssues(pointer: string, name: string | undefined): Issue[] {
  if (name === undefined) return []
  const parts = name.split('/')
  if (parts.some((part) => ['', '.', '..'].includes(part.trim()))) {
    const detail = 'must be the name of a page, without empty parts, "." and ".."'
    return [{ pointer, code: 'bad-format', detail }]
  }
  if (!RESERVED.includes(parts[0]?.toLowerCase() ?? '')) return []
  return [
    {
      pointer,
      code: 'not-allowed',
      detail: `must be the name of a page; ${RESERVED.join(', ')} are reserved`,
    },
  ]
}

function pagesOf(json: unknown): string[] {
  if (at(json, 'kind') !== 'wikipagelisting')
    throw new SourceChanged('the response is not a list of wiki pages')
  return listAt(json, 'data').flatMap((name) => textOrNull(name) ?? [])
}

function pageOf(json: unknown, name: string) {
  const data = at(json, 'data')
  const isText = typeof at(data, 'content_md') === 'string' || typeof at(data, 'content_html') === 'string'
  if (at(json, 'kind') !== 'wikipage' || !isText) throw new SourceChanged('the response is not a wiki page')
  return readPage({ ...(data as object), name })
}
