/**
 * Error pages.
 *
 * @module
 */
import { html } from '../html.ts'
import { PROBLEMS, type Problem, problemHeaders } from '../http/problems.ts'
import { basePath } from '../page/document.ts'
import { deadEnd } from './layout.ts'
import { STRICT } from './route.ts'

/** A page that explains an error and the next step. */
export function errorDocument(publicUrl: string, problem: Problem, requestId: string): Response {
  const { code, status } = problem
  const answer = deadEnd(basePath(publicUrl), {
    // The API's title speaks of a key, which a person does not have.
    title: code === 'key-scope' ? 'Not allowed' : PROBLEMS[code].title,
    status,
    label: 'Go to the console',
    text: code === 'not-found' ? 'This page does not exist, or you cannot see it.' : problem.message,
    hint: html`Status ${status}, request <code>${requestId}</code>`,
  })
  for (const [name, value] of problemHeaders(problem, { ...STRICT, 'x-request-id': requestId }))
    answer.headers.set(name, value)
  return answer
}
