/**
 * The card of a run that did not succeed: why, what the run reported, and the action that helps.
 *
 * @module
 */
import { FIXED_DETAILS, isRunErrorCode, withoutLoginAdvice } from '../../../domain/codes.ts'
import type { ReadyLogin } from '../../../domain/login.ts'
import { mayAs } from '../../../domain/roles.ts'
import { isEnded } from '../../../domain/run.ts'
import { type Html, html, words } from '../../../html.ts'
import { sentence } from '../../components/forms.ts'
import { counted } from '../../components/parts.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { type Actable, actionButton } from './actions.ts'
import { type Action, type Advice, adviceOf, siteOf, whyOf } from './advice.ts'

/** The card; false for a run that is under way, succeeded or was cancelled. */
export async function failure(visitor: AccountVisitor, failed: Actable): Promise<Html | false> {
  const { deps, role, person, base } = visitor
  const { run } = failed
  if (!isEnded(run) || run.code === null) return false
  const { code, refunded } = run
  const site = siteOf(deps.catalogue, run.taskKey)
  const advice = adviceOf(code)
  const { next, actions } = await nextOf(visitor, failed, site)
  const buttons = actions.map((each, i) => actionButton(visitor, each, failed, i === 0))
  const source = deps.catalogue.get(run.taskKey)?.source
  const isOperator = person.isOperator
  return html`<section class="card bad failure"><h2>${whyOf(code, site)}</h2>
${await reported(visitor, failed)}
<p>${next}${advice.isDefect && !isOperator && ' If it happens again, tell the operator of this instance.'}</p>
${mayAs(role, 'member') && html`<div class="actions">${buttons}</div>`}
${isOperator && html`<p class="hint">Operators: ${words(lowered(operatorAdvice(advice, source?.name)))}${source && html` <a href="${base}/console/operator/sources/${source.name}">How ${site} is doing</a>`}</p>`}
<p class="hint">Code <code>${code}</code>. ${refunded > 0 && `${counted(refunded, 'credit')} ${refunded === 1 ? 'was' : 'were'} refunded.`}</p></section>`
}

/** Advice for operators, with the source's own settings. */
const operatorAdvice = ({ operator }: Advice, family: string | undefined): string =>
  family === undefined ? operator : operator.replaceAll('<FAMILY>', family.toUpperCase())

/** A sentence after a colon. */
const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1)

/** What to do now, and with which buttons. Whoever has signed in since the run can run it again. */
export async function nextOf(
  { deps, accountId, role }: AccountVisitor,
  { run }: Actable,
  site: string,
): Promise<{ readonly next: string; readonly actions: readonly Action[] }> {
  const { next, actions } = adviceOf((isEnded(run) && run.code) || '')
  if (!actions.includes('sign-in')) return { next: next(site), actions }
  const source = deps.catalogue.get(run.taskKey)?.source
  if (!source?.login)
    return {
      next: `There is no sign-in for ${site} here. Choose something that is public.`,
      actions: ['edit'],
    }
  const login = await deps.logins.usable(accountId, source.name)
  if (!login && !mayAs(role, 'member'))
    return { next: `A member of the account can sign in at ${site}.`, actions: [] }
  if (!login) return { next: next(site), actions }
  return isNewer(login, run.createdAt)
    ? { next: `The account is signed in at ${site} now. Run it again.`, actions: ['again', 'edit'] }
    : {
        next: `The account is signed in at ${site}, but the site did not show this to it. Check the input, or sign in there as somebody else.`,
        actions: ['edit', 'sign-in', 'again'],
      }
}

const isNewer = ({ since }: ReadyLogin, createdAt: string): boolean => since > Date.parse(createdAt)

/** A report of a number alone, such as `404: no message`, as a sentence. */
export const answerText = (detail: string): string =>
  detail.replace(/^(?:status )?([\w-]+): no message\.?$/i, 'The site answered $1')

/** What the run reported: mostly the source's own answer. It is a quotation, so it cannot pass for words of the console. */
async function reported({ deps, call }: AccountVisitor, { run }: Actable): Promise<Html | false> {
  if (!isEnded(run) || run.code === null) return false
  if (isRunErrorCode(run.code) && FIXED_DETAILS[run.code] !== undefined) return false
  const { detail } = await call.time.except(deps.runs.head(run))
  const text = detail === null ? '' : answerText(withoutLoginAdvice(detail))
  return (
    text !== '' &&
    html`<figure class="reported"><figcaption>What the run reported</figcaption><blockquote tabindex="0"><bdi>${sentence(text)}</bdi></blockquote></figure>`
  )
}
