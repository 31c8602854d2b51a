/**
 * A capture for people to read.
 *
 * @module
 */
import type { Capture } from '../../src/health/captures/list.ts'
import type { Cassette } from '../../src/plugin/testing.ts'
import { formatJson } from '../../src/recording/format.ts'

type Exchange = Cassette['exchanges'][number]

/** Characters of a body. */
const MOST_CHARS = 4000

/** The run, then each request with its answer. Long bodies are cut. */
export function textOf(
  { id, task_key, code, at, run_id, account_id }: Capture,
  { input, note, exchanges }: Cassette,
): string {
  const head = [
    `${id}  ${task_key}  ${code ?? 'succeeded while its task drifted'}`,
    `${run_id} of ${account_id}, ${at}`,
    `input: ${JSON.stringify(input)}`,
    ...(note === undefined ? [] : [note]),
  ]
  return printable([...head, ...exchanges.map(exchangeText)].join('\n')).concat('\n')
}

function exchangeText({ request, sent, status = 200, headers = {}, ...answer }: Exchange): string {
  const lines = [
    '',
    `${request}`,
    ...(sent === undefined ? [] : [cut(typeof sent === 'string' ? sent : formatJson(sent))]),
    `-> ${status}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    bodyText(answer),
  ]
  return lines.join('\n')
}

function bodyText({ body, base64, json }: Pick<Exchange, 'body' | 'base64' | 'json'>): string {
  if (base64 !== undefined) return `(${Buffer.byteLength(base64, 'base64')} bytes)`
  if (json !== undefined) return cut(formatJson(json))
  return typeof body === 'string' ? cut(body) : '(empty)'
}

function cut(text: string): string {
  const whole = text.trimEnd()
  if (whole.length <= MOST_CHARS) return whole
  return `${whole.slice(0, MOST_CHARS).toWellFormed()}\n(${whole.length - MOST_CHARS} more characters: --json shows all)`
}

/** Without control characters of a terminal, which a source may have sent. */
const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, '')
