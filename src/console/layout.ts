/**
 * The layout of all pages: the document, and the navigation for signed-in people.
 *
 * @module
 */
import { type Html, html } from '../html.ts'
import { documentOf } from '../page/document.ts'
import { assetPath, SCRIPTS, STYLE } from './assets.ts'
import { type Errors, isWrong } from './components/forms.ts'
import { wordMark } from './components/icon.ts'
import { type RailOf, rail } from './navigation.ts'
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
  /** the icon of its tab; by default that of the product */
  readonly tabIcon?: 'busy' | 'good' | 'bad' | undefined
}

function respond(
  base: string,
  page: PageParts & { tabIcon?: SignedInPage['tabIcon'] },
  body: Html,
  scripts = SCRIPTS,
): Response {
  const { title, errors = {}, status = isWrong(errors) ? 422 : 200, tabIcon } = page
  const front = `${base}/console/assets/`
  const head = html`<link rel="stylesheet" href="${front}${assetPath(STYLE)}">
${scripts.map((name) => html`<script type="module" src="${front}${assetPath(name)}"></script>`)}`
  const tab = tabIcon && `${front}${assetPath(`icon-${tabIcon}.svg`)}`
  const text = documentOf(`${title} · Gleaner`, head, body, tab)
  return new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

/** A page for people who are not signed in: a single card in the middle. */
export const plainPage = (base: string, page: PageParts): Response =>
  respond(
    base,
    page,
    html`<body class="plain">
<main>
<p class="brand" role="img" aria-label="Gleaner">${wordMark(base)}</p>
<section class="card"><h1>${page.heading ?? page.title}</h1>
${page.body}</section>
</main>
</body>`,
  )

/** A page for everybody, as wide as those within the rail, for somebody who is not signed in. It has no scripts. */
export const openPage = (base: string, content: PageParts & { readonly lead?: Html | string }): Response =>
  respond(
    base,
    content,
    html`<body class="open">
<main>
<p class="brand" role="img" aria-label="Gleaner">${wordMark(base)}</p>
${heading({ ...content, actions: html`<p><a class="button quiet" href="${base}/console">Sign in</a></p>` })}
${content.body}
</main>
</body>`,
    [],
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

/** A page within the rail. */
export function railed(of: RailOf, content: SignedInPage, above: Html | false = false): Response {
  const { body, live } = content
  return respond(
    of.base,
    content,
    html`<body${live && html` data-live="${live}"`}>
<a class="skip" href="#main">Skip to the page</a>
${rail(of)}
<main id="main" tabindex="-1">
${above}
${heading(content)}
${body}
</main>
</body>`,
  )
}

const heading = ({ title, heading = title, lead, actions }: PageParts & SignedInPage): Html =>
  html`<div class="heading"><div><h1>${heading}</h1>${lead && html`<p class="lead">${lead}</p>`}</div>${actions}</div>`

/** A page for signed-in people. */
export function page(visitor: Visitor & Partial<AccountVisitor>, content: SignedInPage): Response {
  const unsent = unsentForm(visitor.call.request, visitor.deps.config.publicUrl, visitor.memberships)
  const { consoleNotice } = visitor.deps.config
  const above = html`${consoleNotice !== null && html`<p class="hint standing">${consoleNotice}</p>`}
${unsent && !content.showsUnsentForm && unsentNotice(unsent, visitor.base)}`
  return railed(visitor, content, above)
}
