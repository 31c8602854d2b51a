/**
 * Errors within a tool as results: the code, its meaning, and what to do.
 *
 * @module
 */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Problem, ProblemCode } from '../http/problems.ts'
import type { Issue } from '../plugin.ts'
import { linesOf } from './tool.ts'

/** Advice for the caller, for problems whose detail does not fit tools. */
const WHAT_TO_DO: Partial<Record<ProblemCode, string>> = {
  'validation-failed': 'Correct the arguments and call again. describe_task shows the input of a task.',
  'insufficient-credits': 'The owner of the account has to add credits.',
  'task-not-allowed': 'find_tasks shows the tasks that this account may run.',
  'account-suspended': 'Only the operator of this service can change that.',
  'not-found': 'Check the run_id: run_task returns it.',
  'idempotency-key-reused': 'Use another idempotency_key for another call.',
  'idempotency-in-progress': 'Make the same call again in a moment.',
  'run-finished': 'get_run shows how it ended.',
  'login-required':
    'Ask the user to open hosted_url in a browser and sign in there. Then make the same call again.',
  'store-unavailable':
    'Make the same call again in a moment. With an idempotency_key, it makes at most one run and one charge.',
  internal: 'Make the same call again later.',
}
/** Limits of lists and texts: longer ones do not help a model. */
const MOST_ISSUES = 10
const MOST_CHARACTERS = 400

/** The result of a call that failed. */
export function failed({ code, message, options }: Problem): CallToolResult {
  const { errors, ...extras } = { ...options.extras } as { readonly errors?: readonly Issue[] }
  const issues = (errors ?? [])
    .slice(0, MOST_ISSUES)
    .map((issue) => ({ ...issue, detail: cut(issue.detail) }))
  const left = (errors?.length ?? 0) - issues.length
  const text = linesOf(
    `Error ${code}: ${cut(message)}`,
    ...issues.map(({ pointer, detail }) => `- ${pointer || '/'} ${detail}`),
    left > 0 && `- and ${left} more`,
    ...Object.entries(extras).map(([name, value]) => `${name}: ${value}`),
    WHAT_TO_DO[code] && `What to do: ${WHAT_TO_DO[code]}`,
  )
  return {
    isError: true,
    content: [{ type: 'text', text }],
    structuredContent: { code, detail: cut(message), ...extras, ...(errors ? { errors: issues } : {}) },
  }
}

const cut = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…` : text
