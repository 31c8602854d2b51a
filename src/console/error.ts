/**
 * Error pages.
 *
 * @module
 */
import { parseAccountId } from '../domain/ids.ts'
import { type Html, html } from '../html.ts'
import { PROBLEMS, type Problem, problemHeaders } from '../http/problems.ts'
import { basePath } from '../page/document.ts'
import { deadEnd, railed } from './layout.ts'
import { STRICT } from './route.ts'
import { lastAccountOf, type PageDeps, type SignedIn, signedIn } from './visitor.ts'

/** Errors that may be about the person who is signed in. For others, the stores may be unavailable. */
const WITH_RAIL = new Set([403, 404, 405])

/** A page that explains an error and the next step, within the rail of the person who is signed in. */
export async function errorDocument(
  deps: PageDeps,
  request: Request,
  problem: Problem,
  requestId: string,
): Promise<Response> {
  const known = WITH_RAIL.has(problem.status)
    ? await signedIn({ deps, call: { request } }).catch(() => undefined)
    : undefined
  const answer = known
    ? withRail(deps, request, known, problem, requestId)
    : deadEnd(basePath(deps.config.publicUrl), {
        title: titleOf(problem),
        status: problem.status,
        label: 'Go to the console',
        text: problem.code === 'not-found' ? NO_PAGE : problem.message,
        hint: hintOf(problem, requestId),
      })
  for (const [name, value] of problemHeaders(problem, { ...STRICT, 'x-request-id': requestId }))
    answer.headers.set(name, value)
  return answer
}

// The API's title speaks of a key, which a person does not have.
const titleOf = ({ code }: Problem): string => (code === 'key-scope' ? 'Not allowed' : PROBLEMS[code].title)

const hintOf = ({ status }: Problem, requestId: string): Html =>
  html`Status ${status}, request <code>${requestId}</code>`

const NO_PAGE = 'This page does not exist, or you cannot see it.'

function withRail(
  { config }: PageDeps,
  request: Request,
  known: SignedIn,
  problem: Problem,
  requestId: string,
): Response {
  const base = basePath(config.publicUrl)
  const url = new URL(request.url)
  const [, , first = '', list = '', name = ''] = url.pathname.split('/')
  const id = parseAccountId(first)
  const account = known.memberships.find(({ accountId }) => accountId === id)?.accountId
  const own = `${base}/console/${account ?? lastAccountOf(known) ?? 'me'}`
  const missing = account !== undefined && name !== '' ? MISSING[list] : undefined
  const { title, text, label, to } =
    problem.code === 'not-found'
      ? missing
        ? { ...missing, to: `${own}/${list}` }
        : { title: titleOf(problem), text: NO_PAGE, label: 'Home', to: own }
      : { title: titleOf(problem), text: textOf(problem), label: 'Home', to: own }
  return railed(
    { ...known, base, url, ...(account && { accountId: account }) },
    {
      title,
      status: problem.status,
      body: html`<div class="card empty"><p>${text}</p><p><a class="button" href="${to}">${label}</a></p></div>
<p class="hint">${hintOf(problem, requestId)}</p>`,
    },
  )
}

const textOf = ({ status, message }: Problem): string =>
  status === 405
    ? 'This address is that of a form, and cannot be opened. Open the page of the form.'
    : message

/** The pages of things that may be missing, by the list that they stand in. */
const MISSING: Readonly<Record<string, { title: string; text: string; label: string }>> = {
  runs: {
    title: 'No such run',
    text: 'This account has no run with this id. The run may belong to another account, or the address is incomplete.',
    label: 'All runs',
  },
  tasks: {
    title: 'No such task',
    text: 'There is no task with this key. It may have been removed, or renamed.',
    label: 'All tasks',
  },
  webhooks: {
    title: 'No such webhook',
    text: 'This account has no webhook with this id. It may have been deleted.',
    label: 'All webhooks',
  },
}
