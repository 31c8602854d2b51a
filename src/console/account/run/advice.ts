/**
 * What the console says and offers when a run did not succeed, for each code. The words are for people who use pages;
 * those of the API stand in domain/codes.ts.
 *
 * @module
 */
import type { Catalogue } from '../../../catalogue/catalogue.ts'
import { isRunErrorCode, type RunErrorCode } from '../../../domain/codes.ts'

/** What a button of the card does: sign in at the source, open the form with the input, run it again as it is. */
export type Action = 'sign-in' | 'edit' | 'again'

export type Advice = {
  /** why it failed in a few words, for a row */
  readonly brief: string
  /** why it failed, as a sentence. @param site the name of the site, such as `Instagram` */
  why(site: string): string
  /** what to do, as a sentence or two. @param site the name of the site */
  next(site: string): string
  /** the main one first */
  readonly actions: readonly [Action, ...Action[]]
  /** what an operator of this instance can do, for operators only */
  readonly operator: string
  /** whether others are asked to tell the operator */
  readonly isDefect?: boolean
}

const CHANGE_INPUT = 'Nothing to do on this server.'
const RARELY = 'If it happens often, the log of this server has more, under the id of the run.'

export const ADVICE: Readonly<Record<RunErrorCode, Advice>> = {
  'not-found': {
    brief: 'not found',
    why: (site) => `${site} does not have it.`,
    next: () => 'Check the spelling of the input, and that it still exists there.',
    actions: ['edit'],
    operator: CHANGE_INPUT,
  },
  private: {
    brief: 'private',
    why: (site) => `It exists at ${site} but is not public.`,
    next: () => 'Only public pages can be read. Choose another one.',
    actions: ['edit'],
    operator: CHANGE_INPUT,
  },
  restricted: {
    brief: 'asks for a confirmation',
    why: (site) => `${site} asks for a confirmation first, such as an age check.`,
    next: () => 'Such a page cannot be read. Choose another one.',
    actions: ['edit'],
    operator: CHANGE_INPUT,
  },
  'bad-input': {
    brief: 'input refused',
    why: (site) => `${site} refused the input.`,
    next: () => 'Change the input, then run it again.',
    actions: ['edit'],
    operator: CHANGE_INPUT,
  },
  'source-blocked': {
    brief: 'blocked',
    why: (site) => `${site} showed a block, a captcha or a consent page.`,
    next: () => 'Most blocks end by themselves. Try again in an hour.',
    actions: ['again', 'edit'],
    operator:
      'If blocks stay, give the source another way out (`SOURCE_<FAMILY>_PROXY`), or set a lower pace (`SOURCE_<FAMILY>_PACE`).',
  },
  'source-rate-limited': {
    brief: 'rate limit of the site',
    why: (site) => `${site} limits how often it answers.`,
    next: () => 'Try again in ten minutes, with less at once if you can.',
    actions: ['again', 'edit'],
    operator: 'If this happens often, set a lower pace for the source (`SOURCE_<FAMILY>_PACE`).',
  },
  'source-unavailable': {
    brief: 'site not reachable',
    why: (site) => `${site} could not be reached, or answered with errors.`,
    next: () => 'Try again in a few minutes.',
    actions: ['again', 'edit'],
    operator:
      'If every run of this source ends like this, check that this server can reach the site. With a way out, `gleaner proxies check` tries it.',
  },
  'source-login-required': {
    brief: 'needs a login',
    why: (site) => `${site} shows this only to people who are signed in.`,
    next: (site) => `Sign in at ${site}. You come back to this page, and can run it again.`,
    actions: ['sign-in', 'edit'],
    operator: 'Members of the account sign in themselves.',
  },
  'source-changed': {
    brief: 'site has changed',
    why: (site) => `${site} has changed, and its answer could not be read.`,
    next: () => 'This task does not work until its extractor is adapted.',
    actions: ['again', 'edit'],
    operator: 'Install a newer version of Gleaner or of the plugin, or adapt the parser of this task.',
    isDefect: true,
  },
  'source-redirected': {
    brief: 'led elsewhere',
    why: (site) => `${site} led to an address that is not its own.`,
    next: () => 'The page may have moved. Check the input.',
    actions: ['edit', 'again'],
    operator: 'If the site has moved, its plugin must name the new host.',
  },
  'response-too-large': {
    brief: 'answer too large',
    why: (site) => `An answer of ${site} was too large to read.`,
    next: () => 'Ask for less in one run.',
    actions: ['edit'],
    operator: 'The plugin of the source limits the size of answers.',
  },
  defect: {
    brief: 'extractor failed',
    why: (site) => `The extractor for ${site} failed.`,
    next: () => 'Run it again. If it fails again, this input does not work yet.',
    actions: ['again', 'edit'],
    operator: 'The log of this server has the error and its stack, under the id of the run.',
    isDefect: true,
  },
  'output-invalid': {
    brief: 'invalid items',
    why: (site) => `The extractor for ${site} returned items that do not have the declared fields.`,
    next: () => 'This input does not work until the extractor is corrected.',
    actions: ['again', 'edit'],
    operator: 'The log of this server names the field, under the id of the run.',
    isDefect: true,
  },
  'worker-lost': {
    brief: 'worker lost',
    why: () => 'The run was started three times, and each time its worker was lost.',
    next: () => 'Run it again.',
    actions: ['again', 'edit'],
    operator: 'Workers are lost when their machine restarts or runs out of memory. Their logs say which.',
  },
  'out-of-memory': {
    brief: 'out of memory',
    why: () => 'The extractor used too much memory and was ended.',
    next: () => 'Ask for less in one run.',
    actions: ['edit', 'again'],
    operator: RARELY,
    isDefect: true,
  },
  'queue-limit': {
    brief: 'no free worker',
    why: () => 'No worker was free in time.',
    next: () => 'Run it again.',
    actions: ['again', 'edit'],
    operator: 'If runs often wait this long, add workers, or raise `WORKER_CONCURRENCY` or `QUEUE_LIMIT_S`.',
  },
  'run-limit': {
    brief: 'out of time',
    why: () => 'The run did not end in time.',
    next: () => 'Ask for less in one run, or run it again.',
    actions: ['edit', 'again'],
    operator: 'If the source is only slow, raise `RUN_LIMIT_S`.',
  },
}

/** For codes of other versions. */
const UNKNOWN: Advice = {
  brief: 'no success',
  why: () => 'The run ended without success.',
  next: () => 'Run it again.',
  actions: ['again', 'edit'],
  operator: RARELY,
}

export const adviceOf = (code: string): Advice => (isRunErrorCode(code) ? ADVICE[code] : UNKNOWN)

/** Why a run with this code failed, as a sentence. @param site see {@link siteOf} */
export function whyOf(code: string, site: string): string {
  const why = adviceOf(code).why(site)
  return why.charAt(0).toUpperCase() + why.slice(1)
}

/** The name by which people know the site of a task: `Instagram` of `Photos (Instagram)`. */
export function siteOf(catalogue: Catalogue, taskKey: string): string {
  const title = catalogue.get(taskKey)?.source.title
  return title === undefined ? 'the source' : (/\(([^()]+)\)\s*$/.exec(title)?.[1] ?? title)
}
