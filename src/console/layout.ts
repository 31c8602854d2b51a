/**
 * The layout of all pages: the document, and the navigation for signed-in people.
 *
 * @module
 */
import { type Html, html } from '../html.ts'
import { documentOf } from '../page/document.ts'
import { assetPath, SCRIPTS, STYLES } from './assets.ts'
import { type Errors, isWrong } from './components/forms.ts'
import { unsentForm, unsentNotice } from './unsent-form.ts'
import type { AccountVisitor, Visitor } from './visitor.ts'

/** A page's title and content. */
export type PageParts = {
  readonly title: string
  /** the title by default */
  readonly heading?: string
  readonly body: Html
  /** of its form */
  readonly errors?: Errors
  /** by default 422 for a form with errors, else 200 */
  readonly status?: number | undefined
}
/** A page for signed-in people. */
type SignedInPage = PageParts & {
  /** below the heading */
  readonly lead?: Html | string | undefined
  /** beside the heading */
  readonly actions?: Html | false
  /** whether its own form shows the values of the form that was not sent */
  readonly showsUnsentForm?: boolean
  /** URL of server-sent events; each event reloads the page's live parts */
  readonly live?: string
}

function respond(base: string, page: PageParts, body: Html): Response {
  const { title, errors = {}, status = isWrong(errors) ? 422 : 200 } = page
  const front = `${base}/console/assets/`
  const head = html`${STYLES.map((name) => html`<link rel="stylesheet" href="${front}${assetPath(name)}">`)}
${SCRIPTS.map((name) => html`<script type="module" src="${front}${assetPath(name)}"></script>`)}`
  const text = documentOf(`${title} · Gleaner`, head, body)
  return new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

/** A page for people who are not signed in: a single card in the middle. */
export const plainPage = (base: string, page: PageParts): Response =>
  respond(
    base,
    page,
    html`<body class="plain">
<main>
<p class="brand">Gleaner</p>
<section class="card"><h1>${page.heading ?? page.title}</h1>
${page.body}</section>
</main>
</body>`,
  )

/** A page that explains why something is unavailable, with a link. */
export const deadEnd = (base: string, { title, status, text, to = '', label, hint }: DeadEnd): Response =>
  plainPage(base, {
    title,
    status,
    body: html`<p>${text}</p>
<p><a class="button" href="${base}/console${to}">${label}</a></p>${hint && html`<p class="hint">${hint}</p>`}`,
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
export const ENTRIES: readonly Entry[] = [
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

function navigation({ base, url, accountId, person }: Visitor & Partial<AccountVisitor>): Html {
  const links = (entries: readonly Entry[], front: string) => {
    // The first entry's path begins the paths of the others.
    const here = entries.findLast(([path]) => `${url.pathname}/`.startsWith(`${front}${path}/`))
    return entries.map((entry) => {
      const [path, label, key] = entry
      return html`<li><a href="${base}${front}${path}" data-key="${key}"${entry === here && html` aria-current="page"`}>${label}</a></li>`
    })
  }
  return html`${accountId !== undefined && html`<ul>${links(ENTRIES, `/console/${accountId}`)}</ul>`}
${person.isOperator && html`<h2>Operator</h2><ul>${links(OPERATOR, '')}</ul>`}`
}

function switcher({ base, accountId, account, memberships }: Visitor & Partial<AccountVisitor>): Html {
  const name = account?.name ?? 'Accounts'
  if (memberships.length < 2 && account) return html`<p class="account">${name}</p>`
  return html`<details class="account"><summary>${name}</summary><ul>${memberships.map(
    (one) =>
      html`<li><a href="${base}/console/${one.accountId}"${one.accountId === accountId && html` aria-current="true"`}>${one.name} <span class="hint">${one.role}</span></a></li>`,
  )}</ul></details>`
}

/** A page for signed-in people. */
export function page(visitor: Visitor & Partial<AccountVisitor>, content: SignedInPage): Response {
  const { base, profile } = visitor
  const unsent = unsentForm(visitor.call.request, visitor.deps.config.publicUrl, visitor.memberships)
  const { title, heading = title, lead, actions, body, live } = content
  return respond(
    base,
    content,
    html`<body${live && html` data-live="${live}"`}>
<a class="skip" href="#main">Skip to the page</a>
<header class="rail">
<a class="brand" href="${base}/console">Gleaner</a>
${switcher(visitor)}
<nav aria-label="Console">${navigation(visitor)}</nav>
<div class="who"><a href="${base}/console/me">${profile.name}</a>
<form method="post" action="${base}/console/sign-out"><button class="quiet">Sign out</button></form></div>
</header>
<main id="main" tabindex="-1">
${unsent && !content.showsUnsentForm && unsentNotice(unsent, base)}
<div class="heading"><div><h1>${heading}</h1>${lead && html`<p class="lead">${lead}</p>`}</div>${actions}</div>
${body}
</main>
</body>`,
  )
}
