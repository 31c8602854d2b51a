/**
 * The rail of pages for signed-in people: the account, its search, the pages of the account and of operators, and the person.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'
import { type Html, html } from '../html.ts'
import type { Session } from '../people/sessions.ts'
import { type Icon, icon, wordMark } from './components/icon.ts'
import { lastAccountOf, type OwnAccount } from './visitor.ts'

export type Entry = {
  readonly path: string
  /** path of further pages that belong to it, by default its own */
  readonly below?: string
  readonly label: string
  /** after `g`, it opens the page */
  readonly key: string
  readonly icon: Icon
}

/** The pages of an account. */
export const ENTRIES: readonly Entry[] = [
  { path: '', label: 'Home', key: 'h', icon: 'home' },
  { path: '/tasks', label: 'Tasks', key: 't', icon: 'tasks' },
  { path: '/runs', label: 'Runs', key: 'r', icon: 'runs' },
  { path: '/keys', label: 'API keys', key: 'k', icon: 'keys' },
  { path: '/credits', label: 'Credits', key: 'c', icon: 'credits' },
  { path: '/logins', label: 'Logins', key: 'l', icon: 'logins' },
  { path: '/webhooks', label: 'Webhooks', key: 'w', icon: 'webhooks' },
  { path: '/members', label: 'Members', key: 'm', icon: 'members' },
  { path: '/settings', label: 'Settings', key: 's', icon: 'settings' },
]
/** The pages of operators, below `/console/operator`. */
export const OPERATOR: readonly Entry[] = [
  { path: '', below: '/accounts', label: 'Accounts', key: 'o', icon: 'accounts' },
  { path: '/people', label: 'People', key: 'p', icon: 'people' },
  { path: '/sources', label: 'Sources', key: 'u', icon: 'sources' },
  { path: '/exits', label: 'Exits', key: 'x', icon: 'out' },
  { path: '/system', label: 'System', key: 'y', icon: 'system' },
]

/** The person whom the rail is for, and the page that it stands on. */
export type RailOf = {
  readonly base: string
  readonly url: URL
  readonly session: Session
  readonly person: { readonly isOperator: boolean }
  readonly profile: { readonly name: string }
  readonly memberships: readonly OwnAccount[]
  /** of the page; a page without one shows the account that was used last */
  readonly accountId?: AccountId
}

export function rail(page: RailOf): Html {
  const { base, url, person, profile } = page
  const account = page.accountId ?? lastAccountOf(page)
  const own = `/console/${account}`
  const links = (entries: readonly Entry[], front: string) => {
    const rest = url.pathname.startsWith(`${front}/`) ? url.pathname.slice(front.length) : ''
    const isBelow = url.pathname === front || rest !== ''
    const here = isBelow
      ? entries.find(
          ({ path, below = path }) => rest === path || (below !== '' && rest.startsWith(`${below}/`)),
        )
      : undefined
    return entries.map(
      (entry) =>
        html`<li><a href="${base}${front}${entry.path}" data-key="${entry.key}"${entry === here && html` aria-current="page"`}>${icon(base, entry.icon)}${entry.label}</a></li>`,
    )
  }
  return html`<header class="rail">
<a class="brand" href="${base}/console" aria-label="Gleaner">${wordMark(base)}</a>
${account !== undefined && switcher(page, account)}
${
  account !== undefined &&
  html`<form class="find" method="get" action="${base}${own}/search" role="search" aria-label="Account"><input type="search" name="q" aria-label="Search this account" placeholder="Search" autocomplete="off" maxlength="100"><kbd aria-hidden="true"></kbd><button class="quiet" aria-label="Search">${icon(base, 'search')}</button></form>`
}
<nav aria-label="Console">${account !== undefined && html`<ul>${links(ENTRIES, own)}<li><a href="${base}/docs" data-key="d">${icon(base, 'docs')}API reference</a></li><li><a href="${base}/status" data-key="a"${url.pathname === '/status' && html` aria-current="page"`}>${icon(base, 'status')}Status</a></li></ul>`}
${person.isOperator && html`<h2>Operator</h2><ul>${links(OPERATOR, '/console/operator')}</ul>`}</nav>
<div class="who"><a href="${base}/console/me"${url.pathname === '/console/me' && html` aria-current="page"`}>${icon(base, 'people')}<bdi>${profile.name}</bdi></a>
<form method="post" action="${base}/console/sign-out"><button class="quiet">Sign out</button></form></div>
</header>`
}

function switcher({ base, memberships }: RailOf, account: AccountId): Html {
  const name = memberships.find(({ accountId }) => accountId === account)?.name ?? 'Accounts'
  if (memberships.length < 2) return html`<p class="account">${name}</p>`
  return html`<details class="account"><summary>${name}</summary><ul>${memberships.map(
    (one) =>
      html`<li><a href="${base}/console/${one.accountId}"${one.accountId === account && html` aria-current="true"`}>${one.name} <span class="hint">${one.role}</span></a></li>`,
  )}</ul></details>`
}
