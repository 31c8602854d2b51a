/**
 * Why a run ended without success: the stable codes, each with a sentence for clients.
 *
 * @module
 */

/** Titles of the codes in an ended run's `error.code`. */
export const RUN_ERRORS = {
  'not-found': 'The source does not have it.',
  private: 'It exists but is not public.',
  restricted: 'The source asks for a confirmation first, such as an age check.',
  'bad-input': 'The source refused the query.',
  'source-blocked': 'The source showed a block, captcha or consent page instead of its content.',
  'source-rate-limited': 'The source limits how often it accepts requests.',
  'source-unavailable': 'The source could not be reached, or answered with errors.',
  'source-login-required': 'The source shows this only to signed-in visitors.',
  'source-changed': 'The source has changed, and its answer could not be read.',
  'source-redirected': 'The source redirected to a host that is not its own.',
  'response-too-large': "The source's response was too large.",
  defect: 'The extractor failed.',
  'output-invalid': 'The extractor returned items that do not match the schema of the task.',
  'worker-lost': 'The run lost its worker too often.',
  'out-of-memory': 'The extractor used too much memory.',
  'queue-limit': 'No worker was free in time.',
  'run-limit': 'The run did not end in time.',
} as const
export type RunErrorCode = keyof typeof RUN_ERRORS

/** Details of our own faults for clients; the causes appear only in the service's log. */
export const FIXED_DETAILS: Partial<Record<RunErrorCode, string>> = {
  defect:
    'An error in the extractor ended the run. All credits were refunded. Please report it if it happens again.',
  'output-invalid':
    'The extractor returned something that does not match the schema of the task. All credits were refunded.',
  'worker-lost': 'The run was started three times and lost its worker each time. All credits were refunded.',
  'out-of-memory': 'The extractor used too much memory and was ended. All credits were refunded.',
  'queue-limit':
    'The run waited longer than the queue limit. All credits were refunded. Send the request again.',
  'run-limit': 'The run took longer than its time limit. All credits were refunded.',
}

/** How the advice begins that is added to the detail of `source-login-required`. It is for programs. */
export const LOGIN_ADVICE = {
  again: 'Send the request again, with a new Idempotency-Key or none: ',
  first: 'Sign in first (POST /v1/logins/',
} as const

/** The detail of `source-login-required` without this advice, for people. */
export function withoutLoginAdvice(detail: string): string {
  const starts = Object.values(LOGIN_ADVICE).map((start) => detail.indexOf(start))
  const end = Math.min(...starts.filter((at) => at >= 0), detail.length)
  return detail.slice(0, end).trim()
}

export const isRunErrorCode = (code: string): code is RunErrorCode => Object.hasOwn(RUN_ERRORS, code)

/** Whether the parser met answers that it cannot read, so that the run keeps them for the operator. */
export const isCapturedCode = (code: string | null): code is 'source-changed' | 'output-invalid' =>
  code === 'source-changed' || code === 'output-invalid'

/** What to do after a run ended with this code, in a sentence or two. */
export function whatToDo(code: string | null): string {
  switch (code) {
    case 'not-found':
    case 'private':
    case 'bad-input':
      return 'Check the input and run it again.'
    case 'source-login-required':
      return 'Sign in at the source, then run it again.'
    case 'source-changed':
    case 'defect':
    case 'output-invalid':
      return 'Tell the operator of this instance: the extractor needs to be fixed.'
    case 'queue-limit':
    case 'worker-lost':
      return 'Run it again. Nothing was charged.'
    default:
      return 'Wait a while and run it again. Nothing was charged.'
  }
}
