/**
 * Search in an account: a whole page, whose results a script also shows in the palette.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import { field } from '../../components/forms.ts'
import { icon } from '../../components/icon.ts'
import { empty } from '../../components/parts.ts'
import { page } from '../../layout.ts'
import { accountRoute } from '../../route.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { findAll } from './find.ts'
import type { Group } from './hit.ts'

export const searchPages = [accountRoute('GET', '/search', 'viewer', show)]

/** The longest search, in characters. */
const LONGEST = 100

async function show(visitor: AccountVisitor): Promise<Response> {
  const { own, url } = visitor
  const search = (url.searchParams.get('q') ?? '').trim().slice(0, LONGEST)
  const groups = await findAll(visitor, search)
  const allRuns = `${own}/runs?${new URLSearchParams({ q: search })}`
  const body = html`<form method="get" action="${own}/search" class="filters" role="search">${field({ name: 'q', label: 'Search', type: 'search', value: search })}<button class="quiet">Search</button></form>
<div id="hits">${groups.map((group) => hitsOf(visitor.base, group))}</div>
${groups.length === 0 && empty(html`Nothing matches “${search}”.`)}
${search !== '' && html`<p class="hint">The titles of the last 200 runs were searched. <a href="${allRuns}">Search older runs</a></p>`}
<p class="hint" id="shortcuts">With scripts, <kbd>Ctrl</kbd> <kbd>K</kbd> opens this search on every page, and <kbd>?</kbd> lists the keyboard shortcuts.</p>`
  const lead = 'Pages, commands, tasks, runs by title or id, keys, webhooks and members of this account.'
  return page(visitor, { title: 'Search', lead, body })
}

const hitsOf = (base: string, group: Group): Html =>
  html`<section class="hits"><h2>${group.title}</h2><ul>${group.hits.map((hit) => {
    const { label, detail, path, isPost } = hit
    const content = html`${icon(base, hit.icon ?? group.icon)}<span class="name">${label}</span> <span class="hint">${detail}</span>`
    return isPost
      ? html`<li><form method="post" action="${path}"><button class="hit">${content}</button></form></li>`
      : html`<li><a href="${path}">${content}</a></li>`
  })}</ul></section>`
