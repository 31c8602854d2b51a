/**
 * The hosted page, on which a person signs in at a source in a browser that runs on the server.
 *
 * @module
 */
import { type Html, html } from '../../html.ts'
import { BASE_STYLE, readAssets } from '../../page/assets.ts'
import { documentOf, strictHeaders } from '../../page/document.ts'
import type { LinkVisitor } from './visitor.ts'

export type PageOf = {
  /** the source's title and origin */
  readonly title: string
  readonly origin: string
  /** milliseconds until the link expires; the page counts from when it loaded, since the person's clock may be wrong */
  readonly leftMs: number
  readonly opened: LinkVisitor['opened']
  /** the name of the account that the login is for */
  readonly account: string
  /** the page of the console on which the visitor asked for the link, as the browser sees it; undefined: elsewhere */
  readonly back: string | undefined
}

/** Headers of all responses of the hosted page except problems. */
export const STRICT = strictHeaders("img-src blob: data:; form-action 'none'", 'no-referrer')

const SCRIPTS = ['display.js', 'inputs.js', 'page.js', 'pointing.js', 'stream.js', 'typing.js']
/** The page's scripts and styles, keyed by the end of their path. */
export const ASSETS = readAssets(
  BASE_STYLE,
  ...['page.css', ...SCRIPTS].map((name) => new URL(`./assets/${name}`, import.meta.url)),
)

/** For people who are stuck. Not all of them sent the request themselves. */
const AGAIN = 'Send your request again, or ask the sender of this link for a new one.'

/** The page of a valid link. @param assets the path under which {@link ASSETS} are served */
export function hostedPage({ title, origin, leftMs, opened, account, back }: PageOf, assets: string): string {
  const host = new URL(origin).hostname
  const backLink = back !== undefined && html`<p><a class="button" href="${back}">Back to the console</a></p>`
  const anew = back === undefined ? AGAIN : 'The console makes one.'
  const content = html`<header>
<h1>Sign in to ${title}</h1>
<p id="left" class="hint" data-ms="${leftMs}"></p>
<p id="status" class="hint" role="status"></p>
</header>
<main>
<section id="welcome" class="card" data-part hidden>
<h2 tabindex="-1">You are about to sign in at ${host}</h2>
<p>Its sign-in page opens in a browser that runs on our server, and you see and use it here. Your input goes to that page
and is not stored.</p>
${
  back === undefined
    ? html`<p>When you are signed in, the login is stored, encrypted, until it is deleted. <strong>The sender of this link can then
use this service to read what your account can see.</strong> Continue only if you know the sender. The login is for the
sender’s account “<bdi>${account}</bdi>” of this service.</p>`
    : html`<p>When you are signed in, the login is stored, encrypted, until it is deleted. <strong>Everybody in the account
“<bdi>${account}</bdi>” of this service can then read what you can see at ${host}.</strong></p>`
}
<p><button type="button" id="begin">Open the sign-in page</button></p>
<p class="hint">This link can be opened once. <span class="keys">The remote page receives all keys, including Tab. Press F6 to
move to the buttons of this page and back.</span></p>
</section>
${remote}
<section id="waiting" class="card" data-part hidden>
<h2 tabindex="-1">All sign-in windows are in use</h2>
<p>You are number <strong data-position>1</strong> in line. Leave this page open: you will be let in automatically.</p>
<p><button type="button" class="quiet" id="give-up">Leave the line</button></p>
</section>
<section id="success" class="card" data-part hidden>
<h2 tabindex="-1">You are signed in</h2>
${
  back === undefined
    ? html`<p>Your login at ${title} is saved for the account “<bdi>${account}</bdi>”. You can close this page. If a request needed
the login, send it again: it works now.</p>`
    : html`<p>Your login at ${title} is saved for the account “<bdi>${account}</bdi>”.</p>${backLink}`
}
</section>
<section id="failure" class="card" data-part hidden>
<h2 tabindex="-1">The sign-in has ended</h2>
<p data-why>It was not completed.</p>
<p>To sign in you need a new link. ${anew}</p>${backLink}
</section>
<section id="elsewhere" class="card" data-part hidden>
<h2 tabindex="-1">This link was already opened</h2>
<p>Continue in the window where it was opened, or get a new link. ${anew}</p>${backLink}
</section>
</main>
<ul id="notices" role="log" aria-label="Notices"></ul>
<noscript><p class="card">This page needs JavaScript.</p></noscript>`
  return pageOf(assets, `Sign in to ${title}`, opened, content)
}

const remote = html`<section id="remote" data-part hidden aria-label="Remote page">
<div id="bar">
<button type="button" class="quiet" id="back" aria-label="Back" title="Back">←</button>
<button type="button" class="quiet" id="reload" aria-label="Reload" title="Reload">↻</button>
<p id="where"><span class="unseen">Address of the remote page:</span> <span id="address" translate="no"></span></p>
<button type="button" class="quiet" id="paste" hidden>Paste</button>
<button type="button" class="quiet" id="keyboard" hidden>Keyboard</button>
<button type="button" class="quiet" id="leave">End</button>
</div>
<div id="stage">
<canvas id="screen" width="800" height="600" hidden></canvas>
<textarea id="typed" aria-label="Remote page" aria-describedby="keys" autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck="false" inputmode="none"></textarea>
<p id="keys" class="unseen">The remote page receives all keys, including Tab. Press F6 to move to the buttons and back.</p>
</div>
</section>`

/** The page of a link that is unknown, used or expired. */
export const goneHtml = (assets: string): string =>
  pageOf(
    assets,
    'This link does not work',
    'gone',
    html`<main><section class="card">
<h1>This link does not work</h1>
<p>It was already used, has expired, or was not copied in full. If you signed in with it, your login is saved.
Otherwise you need a new one. ${AGAIN}</p>
</section></main>`,
  )

function pageOf(
  assets: string,
  title: string,
  opened: LinkVisitor['opened'] | 'gone',
  content: Html,
): string {
  const head = html`<link rel="stylesheet" href="${assets}/base.css">
<link rel="stylesheet" href="${assets}/page.css">
${opened !== 'gone' && html`<script type="module" src="${assets}/page.js"></script>`}`
  return documentOf(title, head, html`<body data-opened="${opened}">\n${content}\n</body>`)
}
