/**
 * The layout of all pages: the document, and the navigation for signed-in people.
 *
 * @module
 */
import { type Html, html, Html as Raw } from '../html.ts'
import { documentOf } from '../page/document.ts'
import { assetPath } from './assets.ts'
import type { InAccount, SignedIn } from './frame.ts'

/** A page's title and content. */
export type Page = {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** the current entry of the navigation */
  readonly at?: string
  /** URL of server-sent events; each event reloads the page's live parts */
  readonly live?: string
}

function respond(base: string, { title, status = 200 }: Page, body: Html): Response {
  const front = `${base}/console/assets/`
  const head = html`${['base.css', 'console.css'].map((name) => html`<link rel="stylesheet" href="${front}${assetPath(name)}">`)}
${['copy-text.js', 'console.js'].map((name) => html`<script type="module" src="${front}${assetPath(name)}"></script>`)}`
  const text = documentOf(`${title} · Gleaner`, head, body)
  return new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

/** A page for people who are not signed in: a single card in the middle. */
export const plainPage = (base: string, page: Page): Response =>
  respond(
    base,
    page,
    html`<body class="plain">
<main>
<p class="brand">Gleaner</p>
${page.body}
</main>
</body>`,
  )

/** A page that explains why something is unavailable, with a link. */
export const deadEnd = (base: string, { title, status, text, to = '', label, hint }: DeadEnd): Response =>
  plainPage(base, {
    title,
    status,
    body: html`<section class="card"><h1>${title}</h1>
<p>${text}</p>
<p><a class="button" href="${base}/console${to}">${label}</a></p>${hint && html`<p class="hint">${hint}</p>`}</section>`,
  })

type DeadEnd = {
  readonly title: string
  readonly status: number
  readonly text: Html | string
  /** below `/console` */
  readonly to?: string
  readonly label: string
  readonly hint?: Html
}

type Entry = readonly [path: string, label: string, key: string]

/** The pages of an account. The key, after `g`, opens the page. */
const ENTRIES: readonly Entry[] = [
  ['', 'Home', 'h'],
  ['/tasks', 'Tasks', 't'],
  ['/runs', 'Runs', 'r'],
  ['/keys', 'API keys', 'k'],
  ['/credits', 'Credits', 'c'],
  ['/logins', 'Logins', 'l'],
  ['/webhooks', 'Webhooks', 'w'],
  ['/members', 'Members', 'm'],
  ['/settings', 'Settings', 's'],
]
const OPERATOR: readonly Entry[] = [
  ['/console/operator', 'Accounts', 'o'],
  ['/console/operator/people', 'People', 'p'],
  ['/console/operator/sources', 'Sources', 'u'],
]

function navigation(given: SignedIn & Partial<InAccount>, page: Page): Html {
  const { base, accountId, person } = given
  const links = (entries: readonly Entry[], front: string) =>
    entries.map(([path, label, key]) => {
      const href = `${base}${front}${path}`
      const isHere = page.at === `${front}${path}` || page.at === path
      return html`<li><a href="${href}" data-key="${key}"${new Raw(isHere ? ' aria-current="page"' : '')}>${label}</a></li>`
    })
  return html`${accountId !== undefined && html`<ul>${links(ENTRIES, `/console/${accountId}`)}</ul>`}
${person.isOperator && html`<h2>Operator</h2><ul>${links(OPERATOR, '')}</ul>`}`
}

function switcher({ base, accountId, account, memberships }: SignedIn & Partial<InAccount>): Html {
  const name = account?.name ?? 'Accounts'
  if (memberships.length < 2 && account) return html`<p class="account">${name}</p>`
  return html`<details class="account"><summary>${name}</summary><ul>${memberships.map(
    (one) =>
      html`<li><a href="${base}/console/${one.accountId}"${new Raw(one.accountId === accountId ? ' aria-current="true"' : '')}>${one.name} <span class="hint">${one.role}</span></a></li>`,
  )}</ul></details>`
}

/** A page for signed-in people. */
export function page(given: SignedIn & Partial<InAccount>, content: Page): Response {
  const { base, profile } = given
  return respond(
    base,
    content,
    html`<body${new Raw(content.live ? ` data-live="${content.live}"` : '')}>
<a class="skip" href="#main">Skip to the page</a>
<header class="rail">
<a class="brand" href="${base}/console">Gleaner</a>
${switcher(given)}
<nav aria-label="Console">${navigation(given, content)}</nav>
<div class="who"><a href="${base}/console/me">${profile.name}</a>
<form method="post" action="${base}/console/sign-out"><button class="quiet">Sign out</button></form></div>
</header>
<main id="main" tabindex="-1">
${content.body}
</main>
</body>`,
  )
}
