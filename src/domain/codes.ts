/**
 * Why a run ended without success: the stable codes, each with a sentence for clients.
 *
 * @module
 */

/** Titles of the codes that an ended run's `error.code` has. */
export const RUN_ERRORS = {
  'not-found': 'The source has no such thing.',
  private: 'It exists, but not for the public.',
  restricted: 'The source asks for a confirmation first, such as an age check.',
  'bad-input': 'The source refused the query.',
  'source-blocked': 'The source showed a block, captcha or consent page instead of its content.',
  'source-rate-limited': 'The source asks to come back later.',
  'source-unavailable': 'The source could not be reached, or answered with errors.',
  'source-login-required': 'The source shows this to visitors who are signed in.',
  'source-changed': 'The source has changed and its page could not be read.',
  'source-redirected': 'The source sent us to a foreign host.',
  'response-too-large': 'The answer of the source was too large.',
  defect: 'The extractor failed.',
  'output-invalid': 'The extractor brought items that are not as declared.',
  'worker-lost': 'The run lost its worker too often.',
  'out-of-memory': 'The extractor needed too much memory.',
  'queue-limit': 'No worker was free in time.',
  'run-limit': 'The run was not finished in time.',
} as const
export type RunErrorCode = keyof typeof RUN_ERRORS

/** What is told of our own faults; what is behind them stands in the service's log alone. */
export const FIXED_DETAILS: Partial<Record<RunErrorCode, string>> = {
  defect:
    'An error in the extractor ended the run. All credits were refunded. Please report it if it happens again.',
  'output-invalid':
    'The extractor returned something that its schema does not allow. All credits were refunded.',
  'worker-lost': 'The run was started three times and lost its worker each time. All credits were refunded.',
  'out-of-memory': 'The extractor used too much memory and was ended. All credits were refunded.',
  'queue-limit':
    'The run waited longer than the queue limit. All credits were refunded. Send the request again.',
  'run-limit': 'The run took longer than its time limit. All credits were refunded.',
}

export const isRunErrorCode = (code: string): code is RunErrorCode => Object.hasOwn(RUN_ERRORS, code)
