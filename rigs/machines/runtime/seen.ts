/**
 * Answers for a comparison, without the values that are new each time.
 *
 * @module
 */

/** An answer with its headers by name and its body as text. */
export type ComparableAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Headers of the connection, not of the answer. */
const LEFT_OUT = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

const NEW_EACH_TIME: readonly (readonly [RegExp, string])[] = [
  [/\b(run|key|acc)_[0-9a-z]{26}\b/g, '$1_…'],
  [/\breq_[\w-]{14,}/g, 'req_…'],
  [/\bworker_[0-9a-f]{12}\b/g, 'worker_…'],
  [/\bgln_[0-9A-Za-z]+_[0-9A-Za-z]{6}\b/g, 'gln_…'],
  [/\bgln_[0-9A-Za-z]{4}\b/g, 'gln_…'],
  [/(\bhash\\*":\\*")[0-9a-f]{64}/g, '$1…'],
  [/\b[0-9a-f]{16}\.\d+\b/g, 'position'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'uuid'],
  [/(?<=\bms\\*":)\d+/g, '0'],
  // Each runtime names itself to the source.
  [/(?<=\busage\\*":\{\\*"requests\\*":\d+,\\*"bytes\\*":)\d+/g, '0'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'time'],
]

/** Replaces the values in a text that are new each time. */
export const settled = (text: string): string =>
  NEW_EACH_TIME.reduce((so, [pattern, word]) => so.replace(pattern, word), text)

/** JSON for a comparison. */
export const comparable = (json: unknown) => JSON.parse(settled(JSON.stringify(json)))

/** Reads an answer to its end. */
export async function comparableAnswer(answer: Response): Promise<ComparableAnswer> {
  const headers: Record<string, string> = {}
  for (const [name, value] of answer.headers) if (!LEFT_OUT.has(name)) headers[name] = settled(value)
  return { status: answer.status, headers, body: settled(await answer.text()) }
}
