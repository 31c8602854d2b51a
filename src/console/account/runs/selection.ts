/**
 * What people do with several runs of the list at once: cancel them, run them again, download their items. The rows are
 * chosen by checkboxes, so all of it works without scripts.
 *
 * @module
 */
import { parseRunId } from '../../../domain/ids.ts'
import { mayAs } from '../../../domain/roles.ts'
import { type AdmittedRun, isEnded } from '../../../domain/run.ts'
import { type Html, html } from '../../../html.ts'
import { Problem } from '../../../http/problems.ts'
import { cancelRun } from '../../../http/routes/runs.ts'
import { refusalOf } from '../../../log/refused.ts'
import { alert, count, counted, empty, resultCard, table } from '../../components/parts.ts'
import { formOf, submissionKey } from '../../form.ts'
import { page } from '../../layout.ts'
import { accountRoute } from '../../route.ts'
import { showOnce } from '../../shown-once.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { repeatOf, startAgain } from '../run/again.ts'
import { storedInput } from '../run/find.ts'
import { downloadAll } from './download.ts'
import { runLink } from './rows.ts'

export const selectionPages = [
  accountRoute('GET', '/runs/again', 'member', ask),
  accountRoute('POST', '/runs/again', 'member', again),
  accountRoute('POST', '/runs/cancel', 'member', cancel),
  accountRoute('GET', '/runs/download', 'viewer', download),
]

/** The id of the form to which the checkboxes of rows belong. */
export const SELECTION = 'selection'
/** As many as a page of the list has. */
const MOST = 50

/** The actions for chosen rows. @param list the query of the list's address, to come back to it */
export const selectionBar = ({ own, role }: AccountVisitor, list: string): Html =>
  html`<form method="get" action="${own}/runs/download" id="${SELECTION}" class="selection">
<input type="hidden" name="list" value="${list}"><span class="hint" data-selected>Selected runs:</span>
${
  mayAs(role, 'member') &&
  html`<button class="quiet" formmethod="post" formaction="${own}/runs/cancel">Cancel</button>
<button class="quiet" formaction="${own}/runs/again">Run again …</button>`
}
<button class="quiet">Download items</button></form>`

/** The chosen runs of the account, each once; others are left out. @throws {Problem} 400 for more than a page has */
async function chosen({ deps, accountId }: AccountVisitor, ids: readonly string[]): Promise<AdmittedRun[]> {
  const wanted = [...new Set(ids.flatMap((id) => parseRunId(id) ?? []))]
  if (wanted.length > MOST) throw new Problem('bad-form', { detail: `Select at most ${MOST} runs.` })
  const loaded = await Promise.all(wanted.map((id) => deps.runs.find(id, accountId)))
  return loaded.flatMap((run) => run?.state ?? [])
}

/** Back to the list, which says something once. */
const backWith = (visitor: AccountVisitor, text: Html, list: string): Promise<Response> =>
  showOnce(visitor, `${visitor.own}/runs`, text, new URLSearchParams(list))
const noneSelected = (visitor: AccountVisitor, list: string): Promise<Response> =>
  backWith(visitor, html`${alert('Select at least one run first.')}`, list)

async function cancel(visitor: AccountVisitor): Promise<Response> {
  const { deps, accountId, cause } = visitor
  const sent = formOf(visitor, ['run'])
  const list = sent.text('list')
  const all = await chosen(visitor, sent.all('run'))
  if (all.length === 0) return noneSelected(visitor, list)
  const ended = await Promise.all(
    all.map(async (run) => {
      if (isEnded(run)) return true
      const call = { params: { run_id: run.runId }, key: { accountId, keyId: null }, cause }
      const refused = await refusalOf(cancelRun(deps, call))
      if (refused && refused.code !== 'ended') throw refused
      return refused !== undefined
    }),
  )
  const before = ended.filter((each) => each).length
  const now = all.length - before
  return backWith(visitor, html`<p class="notice" role="status">${cancelledText(now, before)}</p>`, list)
}

/** What became of a cancellation. @param now the number of runs that it ends @param before of those that had ended */
export function cancelledText(now: number, before: number): string {
  const ended = before === 1 ? '1 run had already ended' : `${count(before)} runs had already ended`
  if (now === 0)
    return `No run was cancelled: ${before === 1 ? 'the selected run had' : 'the selected runs had'} already ended.`
  return `${now === 1 ? '1 run is' : `${count(now)} runs are`} being cancelled.${before === 0 ? '' : ` ${ended}.`}`
}

/** Asks before it charges. */
async function ask(visitor: AccountVisitor): Promise<Response> {
  const { deps, own, url, account } = visitor
  const list = url.searchParams.get('list') ?? ''
  const all = await chosen(visitor, url.searchParams.getAll('run'))
  if (all.length === 0) return noneSelected(visitor, list)
  const titles = await deps.titles.ofMany(all)
  const repeats = await Promise.all(
    all.map(async (run) => repeatOf(visitor, run, await storedInput(visitor, run))),
  )
  const possible = all.filter((_, i) => typeof repeats[i] !== 'string')
  const price = repeats.reduce((sum, each) => sum + (typeof each === 'string' ? 0 : each.price), 0)
  const rows = all.map((run, i) => {
    const repeat = repeats[i]!
    return [
      runLink(visitor, run, titles.get(run.runId) ?? null),
      typeof repeat === 'string'
        ? html`<span class="hint">Not possible: ${repeat}.</span>`
        : counted(repeat.price, 'credit'),
    ]
  })
  const back = html`<a class="button quiet" href="${own}/runs?${String(new URLSearchParams(list))}">Back to the list</a>`
  const question = html`<p>Each run is started with the input that it had. The account has ${counted(account.balance, 'credit')}.</p>
${table('Runs to start', ['Run', { label: 'Price', number: true }], rows)}
<form method="post" action="${own}/runs/again">${submissionKey()}<input type="hidden" name="list" value="${list}">
${possible.map(({ runId }) => html`<input type="hidden" name="run" value="${runId}">`)}
<p class="actions"><button>Run ${possible.length === 1 ? 'it' : possible.length} again for ${counted(price, 'credit')}</button>${back}</p></form>`
  const none = empty('None of these runs can be started again.', html`<p>${back}</p>`)
  return page(visitor, {
    title: 'Run again',
    body: possible.length > 0 ? html`${question}` : html`${table('Runs', ['Run', 'Price'], rows)}${none}`,
  })
}

async function again(visitor: AccountVisitor): Promise<Response> {
  const { deps } = visitor
  const sent = formOf(visitor, ['run'])
  const all = await chosen(visitor, sent.all('run'))
  if (all.length === 0) return noneSelected(visitor, sent.text('list'))
  const refused: { readonly run: AdmittedRun; readonly why: string }[] = []
  // One after the other, in the order of the list: if the credits do not last, the first ones are started.
  for (const run of all) {
    const why = await whyNot(visitor, run, sent)
    if (why !== undefined) refused.push({ run, why })
  }
  const titles = await deps.titles.ofMany(refused.map(({ run }) => run))
  const started = all.length - refused.length
  const text = html`<p>${started === 1 ? '1 run was' : `${started} runs were`} started.${refused.length > 0 && ` ${refused.length} could not be started:`}</p>
${refused.length > 0 && html`<ul>${refused.map(({ run, why }) => html`<li>${runLink(visitor, run, titles.get(run.runId) ?? null)}: ${why}</li>`)}</ul>`}`
  // Without filters, so that the new runs are on the list.
  return backWith(visitor, resultCard('Run again', text, refused.length > 0), '')
}

/** Starts a run again. @returns why it was not started, as a phrase; undefined when it was */
async function whyNot(visitor: AccountVisitor, run: AdmittedRun, sent: ReturnType<typeof formOf>) {
  const repeat = repeatOf(visitor, run, await storedInput(visitor, run))
  if (typeof repeat === 'string') return `${repeat}.`
  try {
    // Each run may take the time of a request.
    await visitor.call.time.except(startAgain(visitor, run, repeat, sent))
    return undefined
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return error.message
  }
}

async function download(visitor: AccountVisitor): Promise<Response> {
  const { searchParams } = visitor.url
  const all = await chosen(visitor, searchParams.getAll('run'))
  return all.length === 0 ? noneSelected(visitor, searchParams.get('list') ?? '') : downloadAll(visitor, all)
}
